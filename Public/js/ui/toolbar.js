/** The bar of tools, and the menu behind its last button. */

import { SHAPE_TOOLS } from '../model/strokeOutline.js';
import { element } from './elements.js';
import { icon } from './icons.js';
import { closePopover } from './popovers.js';

/**
 * @typedef {'line' | 'arrow' | 'rectangle' | 'ellipse'} ShapeName
 * @typedef {'select' | 'pen' | 'eraser' | 'highlighter' | 'text' | 'note' | 'hand' | 'laser' | ShapeName} ToolName `hand` is the
 *   only tool after the session has ended
 */

/** @param {string} tool @returns {boolean} true if the tool draws with a color and a width */
export function hasStyle(tool) {
  return ['pen', 'highlighter', 'text', 'note', ...SHAPE_TOOLS].includes(tool);
}

/**
 * Events: `tool`, and one for each of the other buttons by its id: `undo`, `redo`, `clear`, `pages`, `open`, `save`, `keys`,
 * `language`, `leave`, `end`. Also `erasing`, when the person switches to the other way of erasing.
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
    for (const id of ['undo', 'redo', 'clear', 'pages', 'open', 'save', 'keys', 'language', 'leave', 'end']) {
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
