/**
 * The sheets of a page: areas of the plane, far from each other. An object belongs to the sheet in whose area its center is, so
 * neither objects nor messages name their sheet.
 */

import { cleanLine } from './cleanLine.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 *
 * @typedef {object} Sheet
 * @property {string} name '' if it has none
 * @property {number} order sheets are shown in this order, then in that of their numbers
 * @property {boolean} isRemoved true if it is not shown; its objects stay where they are
 */

/** The type of the messages with the name and the order of a sheet. */
export const SHEET_TYPE = 'SheetMessage';
/** The side of an area, in points. */
export const SIDE = 100_000;
/** The number of rings of areas around the first one. Their outer sides are within the bounds of the plane. */
const RINGS = 9;
/** The maximum number of sheets. */
export const MAX_SHEETS = (2 * RINGS + 1) ** 2;
/** The maximum number of characters of a sheet's name. */
export const MAX_SHEET_NAME_LENGTH = 40;
/** The bound of a sheet's `order`. */
export const MAX_ORDER = 1e9;

/** The columns and rows by the number of the sheet, less 1: a spiral around the first one. @type {[number, number][]} */
const CELLS = spiral();
/** The numbers of the sheets by column and row. */
const NUMBERS = new Map(CELLS.map(([column, row], at) => [`${column},${row}`, at + 1]));

/** @returns {[number, number][]} the cells of a spiral that runs right, down, left and up around the first cell */
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

/** @param {number} number @returns {Sheet} the sheet before its name or its order was changed */
export function defaultSheet(number) {
  return { name: '', order: number, isRemoved: false };
}

/** @param {string} typed @returns {string} the name of a sheet; '' if nothing in it is visible */
export function cleanSheetName(typed) {
  return cleanLine(typed, MAX_SHEET_NAME_LENGTH);
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
