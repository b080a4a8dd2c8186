/** The offset between sheets. */

import { originOf } from './sheets.js';

/**
 * Returns the offset that moves an object from its position on a sheet to the same position on another sheet.
 * @param {number} from @param {number} to @returns {[number, number]}
 */
export function offsetBetween(from, to) {
  const [[x, y], [toX, toY]] = [originOf(from), originOf(to)];
  return [toX - x, toY - y];
}
