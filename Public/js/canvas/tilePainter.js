/** Holds all that is drawn and paints any part of it. Knows no document: a worker does it, or the page in slices. */

import { LooseGrid } from './markIndex.js';
import { paintMark } from './markPainter.js';
import { drawnBefore } from './stroke.js';
import { ThinLines } from './thinLines.js';
import { hear } from './tileData.js';

/**
 * @typedef {import('./markPainter.js').Context} Context
 * @typedef {import('./tileData.js').Placed} Placed
 * @typedef {import('./tileData.js').Told} Told
 * @typedef {{ scale: number, left: number, top: number, size: number }} Part of the plane: device pixels a point, and a square of these
 */

/** So many are painted between two looks at the clock. */
const STEP = 50;

export class TilePainter {
  /** @type {LooseGrid<Placed>} */
  #grid = new LooseGrid();
  /** @type {Map<string, Placed>} */
  #placed = new Map();

  /** What is already there under the same id makes room. @param {Told[]} told @param {Float64Array} numbers */
  put(told, numbers) {
    for (const one of hear(told, numbers)) {
      this.#drop(one.id);
      this.#placed.set(one.id, one);
      this.#grid.put(one);
    }
  }

  /** @param {string[]} ids */
  drop(ids) {
    for (const id of ids) this.#drop(id);
  }

  /** @param {Context} context @param {Part} part @returns {Generator<void>} stops now and then */
  *paint(context, { scale, left, top, size }) {
    const bounds = { left: left / scale, top: top / scale, right: (left + size) / scale, bottom: (top + size) / scale };
    const all = this.#grid.within(bounds).sort(drawnBefore);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, size, size);
    context.setTransform(scale, 0, 0, scale, -left, -top);
    const lines = new ThinLines(context, scale);
    for (const [at, { mark, image, bounds }] of all.entries()) {
      if (at % STEP === STEP - 1) yield;
      if (mark && lines.paint(mark)) continue;
      lines.end();
      // A copy: the paths that are made for a mark are kept as long as it is, and these would be too many.
      if (mark) paintMark(context, 'text' in mark ? mark : { ...mark });
      else if (image) {
        context.drawImage(image, bounds.left, bounds.top, bounds.right - bounds.left, bounds.bottom - bounds.top);
      }
    }
    lines.end();
  }

  /** @param {string} id */
  #drop(id) {
    const placed = this.#placed.get(id);
    if (!placed) return;
    this.#placed.delete(id);
    this.#grid.remove(placed);
    if (placed.image && 'close' in placed.image) placed.image.close();
  }
}
