/** Which marks are near a point or in a part of the plane, without looking at each. Watches `Marks`. */

import { LooseGrid } from './looseGrid.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./marks.js').Mark} Mark
 */

export class MarkIndex {
  /** @type {LooseGrid<Mark>} */
  #grid = new LooseGrid();

  /** @param {Mark} mark */
  shown(mark) {
    this.#grid.put(mark);
  }

  /** @param {Mark} mark */
  changed(mark) {
    this.#grid.put(mark);
  }

  /** @param {Mark} mark */
  hidden(mark) {
    this.#grid.remove(mark);
  }

  /** @param {Bounds} bounds @returns {Mark[]} those whose bounds meet these, in no order */
  within(bounds) {
    return this.#grid.within(bounds);
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {Mark[]} those that come within `reach` of it, their own width counted
   */
  near(from, to, reach) {
    const around = this.within({
      left: Math.min(from[0], to[0]) - reach,
      top: Math.min(from[1], to[1]) - reach,
      right: Math.max(from[0], to[0]) + reach,
      bottom: Math.max(from[1], to[1]) + reach,
    });
    return around.filter((mark) => mark.touches(from, to, reach));
  }
}
