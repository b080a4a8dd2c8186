/** The bar of tools, and the menu behind its last button. */

import { SHAPES } from '../canvas/outline.js';
import { element, icon, Popover } from './elements.js';

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
