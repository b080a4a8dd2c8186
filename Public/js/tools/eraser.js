/** Takes whole strokes and texts away, one's own and others', where it passes. */

/**
 * @typedef {import('../canvas/drawing.js').Drawing} Drawing
 * @typedef {import('../canvas/marks.js').Mark} Mark
 * @typedef {import('../canvas/markIndex.js').MarkIndex} MarkIndex
 * @typedef {import('./pen.js').Sample} Sample
 */

/** Half the eraser's size, in pixels: the same on the screen however far one is zoomed in. */
export const ERASER_REACH = 9;

export class Eraser {
  #drawing;
  #index;
  #scale;
  /** @type {Mark[]} */
  #erased = [];
  /** @type {[number, number]} */
  #at = [0, 0];

  /** @param {Drawing} drawing @param {MarkIndex} index @param {() => number} scale pixels a point */
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

  /** What went is one deed, undone at once. */
  end() {
    this.#drawing.erased(this.#erased);
    this.#erased = [];
  }

  cancel() {
    this.end();
  }

  /** @param {[number, number]} to */
  #pass(to) {
    for (const mark of this.#index.near(this.#at, to, ERASER_REACH / this.#scale())) {
      this.#drawing.erase(mark);
      this.#erased.push(mark);
    }
    this.#at = to;
  }
}
