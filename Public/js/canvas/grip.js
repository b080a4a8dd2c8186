/** Where one takes hold of what lies on the page, and what becomes of it by a pull. */

import { MAXIMUM_SIDE, MINIMUM_SIDE } from './placement.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {[1 | -1, 1 | -1]} Corner to which side of the middle: right and down are 1
 */

/** @type {Corner[]} */
const CORNERS = [[-1, -1], [1, -1], [-1, 1], [1, 1]];

/** @param {Bounds} bounds @param {number} x @param {number} y @param {number} [slack] points around it that count too */
export function contains({ left, top, right, bottom }, x, y, slack = 0) {
  return x >= left - slack && x <= right + slack && y >= top - slack && y <= bottom + slack;
}

/**
 * The corner that is meant. Inside of it only a quarter is, so that something small can still be moved by its middle.
 * @param {Bounds} bounds @param {number} x @param {number} y @param {number} reach points @returns {Corner | null}
 */
export function cornerAt({ left, top, right, bottom }, x, y, reach) {
  const [width, height] = [right - left, bottom - top];
  const inside = { x: Math.min(reach, width / 4), y: Math.min(reach, height / 4) };
  return CORNERS.find(([toRight, down]) => {
    const outX = (x - (left + right) / 2) * toRight - width / 2;
    const outY = (y - (top + bottom) / 2) * down - height / 2;
    return outX >= -inside.x && outX <= reach && outY >= -inside.y && outY <= reach;
  }) ?? null;
}

/**
 * Pulled by a corner: the opposite one stays, and so does the shape.
 * @param {Bounds} bounds @param {Corner} corner @param {number} dx @param {number} dy by which the corner was pulled
 * @param {boolean} isPicture no side of which may get too small
 * @returns {number} how many times as large it is then
 */
export function growthBy({ left, top, right, bottom }, [toRight, down], dx, dy, isPicture) {
  const [width, height] = [right - left, bottom - top];
  // Onto the diagonal: pulling along it counts whole, across it nothing.
  const along = (dx * toRight * width + dy * down * height) / (width * width + height * height);
  const least = Math.min(1, MINIMUM_SIDE / (isPicture ? Math.min(width, height) : Math.max(width, height)));
  const most = Math.max(1, MAXIMUM_SIDE / Math.max(width, height));
  return Math.min(most, Math.max(least, 1 + along));
}
