/** The eraser. */

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../edit/partialErasure.js').PartialErasure} PartialErasure
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/spatialIndex.js').ShapeIndex} ShapeIndex
 * @typedef {import('./pointerInput.js').Sample} Sample
 */

/** The radius of the eraser, in pixels of the screen, at every zoom. */
export const ERASER_REACH = 9;

/** The eraser: removes whole shapes along its path, no matter who drew them; or only the parts of strokes that it touches. */
export class EraserTool {
  #drawing;
  #index;
  #scale;
  /** @type {Shape[]} */
  #erased = [];
  /** @type {[number, number]} */
  #at = [0, 0];
  /** Erases parts of strokes, from the next movement on; null to erase whole shapes. @type {PartialErasure | null} */
  partial = null;
  /** The erasure of the current movement; null if it erases whole shapes. @type {PartialErasure | null} */
  #partial = null;

  /** @param {Drawing} drawing @param {ShapeIndex} index @param {() => number} scale pixels per point */
  constructor(drawing, index, scale) {
    this.#drawing = drawing;
    this.#index = index;
    this.#scale = scale;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    this.#partial = this.partial;
    this.#at = [x, y];
    this.#pass([x, y]);
    this.#partial?.frame();
  }

  /** @param {Sample[]} samples */
  move(samples) {
    for (const { x, y } of samples) this.#pass([x, y]);
    // Erases at once, so that the next frame shows the result.
    this.#partial?.frame();
  }

  /** Pushes everything that was erased as one command. */
  end() {
    this.#partial?.commit();
    this.#partial = null;
    this.#drawing.endErasing(this.#erased);
    this.#erased = [];
  }

  /** Brings back the erased parts. Whole shapes stay removed, because the others have already seen their removal. */
  cancel() {
    this.#partial?.cancel();
    this.#partial = null;
    this.end();
  }

  /** @param {[number, number]} to */
  #pass(to) {
    const reach = ERASER_REACH / this.#scale();
    if (this.#partial) this.#partial.pass(this.#at, to, reach);
    else {
      for (const shape of this.#index.near(this.#at, to, reach)) {
        this.#drawing.erase(shape);
        this.#erased.push(shape);
      }
    }
    this.#at = to;
  }
}
