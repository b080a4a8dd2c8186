/** Movements of the plane: every point times a factor, and then by so much. */

import { MAXIMUM_SIDE, MINIMUM_SIDE, onPlane } from './placement.js';
import { isPoint } from './strokeMessage.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Motion} Motion
 * @typedef {import('./placement.js').Place} Place
 */

/** @type {Readonly<Motion>} */
export const STILL = Object.freeze({ factor: 1, x: 0, y: 0 });
/** Of a factor that is believed, and one in it. */
const MOST_TIMES = 10_000;

/** @param {Motion} motion @returns {Motion} there and back again is nowhere */
export function inverse({ factor, x, y }) {
  return { factor: 1 / factor, x: -x / factor, y: -y / factor };
}

/** @param {Motion} first @param {Motion} then @returns {Motion} both, one after the other */
export function joined(first, then) {
  const { factor, x, y } = then;
  return { factor: first.factor * factor, x: first.x * factor + x, y: first.y * factor + y };
}

/** @param {number} factor @param {number} x @param {number} y what stays @returns {Motion} */
export function growth(factor, x, y) {
  return { factor, x: x * (1 - factor), y: y * (1 - factor) };
}

/** @param {Place} place @param {Motion} motion @param {boolean} isPicture a card stays as large as it is @returns {Place} */
export function movedPlace(place, { factor, x, y }, isPicture) {
  const { width, height } = place;
  const least = Math.min(1, MINIMUM_SIDE / Math.min(width, height));
  const most = Math.max(1, MAXIMUM_SIDE / Math.max(width, height));
  const times = isPicture ? Math.min(most, Math.max(least, factor)) : 1;
  const moved = { x: place.x * factor + x, y: place.y * factor + y, width: width * times, height: height * times };
  return onPlane({ ...moved, z: place.z });
}

/** @param {Bounds} bounds @param {Motion} motion @returns {Bounds} */
export function movedBounds({ left, top, right, bottom }, { factor, x, y }) {
  return { left: left * factor + x, top: top * factor + y, right: right * factor + x, bottom: bottom * factor + y };
}

/** @param {unknown} factor @param {unknown} point @returns {Motion | null} null: it is none */
export function readMotion(factor, point) {
  if (typeof factor !== 'number' || !(factor >= 1 / MOST_TIMES && factor <= MOST_TIMES) || !isPoint(point)) return null;
  return { factor, x: point[0], y: point[1] };
}
