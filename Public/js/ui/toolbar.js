/** The bar of tools, the menu behind its last button, and the colors and widths to choose from. */

import { nearestColor, PALETTE, textOn } from '../model/palette.js';
import { SHAPES } from '../model/strokeOutline.js';
import { words } from '../i18n/i18n.js';
import { element, make, makeSVG, Popover, RadioGroup } from './elements.js';
import { icon } from './icons.js';
import { HIGHLIGHTER_WIDTHS, TEXT_SIZES, WIDTHS } from './settings.js';

/**
 * @typedef {'line' | 'arrow' | 'rectangle' | 'ellipse'} ShapeName
 * @typedef {'select' | 'pen' | 'eraser' | 'highlighter' | 'text' | 'hand' | ShapeName} ToolName `hand` is all there is when nothing can be drawn any more
 */

/** What it draws has the color that is chosen. @param {string} tool */
export function takesInk(tool) {
  return ['pen', 'highlighter', 'text', ...SHAPES].includes(tool);
}

/** Events: `tool`, and one for each of the other buttons by its id: `undo`, `redo`, `clear`, `open`, `save`, `keys`, `language`, `leave`, `end`. */
export class Toolbar extends EventTarget {
  /** @type {HTMLButtonElement[]} */
  #tools = [...document.querySelectorAll('button[data-tool]')].map((one) => /** @type {HTMLButtonElement} */ (one));
  #menu = element('menu');
  #more = element('more');
  /** Where there is no room for all tools, it stands for those of its panel. */
  #shapes = element('shapes');
  #kinds = element('kinds');
  /** @type {ToolName} */
  #tool = 'pen';

  constructor() {
    super();
    for (const button of this.#tools) {
      button.addEventListener('click', () => this.choose(/** @type {ToolName} */ (button.dataset.tool)));
    }
    const kinds = new Popover(this.#shapes, this.#kinds);
    this.#kinds.addEventListener('click', () => kinds.close());
    for (const id of ['undo', 'redo', 'clear', 'open', 'save', 'keys', 'language', 'leave', 'end']) {
      element(id).addEventListener('click', () => {
        this.closeMenu();
        this.dispatchEvent(new Event(id));
      });
    }
    this.#more.addEventListener('click', () => this.#open(this.#menu.hidden === true));
    document.addEventListener('pointerdown', ({ target }) => {
      if (target instanceof Element && !target.closest('#menu, #more')) this.#open(false);
    }, { capture: true });
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && this.closeMenu());
    this.#menu.addEventListener('keydown', (event) => this.#menuKey(event));
  }

  get tool() {
    return this.#tool;
  }

  /** @param {ToolName} tool */
  choose(tool) {
    this.#tool = tool;
    for (const button of this.#tools) button.setAttribute('aria-pressed', String(button.dataset.tool === tool));
    const isKind = this.#kinds.querySelector(`[data-tool="${tool}"]`) !== null;
    this.#shapes.setAttribute('aria-pressed', String(isKind));
    this.#shapes.replaceChildren(icon(isKind ? tool : 'shapes'));
    this.dispatchEvent(new Event('tool'));
  }

  /** @param {{ canUndo: boolean, canRedo: boolean, isEmpty: boolean, isShared: boolean, isConnected: boolean }} state */
  show({ canUndo, canRedo, isEmpty, isShared, isConnected }) {
    this.#enable('undo', canUndo);
    this.#enable('redo', canRedo);
    this.#enable('clear', !isEmpty && (!isShared || isConnected));
    this.#enable('save', !isEmpty);
    this.#enable('end', isConnected);
    element('leave').hidden = !isShared;
    element('end').hidden = !isShared;
  }

  closeMenu() {
    if (this.#menu.hidden) return;
    const hadFocus = this.#menu.contains(document.activeElement);
    this.#open(false);
    if (hadFocus) this.#more.focus();
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#menu.hidden = !isOpen;
    this.#more.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.#items[0]?.focus();
  }

  /** @returns {HTMLButtonElement[]} that can be chosen now */
  get #items() {
    const all = [...this.#menu.querySelectorAll('button')];
    return all.filter((button) => !button.hidden && !button.disabled);
  }

  /** @param {KeyboardEvent} event */
  #menuKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const items = this.#items;
    const at = items.findIndex((item) => item === document.activeElement);
    items[(at + step + items.length) % items.length]?.focus();
  }

  /** @param {string} id @param {boolean} isEnabled */
  #enable(id, isEnabled) {
    const button = /** @type {HTMLButtonElement} */ (element(id));
    // A button that goes dead under the focus would lose it to the page.
    if (!isEnabled && document.activeElement === button) element('canvas').focus();
    button.disabled = !isEnabled;
  }
}

/** Events: `own` (one's own color is another), `change` (detail: `color` or `width`). */
export class Inks extends EventTarget {
  #settings;
  #colors;
  #widths;
  /** Of the palette; one more is one's own. */
  #chosen = PALETTE.length;
  #button = element('ink');
  #popover = new Popover(this.#button, element('inks'));
  #own;
  /** Of the browser: for one's own color. */
  #picker = /** @type {HTMLInputElement} */ (element('own-color'));

  /** @param {import('./settings.js').Settings} settings */
  constructor(settings) {
    super();
    this.#settings = settings;
    const swatches = [...PALETTE, settings.color].map((rgb, index) =>
      swatch(words.colors[index] ?? words.ownColor, rgb, index)
    );
    this.#own = swatches[PALETTE.length];
    this.#colors = new RadioGroup(
      element('colors'),
      swatches.map((button, index) => ({ button, choose: () => this.#press(index) })),
    );
    this.#picker.addEventListener('change', () => this.#setOwn(this.#picker.value));
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

  /** @param {string} tool @returns {import('../edit/drawing.js').Look} */
  lookOf(tool) {
    const widths = tool === 'highlighter' ? HIGHLIGHTER_WIDTHS : WIDTHS;
    return { ...this.ink, width: widths[this.#width], tool };
  }

  /** @returns {import('../edit/drawing.js').TextLook} */
  get textLook() {
    return { ...this.ink, size: TEXT_SIZES[this.#width] };
  }

  /** @param {import('../model/shapes.js').Mark} mark @param {'color' | 'width'} part @returns {object} that it gets from what is chosen */
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

  /** @param {number} index of a swatch: one's own, chosen already, is changed */
  #press(index) {
    if (index === PALETTE.length && index === this.#chosen) {
      this.#picker.value = this.#settings.color;
      this.#picker.click();
    } else this.chooseColor(index);
  }

  /** @param {string} rgb */
  #setOwn(rgb) {
    this.#settings.setColor(rgb);
    this.dispatchEvent(new Event('own'));
    this.chooseOwn();
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
    color(this.#own, this.#settings.color);
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
  const drawing = makeSVG('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' });
  drawing.append(
    makeSVG('circle', { class: 'ring', cx: '16', cy: '16', r: '14.5' }),
    makeSVG('circle', { class: 'paint', cx: '16', cy: '16', r: '11' }),
  );
  const spark = 'M16 9.5l1.6 4.9 4.9 1.6-4.9 1.6-1.6 4.9-1.6-4.9-4.9-1.6 4.9-1.6z';
  if (isOwn) drawing.append(makeSVG('path', { class: 'spark', d: spark }));
  button.append(drawing);
  color(button, rgb);
  return button;
}

/** @param {HTMLElement} swatch @param {string} rgb */
function color({ style }, rgb) {
  style.setProperty('--own', rgb);
  style.setProperty('--on-own', textOn(rgb));
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
