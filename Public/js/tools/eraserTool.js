/** The eraser. */

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/spatialIndex.js').ShapeIndex} ShapeIndex
 * @typedef {import('./pointerInput.js').Sample} Sample
 */

/** The radius of the eraser, in pixels of the screen, at every zoom. */
export const ERASER_REACH = 9;

/** The eraser: removes whole shapes along its path, whoever drew them. */
export class EraserTool {
  #drawing;
  #index;
  #scale;
  /** @type {Shape[]} */
  #erased = [];
  /** @type {[number, number]} */
  #at = [0, 0];

  /** @param {Drawing} drawing @param {ShapeIndex} index @param {() => number} scale pixels per point */
  constructor(drawing, index, scale) {
    this.#drawing = drawing;
    this.#index = index;
    this.#scale = scale;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    this.#at = [x, y];
    this.#pass([x, y]);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    for (const { x, y } of samples) this.#pass([x, y]);
  }

  /** Pushes everything that was erased as one command. */
  end() {
    this.#drawing.endErasing(this.#erased);
    this.#erased = [];
  }

  cancel() {
    this.end();
  }

  /** @param {[number, number]} to */
  #pass(to) {
    for (const shape of this.#index.near(this.#at, to, ERASER_REACH / this.#scale())) {
      this.#drawing.erase(shape);
      this.#erased.push(shape);
    }
    this.#at = to;
  }
}
