/** The pointer that keys move. It uses a tool as a pen does. */

import { PLANE } from '../model/stroke.js';

/**
 * @typedef {import('./pointerInput.js').Sample} Sample
 * @typedef {import('./pointerInput.js').Tool} Tool
 */

/**
 * The distance between the samples of a movement, in pixels. With a larger distance, a pen stroke would be thinner, as if it was
 * drawn fast.
 */
const SPACING = 4;

/** The position of the pointer, and the tool that it uses while it is down. */
export class KeyboardPointer {
  #scale;
  /** @type {[number, number] | null} */
  #point = null;
  /** @type {Tool | null} */
  #tool = null;

  /** @param {() => number} scale pixels per point */
  constructor(scale) {
    this.#scale = scale;
  }

  /** The position in the plane; null: the pointer is not shown. */
  get point() {
    return this.#point;
  }

  /** True while it uses a tool. */
  get isDown() {
    return this.#tool !== null;
  }

  /** @param {[number, number]} point */
  show(point) {
    this.#point = point;
  }

  /** Ends the use of the tool, and hides the pointer. */
  hide() {
    this.lift();
    this.#point = null;
  }

  /** @param {number} dx @param {number} dy pixels */
  moveBy(dx, dy) {
    if (!this.#point) return;
    const [x, y] = this.#point;
    const scale = this.#scale();
    const to = [x + dx / scale, y + dy / scale].map((value) => Math.max(-PLANE, Math.min(PLANE, value)));
    this.#point = [to[0], to[1]];
    const steps = Math.max(1, Math.ceil(Math.hypot(dx, dy) / SPACING));
    const samples = Array.from({ length: steps }, (_, at) => {
      const part = (at + 1) / steps;
      return sampleAt(x + (to[0] - x) * part, y + (to[1] - y) * part);
    });
    this.#tool?.move(samples);
  }

  /** Begins to use a tool. @param {Tool} tool */
  press(tool) {
    if (!this.#point) return;
    this.lift();
    this.#tool = tool;
    tool.begin(sampleAt(...this.#point));
  }

  /** Ends the use of the tool. */
  lift() {
    const tool = this.#tool;
    this.#tool = null;
    tool?.end();
  }

  /** Ends the use of the tool without a result. */
  cancel() {
    const tool = this.#tool;
    this.#tool = null;
    tool?.cancel();
  }
}

/** @param {number} x @param {number} y @returns {Sample} */
export function sampleAt(x, y) {
  return { x, y, pressure: null };
}
