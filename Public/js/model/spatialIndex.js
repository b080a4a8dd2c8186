/** A spatial index: a loose grid with several levels of cells. */

import { overlap } from './stroke.js';

/** @typedef {import('./stroke.js').Bounds} Bounds */

/** The side of a cell in the finest grid, in points. Each coarser grid has cells four times as wide. */
const CELL = 128;
const FACTOR = 4;
/** The offset that makes cell numbers positive, so that a row and a column fit into one number. */
const MIDDLE = 2 ** 20;

/**
 * Each element is in one cell of a grid whose cells are at least as large as the element. It may extend beyond its cell by half a
 * cell, so a search covers that much more.
 * @template {{ bounds: Bounds }} T
 */
export class SpatialIndex {
  /** @type {Map<number, Set<T>>[]} grids by level, each a map of its cells */
  #levels = [];
  /** @type {Map<T, { level: number, key: number }>} */
  #places = new Map();

  get size() {
    return this.#places.size;
  }

  /** @returns {Iterable<T>} in the order of insertion */
  get all() {
    return this.#places.keys();
  }

  /** Inserts an element, or moves it to another cell if its bounds changed. @param {T} one */
  put(one) {
    const { left, top, right, bottom } = one.bounds;
    const size = Math.max(right - left, bottom - top);
    const level = size > CELL ? Math.ceil(Math.log(size / CELL) / Math.log(FACTOR)) : 0;
    const cell = CELL * FACTOR ** level;
    const key = keyOf(Math.floor((left + right) / 2 / cell), Math.floor((top + bottom) / 2 / cell));
    const before = this.#places.get(one);
    if (before?.level === level && before.key === key) return;
    if (before) this.remove(one);
    const cells = this.#levels[level] ??= new Map();
    const found = cells.get(key);
    if (found) found.add(one);
    else cells.set(key, new Set([one]));
    this.#places.set(one, { level, key });
  }

  /** @param {T} one */
  remove(one) {
    const place = this.#places.get(one);
    if (!place) return;
    const cells = this.#levels[place.level];
    const cell = cells.get(place.key);
    cell?.delete(one);
    if (cell?.size === 0) cells.delete(place.key);
    this.#places.delete(one);
  }

  clear() {
    this.#levels = [];
    this.#places.clear();
  }

  /** @param {Bounds} bounds @returns {T[]} the elements whose bounds overlap these, in no order */
  within(bounds) {
    /** @type {T[]} */
    const found = [];
    // `forEach` skips levels that were never used.
    this.#levels.forEach((cells, level) => {
      for (const ones of cellsWithin(cells, CELL * FACTOR ** level, bounds)) {
        for (const one of ones) if (overlap(one.bounds, bounds)) found.push(one);
      }
    });
    return found;
  }
}

/**
 * @template T @param {Map<number, Set<T>>} cells @param {number} cell its size @param {Bounds} bounds @returns {Iterable<Set<T>>}
 */
function cellsWithin(cells, cell, { left, top, right, bottom }) {
  const [fromX, toX] = [Math.floor(left / cell - 0.5), Math.floor(right / cell + 0.5)];
  const [fromY, toY] = [Math.floor(top / cell - 0.5), Math.floor(bottom / cell + 0.5)];
  // If the bounds cover more cells than exist, it is faster to visit all.
  if ((toX - fromX + 1) * (toY - fromY + 1) >= cells.size) return cells.values();
  const found = [];
  for (let x = fromX; x <= toX; x += 1) {
    for (let y = fromY; y <= toY; y += 1) {
      const ones = cells.get(keyOf(x, y));
      if (ones) found.push(ones);
    }
  }
  return found;
}

/** @param {number} x @param {number} y of a cell */
function keyOf(x, y) {
  return (x + MIDDLE) * 2 * MIDDLE + y + MIDDLE;
}

/** @typedef {import('./shapes.js').Shape} Shape */

/**
 * A spatial index of the visible shapes, without the locked ones: finds those near a point or within an area. Observes `Shapes`.
 */
export class ShapeIndex {
  /** @type {SpatialIndex<Shape>} */
  #grid = new SpatialIndex();

  /** @param {Shape} shape */
  shown(shape) {
    if (!shape.isLocked) this.#grid.put(shape);
  }

  /** @param {Shape} shape */
  changed(shape) {
    this.shown(shape);
  }

  /** @param {Shape} shape */
  hidden(shape) {
    this.#grid.remove(shape);
  }

  /** @param {Bounds} bounds @returns {Shape[]} the shapes whose bounds overlap these, in no order */
  within(bounds) {
    return this.#grid.within(bounds);
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {Shape[]} the shapes within `reach` of the segment, including their own width
   */
  near(from, to, reach) {
    const around = this.within({
      left: Math.min(from[0], to[0]) - reach,
      top: Math.min(from[1], to[1]) - reach,
      right: Math.max(from[0], to[0]) + reach,
      bottom: Math.max(from[1], to[1]) + reach,
    });
    return around.filter((shape) => shape.touches(from, to, reach));
  }
}
