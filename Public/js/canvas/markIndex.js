/** Which strokes are near a point, without looking at each: a grid of cells, each knowing the strokes in it. */

/** @typedef {import('./stroke.js').Stroke} Stroke */

const CELL = 96;
/** A stroke in more cells than this is looked at always: entering them all would cost more than it saves. */
const MAXIMUM_CELLS = 4096;

/** Watches `Marks`. */
export class MarkIndex {
  /** @type {Map<string, Set<Stroke>>} */
  #cells = new Map();
  /** @type {Map<Stroke, { cells: string[], points: number }>} */
  #entered = new Map();
  /** @type {Set<Stroke>} */
  #everywhere = new Set();

  /** @param {Stroke} stroke */
  shown(stroke) {
    const cells = cellsOf(stroke, 0);
    this.#entered.set(stroke, { cells: [], points: stroke.length });
    this.#enter(stroke, cells);
  }

  /** @param {Stroke} stroke */
  changed(stroke) {
    const entered = this.#entered.get(stroke);
    if (!entered || entered.points === stroke.length) return;
    this.#enter(stroke, cellsOf(stroke, Math.max(0, entered.points - 1)));
    entered.points = stroke.length;
  }

  /** @param {Stroke} stroke */
  hidden(stroke) {
    for (const cell of this.#entered.get(stroke)?.cells ?? []) {
      const strokes = this.#cells.get(cell);
      strokes?.delete(stroke);
      if (strokes?.size === 0) this.#cells.delete(cell);
    }
    this.#entered.delete(stroke);
    this.#everywhere.delete(stroke);
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {Stroke[]} those that come within `reach` of it, their own width counted
   */
  near(from, to, reach) {
    const candidates = new Set(this.#everywhere);
    const left = Math.floor((Math.min(from[0], to[0]) - reach) / CELL) - 1;
    const right = Math.floor((Math.max(from[0], to[0]) + reach) / CELL) + 1;
    const top = Math.floor((Math.min(from[1], to[1]) - reach) / CELL) - 1;
    const bottom = Math.floor((Math.max(from[1], to[1]) + reach) / CELL) + 1;
    if ((right - left) * (bottom - top) > MAXIMUM_CELLS) {
      return [...this.#entered.keys()].filter((one) => one.touches(from, to, reach));
    }
    for (let x = left; x <= right; x += 1) {
      for (let y = top; y <= bottom; y += 1) {
        for (const stroke of this.#cells.get(`${x},${y}`) ?? []) candidates.add(stroke);
      }
    }
    return [...candidates].filter((stroke) => stroke.touches(from, to, reach));
  }

  /** @param {Stroke} stroke @param {Set<string> | null} cells */
  #enter(stroke, cells) {
    const entered = this.#entered.get(stroke);
    if (!entered || this.#everywhere.has(stroke)) return;
    if (!cells || entered.cells.length + cells.size > MAXIMUM_CELLS) {
      this.#everywhere.add(stroke);
      return;
    }
    for (const cell of cells) {
      const strokes = this.#cells.get(cell);
      if (strokes?.has(stroke)) continue;
      if (strokes) strokes.add(stroke);
      else this.#cells.set(cell, new Set([stroke]));
      entered.cells.push(cell);
    }
  }
}

/** @param {Stroke} stroke @param {number} first index of a point @returns {Set<string> | null} null: too many */
function cellsOf(stroke, first) {
  const { points } = stroke;
  /** @type {Set<string>} */
  const cells = new Set();
  for (let at = 2 * first; at < points.length; at += 2) {
    const [x, y] = [points[at], points[at + 1]];
    const next = at + 2 < points.length ? at + 2 : at;
    // Half a cell at a time; neighbours are asked too, so none is missed.
    const steps = Math.ceil(Math.hypot(points[next] - x, points[next + 1] - y) / (CELL / 2)) || 1;
    if (steps + cells.size > MAXIMUM_CELLS) return null;
    for (let step = 0; step <= steps; step += 1) {
      const part = step / steps;
      const cellX = Math.floor((x + (points[next] - x) * part) / CELL);
      const cellY = Math.floor((y + (points[next + 1] - y) * part) / CELL);
      cells.add(`${cellX},${cellY}`);
    }
  }
  return cells;
}
