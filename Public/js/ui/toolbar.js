/** The bar of tools, the menu behind its last button, and the colors and widths to choose from. */

import { nearestColor, PALETTE, textOn } from '../model/palette.js';
import { SHAPE_TOOLS } from '../model/strokeOutline.js';
import { strings } from '../i18n/i18n.js';
import { element, makeSVG } from './elements.js';
import { icon } from './icons.js';
import { closePopover } from './popovers.js';
import { radioButton, RadioGroup } from './radioGroup.js';
import { HIGHLIGHTER_WIDTHS, TEXT_SIZES, WIDTHS } from './settings.js';

/**
 * @typedef {'line' | 'arrow' | 'rectangle' | 'ellipse'} ShapeName
 * @typedef {'select' | 'pen' | 'eraser' | 'highlighter' | 'text' | 'hand' | 'laser' | ShapeName} ToolName `hand` is the only
 *   tool after the session has ended
 */

/** @param {string} tool @returns {boolean} true if the tool draws with a color and a width */
export function hasStyle(tool) {
  return ['pen', 'highlighter', 'text', ...SHAPE_TOOLS].includes(tool);
}

/**
 * Events: `tool`, and one for each of the other buttons by its id: `undo`, `redo`, `clear`, `open`, `save`, `keys`, `language`,
 * `leave`, `end`.
 */
export class Toolbar extends EventTarget {
  /** @type {HTMLButtonElement[]} */
  #tools = [...document.querySelectorAll('button[data-tool]')].map((one) => /** @type {HTMLButtonElement} */ (one));
  #menu = element('menu');
  /** The button that opens the panel of further tools, on a screen without room for all tools. */
  #shapes = element('shapes');
  #kinds = element('kinds');
  /** @type {ToolName} */
  #tool = 'pen';

  constructor() {
    super();
    for (const button of this.#tools) {
      button.addEventListener('click', () => this.choose(/** @type {ToolName} */ (button.dataset.tool)));
    }
    this.#kinds.addEventListener('click', closePopover);
    // Otherwise the browser would close the popover only when the pointer is released, after the stroke.
    element('canvas').addEventListener('pointerdown', closePopover);
    for (const id of ['undo', 'redo', 'clear', 'open', 'save', 'keys', 'language', 'leave', 'end']) {
      element(id).addEventListener('click', () => {
        closePopover();
        this.dispatchEvent(new Event(id));
      });
    }
    this.#menu.addEventListener('toggle', (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === 'open') this.#items[0]?.focus();
    });
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

  /** @returns {(HTMLButtonElement | HTMLInputElement)[]} the parts of the menu that can have the focus now */
  get #items() {
    /** @type {NodeListOf<HTMLButtonElement | HTMLInputElement>} */
    const all = this.#menu.querySelectorAll('button,:checked');
    return [...all].filter((item) => !item.hidden && !item.disabled);
  }

  /** @param {KeyboardEvent} event */
  #menuKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // Within a group of radio buttons, the browser handles the arrow keys.
    if (!step || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    const items = this.#items;
    const at = items.findIndex((item) => item === document.activeElement);
    items[(at + step + items.length) % items.length]?.focus();
  }

  /** @param {string} id @param {boolean} isEnabled */
  #enable(id, isEnabled) {
    const button = /** @type {HTMLButtonElement} */ (element(id));
    // A disabled button loses the focus, so the canvas gets it.
    if (!isEnabled && document.activeElement === button) element('canvas').focus();
    button.disabled = !isEnabled;
  }
}

/** The picker of color and width. Events: `own` (the person's own color changed), `change` (detail: `color` or `width`). */
export class StylePicker extends EventTarget {
  #settings;
  #colors;
  #widths;
  /** The chosen color: an index of the palette, or the palette's length for the person's own color. */
  #chosen = PALETTE.length;
  #button = element('ink');
  #own;
  /** The browser's color picker, for the person's own color. */
  #picker = /** @type {HTMLInputElement} */ (element('own-color'));

  /** @param {import('./settings.js').Settings} settings */
  constructor(settings) {
    super();
    this.#settings = settings;
    const swatches = [...PALETTE, settings.color].map((rgb, index) =>
      swatch(strings.colors[index] ?? strings.ownColor, rgb, index)
    );
    this.#own = swatches[PALETTE.length];
    this.#colors = new RadioGroup(element('colors'), swatches, (index) => this.#press(index));
    this.#picker.addEventListener('change', () => this.#setOwn(this.#picker.value));
    const widths = WIDTHS.map((_, index) => widthButton(index));
    this.#widths = new RadioGroup(element('widths'), widths, (index) => this.chooseWidth(WIDTHS[index]));
    this.#show();
  }

  /** @returns {{ rgb: string, color: number }} */
  get ink() {
    const rgb = PALETTE[this.#chosen] ?? this.#settings.color;
    return { rgb, color: PALETTE[this.#chosen] ? this.#chosen : nearestColor(rgb) };
  }

  /** @param {string} tool @returns {import('../edit/drawing.js').StrokeStyle} */
  strokeStyle(tool) {
    const widths = tool === 'highlighter' ? HIGHLIGHTER_WIDTHS : WIDTHS;
    return { ...this.ink, width: widths[this.#width], tool };
  }

  /** @returns {import('../edit/drawing.js').TextStyle} */
  get textStyle() {
    return { ...this.ink, size: TEXT_SIZES[this.#width] };
  }

  /**
   * @param {import('../model/shapes.js').Shape} shape @param {'color' | 'width'} part
   * @returns {object} the changed properties, by the current choice
   */
  styleChange(shape, part) {
    if (part === 'color') return this.ink;
    return 'tool' in shape ? { width: this.strokeStyle(shape.tool).width } : { size: this.textStyle.size };
  }

  /** @param {number} index of the palette; its length: the person's own color */
  chooseColor(index) {
    this.#chosen = index;
    this.#show();
    this.dispatchEvent(new CustomEvent('change', { detail: 'color' }));
  }

  chooseOwn() {
    this.chooseColor(PALETTE.length);
  }

  /** Chooses a swatch. A press on the person's own color, if chosen already, opens the color picker. @param {number} index */
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

  /** The index of the chosen width. */
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
  const drawing = makeSVG('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' });
  drawing.append(
    makeSVG('circle', { class: 'ring', cx: '16', cy: '16', r: '14.5' }),
    makeSVG('circle', { class: 'paint', cx: '16', cy: '16', r: '11' }),
  );
  const spark = 'M16 9.5l1.6 4.9 4.9 1.6-4.9 1.6-1.6 4.9-1.6-4.9-4.9-1.6 4.9-1.6z';
  if (isOwn) drawing.append(makeSVG('path', { class: 'spark', d: spark }));
  const button = radioButton('swatch', { label: name, title: name + key }, drawing);
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
  const dot = makeSVG('circle', { cx: '14', cy: '14', r: String([2.5, 4.5, 8][index]) });
  const label = strings.widths[index];
  const drawing = makeSVG('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, dot);
  return radioButton('width', { label, title: `${label} ([ ])` }, drawing);
}
