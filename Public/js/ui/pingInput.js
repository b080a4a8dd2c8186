/** The ways to show a place to the others: a long press on empty paper, a key, and a command followed by a tap. */

import { laterStrings } from '../i18n/later.js';
import { toast } from './dialogs.js';
import { element } from './elements.js';
import { onLongPress } from './longPress.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 *
 * @typedef {object} Parts
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('../tools/selectTool.js').SelectTool} selectTool
 * @property {() => Bounds | null} selected the bounds of the selection
 * @property {(point: [number, number]) => void} ping
 */

export class PingInput {
  #parts;
  #canvas = element('canvas');
  /** The position of the mouse on the screen; null if it is not on the canvas. @type {[number, number] | null} */
  #pointer = null;
  /** Set while `pick` waits for a tap. @type {AbortController | null} */
  #picking = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    onLongPress(this.#canvas, (x, y) => this.#isPress(x, y), (x, y) => {
      // Without this, the end of the press would select the object below it.
      parts.selectTool.cancel();
      parts.ping(this.#toPlane(x, y));
    });
    this.#canvas.addEventListener('pointermove', ({ clientX, clientY }) => this.#pointer = [clientX, clientY]);
    this.#canvas.addEventListener('pointerleave', () => this.#pointer = null);
    parts.toolbar.addEventListener('tool', () => this.#picking?.abort());
  }

  /** Shows a position to the others: that of the mouse, or else of the selection, or else the center of the view. */
  pingHere() {
    const { camera, view, selected, ping } = this.#parts;
    if (this.#pointer) return ping(this.#toPlane(...this.#pointer));
    const bounds = selected() ?? camera.seen(view.width, view.height);
    ping([(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2]);
  }

  /** Waits for a tap on the canvas, and shows its position to the others. */
  pick() {
    this.#picking?.abort();
    const picking = this.#picking = new AbortController();
    const { signal } = picking;
    toast(laterStrings.tapPlace);
    this.#canvas.toggleAttribute('data-picking', true);
    signal.addEventListener('abort', () => this.#canvas.removeAttribute('data-picking'), { once: true });
    // This listener must run before those of the tools, which must not begin to draw.
    addEventListener('pointerdown', (event) => {
      picking.abort();
      if (event.target !== this.#canvas) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      this.#parts.ping(this.#toPlane(event.clientX, event.clientY));
    }, { capture: true, signal });
    addEventListener('keydown', ({ key }) => key === 'Escape' && picking.abort(), { capture: true, signal });
  }

  /** @param {number} clientX @param {number} clientY @returns {boolean} true if a long press there shows a place */
  #isPress(clientX, clientY) {
    // With the space key, the pointer moves the page.
    if (!['select', 'hand'].includes(this.#parts.toolbar.tool) || this.#canvas.hasAttribute('data-grab')) return false;
    return this.#parts.selectTool.cursorAt(...this.#toPlane(clientX, clientY)) === '';
  }

  /** @param {number} clientX @param {number} clientY @returns {[number, number]} */
  #toPlane(clientX, clientY) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return this.#parts.camera.toPlane(clientX - left, clientY - top);
  }
}
