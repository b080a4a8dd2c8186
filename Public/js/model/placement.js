/**
 * The placement of a picture or a file on the page: in an attachment's metadata, and as `ImagePlacementMessage`.
 *
 * `location` is the center, not a corner, as in Apple's sample, where it is the position of a view. A picture whose metadata has
 * only a `location` is shown as in the sample, within 250 × 250 points.
 */

import { readAngle } from './rotation.js';
import { onPlane as within, rounded } from './stroke.js';
import { isPoint } from '../protocol/shapeMessages.js';

/** The message type of a placement. */
export const PLACEMENT_TYPE = 'ImagePlacementMessage';
/** The maximum side of a picture without a size, in points. */
export const DEFAULT_SIDE = 250;
export const MIN_SIDE = 8;
export const MAX_SIDE = 100_000;

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {{ width: number, height: number }} Size
 *
 * A placement as it was received, in points of the plane. Size and `z` may be missing.
 * @typedef {object} PartialPlacement
 * @property {number} x of the center
 * @property {number} y
 * @property {number | null} width null: missing
 * @property {number | null} height
 * @property {number | null} z strokes and items are drawn in the order of `z`, then of the id; null: missing
 * @property {number} [angle] the rotation about the center, in degrees, clockwise; missing: 0
 * @property {boolean} [isLocked] true if nobody can select or remove it
 *
 * @typedef {PartialPlacement & Size & { z: number }} Placement a complete placement
 */

/** @param {unknown} value metadata, or a message @returns {PartialPlacement | null} null: it has no location */
export function readPlacement(value) {
  if (!value || typeof value !== 'object') return null;
  const { location, width, height, z, angle, locked } = /** @type {Record<string, unknown>} */ (value);
  if (!isPoint(location)) return null;
  const turn = readAngle(angle);
  const isSized = isSide(width) && isSide(height);
  return {
    x: location[0],
    y: location[1],
    width: isSized ? width : null,
    height: isSized ? height : null,
    z: Number.isSafeInteger(z) && Number(z) >= 0 ? Number(z) : null,
    ...turn && { angle: turn },
    ...locked === true && { isLocked: true },
  };
}

/**
 * @param {Placement} place `onPlane`
 * @returns {{ location: [number, number], width: number, height: number, z: number, angle?: number, locked?: boolean }} the
 *   message
 */
export function placementMessage({ x, y, width, height, z, angle, isLocked }) {
  return { location: [x, y], width, height, z, ...angle && { angle }, ...isLocked && { locked: true } };
}

/** @param {Uint8Array} payload @returns {{ id: unknown, placement: PartialPlacement } | null} */
export function decodePlacement(payload) {
  try {
    const message = JSON.parse(new TextDecoder().decode(payload));
    const placement = readPlacement(message);
    return placement && { id: message.id, placement };
  } catch {
    return null;
  }
}

/** @param {string} id @param {Placement} place @returns {Uint8Array} */
export function encodePlacement(id, place) {
  return new TextEncoder().encode(JSON.stringify({ id, ...placementMessage(place) }));
}

/**
 * Returns the position of an item without a location: near the origin, different for each id, and the same on every page.
 * @param {string} id @returns {{ x: number, y: number }}
 */
export function fallbackPosition(id) {
  const number = Number.parseInt(id.slice(0, 8), 16) || 0;
  return { x: 200 + 60 * (number % 8), y: 200 + 60 * ((number >>> 3) % 5) };
}

/**
 * Rounds a placement to hundredths of a point and limits its center to the plane, so that all participants have the same numbers.
 * @param {Placement} place @returns {Placement}
 */
export function onPlane({ x, y, width, height, ...rest }) {
  return { x: within(x), y: within(y), width: rounded(width), height: rounded(height), ...rest };
}

/**
 * @param {Size} size @param {Size} room
 * @returns {Size} the largest size that fits, with the same aspect ratio; never larger than the original
 */
export function fitInto({ width, height }, room) {
  const scale = Math.min(1, room.width / width, room.height / height);
  return { width: width * scale, height: height * scale };
}

/** @param {{ x: number, y: number } & Size} place @returns {Bounds} */
export function boundsOf({ x, y, width, height }) {
  return { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
}

/** @param {unknown} value @returns {value is number} */
function isSide(value) {
  return typeof value === 'number' && value > 0 && value <= MAX_SIDE;
}
