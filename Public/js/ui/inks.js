/** Colors and widths to choose from. */

import { nearestColor, PALETTE, textOn } from '../canvas/colors.js';
import { words } from '../words/words.js';
import { element, make, makeSVG, Popover, RadioGroup } from './elements.js';
import { HIGHLIGHTER_WIDTHS, TEXT_SIZES, WIDTHS } from './settings.js';

/** Event: `change` (detail: `color` or `width`). */
export class Inks extends EventTarget {
  #settings;
  #colors;
  #widths;
  /** Of the palette; one more is one's own. */
  #chosen = PALETTE.length;
  #button = element('ink');
  #popover = new Popover(this.#button, element('inks'));

  /** @param {import('./settings.js').Settings} settings */
  constructor(settings) {
    super();
    this.#settings = settings;
    this.#colors = new RadioGroup(
      element('colors'),
      [...PALETTE, settings.color].map((rgb, index) => ({
        button: swatch(words.colors[index] ?? words.ownColor, rgb, index),
        choose: () => this.chooseColor(index),
      })),
    );
    this.#widths = new RadioGroup(
      element('widths'),
      WIDTHS.map((width, index) => ({ button: widthButton(index), choose: () => this.chooseWidth(width) })),
    );
    this.#show();
  }

  /** @returns {{ rgb: string, color: number }} */
  get ink() {
    const rgb = PALETTE[this.#chosen] ?? this.#settings.color;
    return { rgb, color: PALETTE[this.#chosen] ? this.#chosen : nearestColor(rgb) };
  }

  /** @param {string} tool @returns {import('../canvas/drawing.js').Look} */
  lookOf(tool) {
    const widths = tool === 'highlighter' ? HIGHLIGHTER_WIDTHS : WIDTHS;
    return { ...this.ink, width: widths[this.#width], tool };
  }

  /** @returns {import('../canvas/drawing.js').TextLook} */
  get textLook() {
    return { ...this.ink, size: TEXT_SIZES[this.#width] };
  }

  /** @param {import('../canvas/marks.js').Mark} mark @param {'color' | 'width'} part @returns {object} that it gets from what is chosen */
  partOf(mark, part) {
    if (part === 'color') return this.ink;
    return 'tool' in mark ? { width: this.lookOf(mark.tool).width } : { size: this.textLook.size };
  }

  /** @param {number} index of the palette; its length is one's own color */
  chooseColor(index) {
    this.#chosen = index;
    this.#show();
    this.dispatchEvent(new CustomEvent('change', { detail: 'color' }));
  }

  chooseOwn() {
    this.chooseColor(PALETTE.length);
  }

  /** @param {number} width one of `WIDTHS` */
  chooseWidth(width) {
    this.#settings.setWidth(width);
    this.#show();
    this.dispatchEvent(new CustomEvent('change', { detail: 'width' }));
  }

  /** @param {1 | -1} step */
  stepWidth(step) {
    const index = this.#width + step;
    if (WIDTHS[index] !== undefined) this.chooseWidth(WIDTHS[index]);
  }

  close() {
    this.#popover.close();
  }

  /** Of all there are. */
  get #width() {
    return WIDTHS.indexOf(this.#settings.width);
  }

  #show() {
    this.#colors.show(this.#chosen);
    this.#widths.show(this.#width);
    document.documentElement.style.setProperty('--ink', this.ink.rgb);
    const size = 5 + 2.2 * Math.sqrt(this.#settings.width);
    this.#button.querySelector('circle')?.setAttribute('r', String(size));
  }
}

/** @param {string} name @param {string} rgb @param {number} index */
function swatch(name, rgb, index) {
  const isOwn = index === PALETTE.length;
  const key = index < 10 ? ` (${(index + 1) % 10})` : '';
  const button = make('button', { class: 'swatch', 'aria-label': name, title: name + key });
  button.style.setProperty('--own', rgb);
  button.style.setProperty('--on-own', textOn(rgb));
  const drawing = makeSVG('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' });
  drawing.append(
    makeSVG('circle', { class: 'ring', cx: '16', cy: '16', r: '14.5' }),
    makeSVG('circle', { cx: '16', cy: '16', r: '11', fill: rgb }),
  );
  const spark = 'M16 9.500l1.600 4.900 4.900 1.600-4.900 1.600-1.600 4.900-1.600-4.900-4.900-1.600 4.900-1.600z';
  if (isOwn) drawing.append(makeSVG('path', { class: 'spark', d: spark }));
  button.append(drawing);
  return button;
}

/** @param {number} index */
function widthButton(index) {
  const button = make('button', {
    class: 'width',
    'aria-label': words.widths[index],
    title: `${words.widths[index]} ([ ])`,
  });
  const dot = makeSVG('circle', { cx: '14', cy: '14', r: String([2.5, 4.5, 8][index]) });
  button.append(makeSVG('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, dot));
  return button;
}
