/** The colors, widths and line styles to choose from: a part in the bar of tools, the rest in a panel above it. */

import { DASHES, FILLS } from '../model/lineStyle.js';
import { ADAPTIVE, textOn } from '../model/palette.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { cssColor, element, makeSVG } from './elements.js';
import { radioButton, RadioGroup } from './radioGroup.js';
import { HIGHLIGHTER_WIDTHS, WIDTHS } from './settings.js';
import { COLORS, ORDER } from './stylePicker.js';

/** The number of colors in the bar. */
const LEADING = 6;
const OPACITIES = [1, 0.75, 0.5, 0.25];
/** The tools with fills, and the tools without line styles. `select` changes the style of selected shapes. */
const FILLING = ['rectangle', 'ellipse', 'select'];
const PLAIN = ['text', 'highlighter'];

/** A line as by hand, across a square of 28 points. */
const LINE = 'M6 17C9.5 10 12.5 10.5 14 14s4.5 4 8-3';
const SQUARE = { x: '5', y: '6', width: '18', height: '16', rx: '2.5' };

/** Shows the choice of a `StylePicker`, and changes it. */
export class StylePanel {
  #picker;
  #own;
  /** @type {(() => void)[]} show the present choice in one group each */
  #groups;
  /** The browser's color dialog, for the person's own color. */
  #dialog = /** @type {HTMLInputElement} */ (element('own-color'));

