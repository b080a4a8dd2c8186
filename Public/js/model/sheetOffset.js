/** The way from one sheet to another. */

import { originOf } from './sheets.js';

/**
 * Returns the offset that brings something from its place on a sheet to the same place on another sheet.
 * @param {number} from @param {number} to @returns {[number, number]}
 */
export function offsetBetween(from, to) {
  const [[x, y], [toX, toY]] = [originOf(from), originOf(to)];
  return [toX - x, toY - y];
}
