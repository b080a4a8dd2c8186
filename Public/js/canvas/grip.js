/** Where one takes hold of what lies on the page, and what becomes of it by a pull. */

import { boundsOf, MAXIMUM_SIDE, MINIMUM_SIDE, onPlane } from './placement.js';

/**
 * @typedef {import('./placement.js').Place} Place
 * @typedef {[1 | -1, 1 | -1]} Corner to which side of the middle: right and down are 1
 */

/** @type {Corner[]} */
const CORNERS = [[-1, -1], [1, -1], [-1, 1], [1, 1]];

/** @param {Place} place @param {number} x @param {number} y @param {number} [slack] points around it that count too */
export function contains(place, x, y, slack = 0) {
  const { left, top, right, bottom } = boundsOf(place);
  return x >= left - slack && x <= right + slack && y >= top - slack && y <= bottom + slack;
}

/**
 * The corner that is meant. Inside of it only a quarter is, so that something small can still be moved by its middle.
 * @param {Place} place @param {number} x @param {number} y @param {number} reach points @returns {Corner | null}
 */
export function cornerAt(place, x, y, reach) {
  const { width, height } = place;
  const inside = { x: Math.min(reach, width / 4), y: Math.min(reach, height / 4) };
  return CORNERS.find(([right, down]) => {
    const outX = (x - place.x) * right - width / 2;
    const outY = (y - place.y) * down - height / 2;
    return outX >= -inside.x && outX <= reach && outY >= -inside.y && outY <= reach;
  }) ?? null;
}

/** @param {Place} place @param {number} dx @param {number} dy points @returns {Place} */
export function movedBy(place, dx, dy) {
  return onPlane({ ...place, x: place.x + dx, y: place.y + dy });
}

/**
 * Pulled by a corner: the opposite one stays, and so does the shape.
 * @param {Place} place @param {Corner} corner @param {number} dx @param {number} dy by which the corner was pulled @returns {Place}
 */
export function pulled(place, [right, down], dx, dy) {
  const { width, height } = place;
  // Onto the diagonal: pulling along it counts whole, across it nothing.
  const along = (dx * right * width + dy * down * height) / (width * width + height * height);
  const { factor } = bounded(place, 1 + along);
  return onPlane({
    ...place,
    x: place.x + right * width * (factor - 1) / 2,
    y: place.y + down * height * (factor - 1) / 2,
    width: width * factor,
    height: height * factor,
  });
}

/** @param {Place} place @param {number} times around its middle @returns {Place} */
export function scaled(place, times) {
  const { factor } = bounded(place, times);
  return onPlane({ ...place, width: place.width * factor, height: place.height * factor });
}

/** @param {Place} place @param {number} factor @returns {{ factor: number }} so that neither side gets too small or too large */
function bounded({ width, height }, factor) {
  const least = Math.min(1, MINIMUM_SIDE / Math.min(width, height));
  const most = Math.max(1, MAXIMUM_SIDE / Math.max(width, height));
  return { factor: Math.min(most, Math.max(least, factor)) };
}
