/** The text tool: a tap starts a new text, or edits the one under it. */

import { LINE, Text } from '../model/text.js';

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../edit/drawing.js').TextStyle} TextStyle
 * @typedef {import('./penTool.js').Sample} Sample
 * @typedef {{ id: string, text: string, point: [number, number], style: TextStyle }} Written `point`: its upper left corner
 */

/** How near a tap must come to a text, in pixels. */
const REACH = 4;

/** Event: `change`, of what is written, but for its words. */
export class TextTool extends EventTarget {
  #drawing;
  #index;
  #style;
  #scale;
  #newKey;
  /** @type {Written | null} */
  #written = null;
  /** @type {[number, number] | null} */
  #tapped = null;

  /**
   * @param {Drawing} drawing @param {import('../model/spatialIndex.js').ShapeIndex} index
   * @param {() => TextStyle} style @param {() => number} scale pixels a point @param {() => string} newKey
   */
  constructor(drawing, index, style, scale, newKey) {
    super();
    this.#drawing = drawing;
    this.#index = index;
    this.#style = style;
    this.#scale = scale;
    this.#newKey = newKey;
  }

  /** @returns {Written | null} */
  get written() {
    return this.#written;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    // Who taps beside what is written has written enough.
    this.#tapped = this.#written ? null : [x, y];
    this.finish();
  }

  move() {}

  end() {
    if (!this.#tapped) return;
    this.write(...this.#tapped);
    this.#tapped = null;
  }

  /** What is there already, or something new. @param {number} x @param {number} y */
  write(x, y) {
    const there = this.textAt(x, y);
    if (there) return this.edit(there);
    const style = this.#style();
    // The tap is where the first letter will be.
    this.#begin({ id: this.#newKey(), text: '', point: [x, y - style.size * LINE / 2], style });
  }

  cancel() {
    this.#tapped = null;
  }

  /** @param {number} x @param {number} y @returns {Text | null} the uppermost there */
  textAt(x, y) {
    const texts = this.#index.near([x, y], [x, y], REACH / this.#scale()).filter((shape) => shape instanceof Text);
    return texts.reduce((/** @type {Text | null} */ a, b) => (a && a.z > b.z ? a : b), null);
  }

  /** @param {Text} text that is there */
  edit({ id, text, x, y, size, rgb, color }) {
    this.finish();
    this.#begin({ id, text, point: [x, y], style: { size, rgb, color } });
  }

  /** @param {string} text all of it, as it is by now */
  type(text) {
    const written = this.#written;
    if (!written) return;
    written.text = text;
    // Somebody may have taken it away.
    if (!this.#drawing.writeText(written.id, text, written.style, written.point)) this.#begin(null);
  }

  /** What is written looks like what is chosen now. */
  restyle() {
    if (!this.#written) return;
    this.#written.style = this.#style();
    this.type(this.#written.text);
    this.#begin(this.#written);
  }

  /** It shall be as it is. */
  finish() {
    if (!this.#written) return;
    this.#begin(null);
    this.#drawing.endStroke();
  }

  /** @param {Written | null} written */
  #begin(written) {
    this.#written = written;
    this.dispatchEvent(new Event('change'));
  }
}