  /** @param {import('./stylePicker.js').StylePicker} picker */
  constructor(picker) {
    this.#picker = picker;
    const names = [
      laterStrings.adaptiveInk,
      ...ORDER.map((number) => laterStrings.colors[number]),
      ...laterStrings.grays,
      strings.ownColor,
    ];
    const swatches = [...COLORS, picker.own].map((rgb, index) => swatch(names[index], rgb, index));
    this.#own = swatches[COLORS.length];
    const leading = new RadioGroup(element('colors'), swatches.slice(0, LEADING), (index) => this.#press(index));
    const others = new RadioGroup(
      element('more-colors'),
      swatches.slice(LEADING),
      (index) => this.#press(LEADING + index),
    );
    const widths = new RadioGroup(
      element('widths'),
      WIDTHS.map((_, index) => widthButton(index)),
      (index) => picker.chooseWidth(WIDTHS[index]),
    );
    this.#groups = [
      () => leading.show(picker.chosen),
      () => others.show(picker.chosen - LEADING),
      () => widths.show(picker.width),
      this.#group('fill', ['', ...FILLS], laterStrings.fills, fillIcon),
      this.#group('dash', ['', ...DASHES], laterStrings.dashes, dashIcon),
      this.#group('opacity', OPACITIES, OPACITIES.map((part) => strings.percent(100 * part)), opacityIcon),
    ];
    this.#dialog.addEventListener('change', () => picker.setOwn(this.#dialog.value));
    picker.addEventListener('change', () => this.#show());
    this.#show();
  }

  /** Shows only those choices that the tool has. @param {string} tool */
  showFor(tool) {
    element('fill').hidden = !FILLING.includes(tool);
    for (const id of ['dash', 'opacity']) element(id).hidden = PLAIN.includes(tool);
    element('widths').dataset.sample = tool;
  }

  /**
   * Creates a group of styles of lines.
   * @template {string | number} T
   * @param {import('./stylePicker.js').LinePart} part also the id of its element
   * @param {readonly T[]} values @param {readonly string[]} names @param {(value: T) => SVGElement} draw
   */
  #group(part, values, names, draw) {
    const buttons = values.map((value, index) => {
      const drawing = makeSVG('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, draw(value));
      return radioButton('width', { label: names[index] }, drawing);
    });
    const group = new RadioGroup(element(part), buttons, (index) => this.#picker.chooseLine(part, values[index]));
    return () => group.show(values.indexOf(/** @type {T} */ (this.#picker.line[part])));
  }

  /** Chooses a swatch. A press on the person's own color, if chosen already, opens the color dialog. @param {number} index */
  #press(index) {
    if (index === COLORS.length && index === this.#picker.chosen) {
      this.#dialog.value = this.#picker.own;
      this.#dialog.click();
    } else this.#picker.chooseColor(index);
  }

  #show() {
    const { chosen, ink, line, own, width } = this.#picker;
    color(this.#own, own);
    for (const show of this.#groups) show();
    const { style } = document.documentElement;
    style.setProperty('--ink', cssColor(ink.rgb));
    style.setProperty('--on-ink', ink.rgb === ADAPTIVE ? 'var(--surface)' : textOn(ink.rgb));
    // Both buttons that open panels show the choice: one shows the whole style, and the other one shows the color if the bar does
    // not have it.
    element('more-styles').toggleAttribute('data-chosen', chosen >= LEADING);
    const stroke = element('ink').querySelector('path');
    stroke?.setAttribute('stroke-width', String(WIDTHS[width]));
    stroke?.setAttribute('stroke-dasharray', dashesOf(line.dash, WIDTHS[width]));
    stroke?.setAttribute('opacity', String(line.opacity));
  }
}

/** @param {string} name @param {string} rgb @param {number} index */
function swatch(name, rgb, index) {
  const key = index < 10 ? ` (${(index + 1) % 10})` : index === COLORS.length ? ' (C)' : '';
  const drawing = makeSVG('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' });
  drawing.append(
    makeSVG('circle', { class: 'ring', cx: '16', cy: '16', r: '14.5' }),
    makeSVG('circle', { class: 'paint', cx: '16', cy: '16', r: '11' }),
  );
  if (index === COLORS.length) drawing.append(makeSVG('path', { class: 'plus', d: 'M16 11.5v9M11.5 16h9' }));
  const button = radioButton('swatch', { label: name, title: name + key }, drawing);
  color(button, rgb);
  return button;
}

/** @param {HTMLElement} swatch @param {string} rgb */
function color({ style }, rgb) {
  style.setProperty('--own', cssColor(rgb));
  style.setProperty('--on-own', textOn(rgb));
}

/** @param {number} index */
function widthButton(index) {
  const label = laterStrings.widths[index];
  const letter = makeSVG('text', { x: '14', y: String(18 + 2 * index), 'font-size': String(13 + 5 * index) });
  letter.textContent = 'A';
  const drawing = makeSVG(
    'svg',
    { viewBox: '0 0 28 28', 'aria-hidden': 'true' },
    // The line has the width in which it is drawn. That of the highlighter has no room, and is shown at half its width.
    makeSVG('path', { class: 'line', d: LINE, 'stroke-width': String(WIDTHS[index]) }),
    makeSVG('path', { class: 'marker', d: 'M4 14h20', 'stroke-width': String(HIGHLIGHTER_WIDTHS[index] / 2) }),
    letter,
  );
  return radioButton('width', { label, title: `${label} ([ ])` }, drawing);
}

/** @param {string} fill */
function fillIcon(fill) {
  const opacity = String({ tint: 0.3, solid: 1 }[fill] ?? 0);
  return makeSVG('rect', { ...SQUARE, class: 'line', 'stroke-width': '2', 'fill-opacity': opacity });
}

/** @param {string} dash */
function dashIcon(dash) {
  const style = { 'stroke-width': '3', 'stroke-dasharray': dashesOf(dash, 2.5) };
  return makeSVG('path', { class: 'line', ...style, d: 'M4 14h20' });
}

/** @param {number} opacity */
function opacityIcon(opacity) {
  return makeSVG('circle', { cx: '14', cy: '14', r: '8', opacity: String(opacity) });
}

/** @param {string} dash @param {number} width @returns {string} the dashes of an icon, in which they are shorter than on the page */
function dashesOf(dash, width) {
  const lengths = { dashed: [1.4, 2], dotted: [0.01, 1.8] }[dash] ?? [];
  return lengths.map((length) => length * width).join(' ') || 'none';
}
