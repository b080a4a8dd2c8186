/** The text tool: a tap starts a new text, or edits the one under it. */

import { LINE, Text } from '../model/text.js';

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../edit/drawing.js').TextStyle} TextStyle
 * @typedef {import('./pointerInput.js').Sample} Sample
 * @typedef {{ id: string, text: string, point: [number, number], angle: number, style: TextStyle, note?: Text | null }} EditedText
 *   `point`: its upper left corner, about which it is rotated by the angle; `note`: the text with its note, as it is shown
 */

/** The maximum distance of a tap from a text, in pixels. */
const REACH = 4;

/** Event: `change`, after editing starts or ends, or the style of the text changes. */
export class TextTool extends EventTarget {
  #drawing;
  #index;
  #style;
  #scale;
  #newKey;
  /** @type {EditedText | null} */
  #edited = null;
  /** @type {[number, number] | null} */
  #tapped = null;

  /**
   * @param {Drawing} drawing @param {import('../model/spatialIndex.js').ShapeIndex} index
   * @param {() => TextStyle} style @param {() => number} scale pixels per point @param {() => string} newKey
   */
  constructor(drawing, index, style, scale, newKey) {
    super();
    this.#drawing = drawing;
    this.#index = index;
    this.#style = style;
    this.#scale = scale;
    this.#newKey = newKey;
  }

  /** @returns {EditedText | null} */
  get edited() {
    return this.#edited;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    // A tap outside the edited text ends editing.
    this.#tapped = this.#edited ? null : [x, y];
    this.finish();
  }

  move() {}

  end() {
    if (!this.#tapped) return;
    this.editAt(...this.#tapped);
    this.#tapped = null;
  }

  /** Edits the text at a point, or starts a new one. @param {number} x @param {number} y */
  editAt(x, y) {
    const there = this.textAt(x, y);
    if (there) return this.edit(there);
    const style = this.#style();
    // The tapped point is at the middle of the first line's left edge.
    this.#begin({ id: this.#newKey(), text: '', point: [x, y - style.size * LINE / 2], angle: 0, style });
  }

  cancel() {
    this.#tapped = null;
  }

  /** @param {number} x @param {number} y @returns {Text | null} the topmost text at a point */
  textAt(x, y) {
    const texts = this.#index.near([x, y], [x, y], REACH / this.#scale()).filter((shape) => shape instanceof Text);
    return texts.reduce((/** @type {Text | null} */ a, b) => (a && a.z > b.z ? a : b), null);
  }

  /** @param {Text} text an existing one */
  edit(text) {
    const { id, corner, angle, size, font, rgb, color } = text;
    this.finish();
    const note = text.note && text;
    this.#begin({ id, text: text.text, point: corner, angle, style: { size, font, rgb, color }, note });
  }

  /** @param {string} text the whole content */
  setText(text) {
    const edited = this.#edited;
    if (!edited) return;
    edited.text = text;
    // Another participant may have removed the text.
    if (!this.#drawing.writeText(edited.id, text, edited.style, edited.point)) return this.#begin(null);
    const written = /** @type {Text} */ (this.#drawing.draft);
    // A text from right to left grows to the left.
    edited.point = written.corner;
    edited.note &&= written;
  }

  /**
   * Gives the edited text another style, except the styles of lines.
   * @param {string} part the part of the current style that the person has just chosen
   */
  restyle(part) {
    if (!this.#edited) return;
    const { font, size, ...ink } = this.#style();
    const changed = part === 'font' ? { font } : part === 'width' ? { size } : part === 'color' ? ink : null;
    if (!changed) return;
    this.#edited.style = { ...this.#edited.style, ...changed };
    this.setText(this.#edited.text);
    this.#begin(this.#edited);
  }

  /** Ends editing and keeps the text. */
  finish() {
    if (!this.#edited) return;
    this.#begin(null);
    this.#drawing.endStroke();
  }

  /** @param {EditedText | null} edited */
  #begin(edited) {
    this.#edited = edited;
    this.dispatchEvent(new Event('change'));
  }
}
