/**
 * The sheets of a page: areas of the plane, far from each other. An object belongs to the sheet in whose area its center is, so
 * neither objects nor messages name their sheet.
 */

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {{ x: number, y: number, scale: number }} View the top left of the visible part of the plane, and pixels per point
 */

/** The side of an area, in points. */
export const SIDE = 100_000;
/** The number of rings of areas around the first one. Their outer sides are within the bounds of the plane. */
const RINGS = 9;
/** The maximum number of sheets. */
export const MAX_SHEETS = (2 * RINGS + 1) ** 2;
/** The distance of views from the border, so that an object that extends beyond it is not visible on the next sheet. */
const GUTTER = 1000;

/** The columns and rows by the number of the sheet, less 1: a spiral around the first one. @type {[number, number][]} */
const CELLS = spiral();
/** The numbers of the sheets by column and row. */
const NUMBERS = new Map(CELLS.map(([column, row], at) => [`${column},${row}`, at + 1]));

/** @returns {[number, number][]} right, down, left and up, around the first one */
function spiral() {
  /** @type {[number, number][]} */
  const cells = [[0, 0]];
  let [column, row] = [0, 0];
  let [right, down] = [1, 0];
  for (let length = 1; cells.length < MAX_SHEETS; length += 1) {
    // Each length of a side occurs twice in a spiral.
    for (let side = 0; side < 2; side += 1) {
      for (let step = 0; step < length && cells.length < MAX_SHEETS; step += 1) {
        [column, row] = [column + right, row + down];
        cells.push([column, row]);
      }
      [right, down] = [-down, right];
    }
  }
  return cells;
}

/** @param {unknown} number @returns {number is number} */
export function isSheet(number) {
  return Number.isInteger(number) && /** @type {number} */ (number) >= 1 && /** @type {number} */
    (number) <= MAX_SHEETS;
}

/** @param {number} number @returns {[number, number]} the point of the plane that is the origin of a sheet: the center of its area */
export function originOf(number) {
  const [column, row] = CELLS[number - 1];
  return [column * SIDE, row * SIDE];
}

/** @param {number} x @param {number} y of the plane @returns {number} the sheet; at the border of the plane, the nearest one */
export function sheetAt(x, y) {
  const place = (/** @type {number} */ value) => Math.max(-RINGS, Math.min(RINGS, Math.round(value / SIDE) || 0));
  return NUMBERS.get(`${place(x)},${place(y)}`) ?? 1;
}

/** @param {Bounds} bounds @returns {number} the sheet of an object */
export function sheetOf({ left, top, right, bottom }) {
  return sheetAt((left + right) / 2, (top + bottom) / 2);
}

/**
 * Returns the offset that brings something from its place on a sheet to the same place on another sheet.
 * @param {number} from @param {number} to @returns {[number, number]}
 */
export function offsetBetween(from, to) {
  const [[x, y], [toX, toY]] = [originOf(from), originOf(to)];
  return [toX - x, toY - y];
}

/**
 * Keeps a view on a sheet.
 * @param {View} view @param {number} number of the sheet @param {number} width @param {number} height of the canvas, in pixels
 * @returns {View} the nearest view that shows nothing else
 */
export function viewOn({ x, y, scale }, number, width, height) {
  const reach = SIDE / 2 - GUTTER;
  const allowed = Math.max(scale, width / (2 * reach), height / (2 * reach));
  const along = (/** @type {number} */ start, /** @type {number} */ origin, /** @type {number} */ length) => {
    // A limited scale keeps the center of the view.
    const centered = start + (length / scale - length / allowed) / 2;
    return Math.max(origin - reach, Math.min(origin + reach - length / allowed, centered));
  };
  const [originX, originY] = originOf(number);
  return { x: along(x, originX, width), y: along(y, originY, height), scale: allowed };
}
