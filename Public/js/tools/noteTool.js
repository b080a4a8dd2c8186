/**
 * The tool for sticky notes: a tap places a note of a standard size, and a drag draws one of any size. Then the person types its
 * text.
 */

import { Text } from '../model/text.js';
import { onPlane } from '../model/stroke.js';

/**
 * @typedef {import('../model/strokeOutline.js').Point} Point
 * @typedef {import('../edit/drawing.js').TextStyle} TextStyle
 * @typedef {import('./pointerInput.js').Sample} Sample
 * @typedef {{ id: string, style: TextStyle, z: number, from: Point, isDrawn: boolean }} Begun a note that the pointer has begun;
 *   `isDrawn`: it is being drawn by a drag
 *
 * @typedef {object} Parts
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('./textTool.js').TextTool} textTool
 * @property {() => TextStyle} style
 * @property {() => number} scale pixels per point
 * @property {() => string} newKey
 */

/** The side of a note that is placed by a tap, and the minimum side of one that is drawn by a drag, in points. */
const NOTE_SIDE = 200;
const MIN_SIDE = 60;
/** The minimum distance of a drag, in pixels. A shorter movement is a tap. */
const SLOP = 8;

export class NoteTool {
  #parts;
  /** @type {Begun | null} */
  #begun = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    const { textTool, drawing, style, newKey } = this.#parts;
    // A tap outside the edited text only ends editing.
    const isEnd = textTool.edited !== null;
    textTool.finish();
    this.#begun = isEnd ? null : { id: newKey(), style: style(), z: drawing.nextZ, from: [x, y], isDrawn: false };
  }

  /** @param {Sample[]} samples */
  move(samples) {
    const begun = this.#begun;
    const last = samples.at(-1);
    if (!begun || !last) return;
    const [x, y] = begun.from;
    begun.isDrawn ||= Math.hypot(last.x - x, last.y - y) * this.#parts.scale() >= SLOP;
    if (!begun.isDrawn) return;
    const [width, height] = [Math.max(MIN_SIDE, Math.abs(last.x - x)), Math.max(MIN_SIDE, Math.abs(last.y - y))];
    this.#draw(begun, [last.x < x ? x - width : x, last.y < y ? y - height : y], width, height);
  }

  end() {
    const begun = this.#begun;
    this.#begun = null;
    if (!begun) return;
    const { drawing, textTool } = this.#parts;
    const there = begun.isDrawn ? null : textTool.textAt(...begun.from);
    if (there) return textTool.edit(there);
    const [x, y] = begun.from;
    if (!begun.isDrawn) this.#draw(begun, [x - NOTE_SIDE / 2, y - NOTE_SIDE / 2], NOTE_SIDE, NOTE_SIDE);
    const note = drawing.draft;
    if (note instanceof Text) textTool.edit(note);
  }

  cancel() {
    if (this.#begun?.isDrawn) this.#parts.drawing.cancelStroke();
    this.#begun = null;
  }

  /** @param {Begun} begun @param {Point} corner the upper left one @param {number} width @param {number} height */
  #draw({ id, style, z }, [x, y], width, height) {
    const note = { width: onPlane(width), height: onPlane(height) };
    this.#parts.drawing.drawNote(new Text({ ...style, id, z, text: '', x: onPlane(x), y: onPlane(y), note }));
  }
}
