/** The tools for lines, arrows, rectangles and ellipses. */

import { regular } from '../model/strokeOutline.js';

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../edit/drawing.js').StrokeStyle} StrokeStyle
 * @typedef {import('./pointerInput.js').Sample} Sample
 */

/** The distance from which a movement draws a shape, in pixels. Below it, a movement is a tap and draws nothing. */
const SLOP = 4;

/** The tool for lines, arrows, rectangles and ellipses: draws from the pressed point to the pointer. */
export class ShapeTool {
  #drawing;
  #style;
  #scale;
  #newKey;
  /** @type {{ id: string, style: StrokeStyle, from: [number, number], isBegun: boolean } | null} */
  #shape = null;
  /** Null until it is loaded, and for lines and arrows. @type {import('./snapping.js').Snapping | null} */
  snapping = null;

  /**
   * @param {Drawing} drawing @param {() => StrokeStyle} style @param {() => number} scale pixels per point
   * @param {() => string} newKey
   */
  constructor(drawing, style, scale, newKey) {
    this.#drawing = drawing;
    this.#style = style;
    this.#scale = scale;
    this.#newKey = newKey;
  }

  /** @param {Sample} sample */
  begin(sample) {
    const id = this.#newKey();
    this.snapping?.begin(new Set([id]));
    this.#shape = { id, style: this.#style(), from: this.#snapped(sample), isBegun: false };
  }

  /**
   * Draws the shape to the last sample. With Shift it is regular; with Alt its center is the pressed point.
   * @param {Sample[]} samples
   */
  move(samples) {
    const shape = this.#shape;
    const last = samples.at(-1);
    if (!shape || !last) return;
    const { id, style, from: [x, y] } = shape;
    shape.isBegun ||= Math.hypot(last.x - x, last.y - y) * this.#scale() >= SLOP;
    if (!shape.isBegun) return;
    const to = last.shift ? regular(style.tool, [x, y], [last.x, last.y]) : this.#snapped(last, [x, y]);
    /** @type {[number, number]} */
    const from = last.alt ? [2 * x - to[0], 2 * y - to[1]] : [x, y];
    const ends = this.ends(from, [to[0], to[1]]);
    if (!this.#drawing.drawShape({ ...style, ...ends }, id, from, [to[0], to[1]])) this.#shape = null;
  }

  /**
   * Returns the objects to which the ends are attached.
   * @param {[number, number]} _from @param {[number, number]} _to @returns {Pick<StrokeStyle, 'from' | 'to'>}
   */
  ends(_from, _to) {
    return {};
  }

  end() {
    this.#shape = null;
    this.snapping?.end();
    this.#drawing.endStroke();
  }

  cancel() {
    this.#shape = null;
    this.snapping?.end();
    this.#drawing.cancelStroke();
  }

  /** @param {Sample} sample @param {[number, number]} [from] the opposite corner @returns {[number, number]} */
  #snapped(sample, from) {
    return this.snapping?.snapPoint(sample, from) ?? [sample.x, sample.y];
  }
}
