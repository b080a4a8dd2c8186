/** The stroke that this person is drawing with the pen. */

import { onPlane, Stroke } from '../model/stroke.js';

/** @typedef {import('./drawing.js').StrokeStyle} StrokeStyle */

/** The stroke in progress. Its new points are sent once a frame. A long stroke is split into parts. */
export class PenStroke {
  #shapes;
  #sync;
  #newKey;
  /**
   * @type {{ stroke: Stroke, sent: number, parts: Stroke[] } | null} `stroke`: the part under the pen; `sent`: the number of its
   *   points that were sent; `parts`: the earlier parts
   */
  #current = null;

  /**
   * @param {import('../model/shapes.js').Shapes} shapes @param {import('../protocol/shapeSync.js').ShapeSync} sync
   * @param {() => string} newKey
   */
  constructor(shapes, sync, newKey) {
    this.#shapes = shapes;
    this.#sync = sync;
    this.#newKey = newKey;
  }

  /** @returns {Stroke | null} the part under the pen */
  get stroke() {
    return this.#current?.stroke ?? null;
  }

  /** Begins a stroke without points. @param {StrokeStyle} style */
  begin(style) {
    this.#begin(style, []);
  }

  /**
   * Adds points. If another participant has removed the part under the pen, ends the stroke instead.
   * @param {number[]} points x and y in turn @param {number[] | null} pressures
   * @returns {Stroke[] | null} the earlier parts of the stroke, if it was ended; otherwise null
   */
  extend(points, pressures) {
    const current = this.#current;
    if (!current) return null;
    const { stroke, parts } = current;
    if (this.#shapes.find(stroke.id) !== stroke) {
      this.#current = null;
      return parts;
    }
    stroke.append(points.map(onPlane), pressures?.map((one) => Math.round(one * 1000) / 1000) ?? null);
    this.#shapes.extended(stroke.id);
    if (stroke.length < this.#sync.maxStrokePoints) return null;
    // The next part begins at the last point of this one.
    this.#finish();
    this.#begin(stroke, [...parts, stroke]);
    return this.extend(stroke.points.slice(-2), stroke.pressures?.slice(-1) ?? null);
  }

  /** Sends the points that were added since the last call. */
  flush() {
    const current = this.#current;
    if (!current || current.stroke.length === current.sent) return;
    this.#sync.append(current.stroke, current.sent);
    current.sent = current.stroke.length;
  }

  /** Ends the stroke and keeps it. @returns {Stroke[] | null} all its parts; null: there is no stroke */
  end() {
    this.#finish();
    return this.#take();
  }

  /** Ends the stroke and removes it. @returns {boolean} false: there is no stroke */
  cancel() {
    const strokes = this.#take();
    for (const stroke of strokes ?? []) {
      this.#shapes.remove(stroke.id);
      this.#sync.remove(stroke);
    }
    return strokes !== null;
  }

  /** Forgets the stroke without removing it, because the caller removes all shapes. */
  reset() {
    this.#current = null;
  }

  /** @param {StrokeStyle} style @param {Stroke[]} parts the earlier parts */
  #begin(style, parts) {
    const stroke = new Stroke({ ...style, id: this.#newKey(), z: this.#sync.nextZ });
    this.#current = { stroke, sent: 0, parts };
    this.#shapes.set(stroke, { isDraft: true });
  }

  #finish() {
    if (!this.#current) return;
    const { stroke, sent } = this.#current;
    stroke.finish();
    // If no point was sent, the session does not have the stroke yet, so `existing` would discard it.
    this.#sync.replace(stroke, { existing: sent > 0 });
    this.#shapes.extended(stroke.id);
    this.#shapes.endDraft(stroke.id);
  }

  /** Forgets the stroke. @returns {Stroke[] | null} all its parts */
  #take() {
    const current = this.#current;
    this.#current = null;
    return current && [...current.parts, current.stroke];
  }
}
