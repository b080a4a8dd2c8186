/** Paints strokes that are thinner than a pixel: as lines, without the points between which nobody could see a way. */

import { lookOf } from './markPainter.js';

/**
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {import('./markPainter.js').Context} Context
 */

/** In device pixels: what is broader has a shape. */
const THIN = 1;
const NEAR = 0.7;

export class ThinLines {
  #context;
  #scale;
  #color = '';
  #width = 0;

  /** @param {Context} context in points of the plane @param {number} scale device pixels a point */
  constructor(context, scale) {
    this.#context = context;
    this.#scale = scale;
  }

  /** @param {Mark} mark @returns {boolean} whether it is painted, or will be with the next or at the end */
  paint(mark) {
    if (!('points' in mark) || mark.width * this.#scale > THIN || lookOf(mark).alpha < 1) return false;
    if (mark.rgb !== this.#color || mark.width !== this.#width) {
      this.end();
      this.#context.beginPath();
      [this.#color, this.#width] = [mark.rgb, mark.width];
    }
    follow(this.#context, mark.points, NEAR / this.#scale);
    return true;
  }

  /** What comes next lies above all that was painted. */
  end() {
    if (this.#width === 0) return;
    this.#context.strokeStyle = this.#color;
    this.#context.lineWidth = this.#width;
    this.#context.stroke();
    this.#width = 0;
  }
}

/** @param {Context} context @param {ArrayLike<number>} points @param {number} near */
function follow(context, points, near) {
  let [x, y] = [points[0], points[1]];
  const last = points.length - 2;
  context.moveTo(x, y);
  for (let at = 2; at < last; at += 2) {
    if (Math.abs(points[at] - x) < near && Math.abs(points[at + 1] - y) < near) continue;
    [x, y] = [points[at], points[at + 1]];
    context.lineTo(x, y);
  }
  // A dot is to be seen too.
  const isDot = x === points[last] && y === points[last + 1];
  context.lineTo(points[last] + (isDot ? near : 0), points[last + 1]);
}
