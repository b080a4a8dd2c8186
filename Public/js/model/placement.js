/**
 * Where a picture or a file lies on the page: in an attachment's metadata, and as `ImagePlacementMessage`.
 *
 * `location` is the middle of it, not a corner: the sample gives it to a view's position, and that is its middle. A picture
 * that says no more than this is shown as the sample shows it, within 250 × 250 points.
 */

import { onPlane as within, rounded } from './stroke.js';
import { isPoint } from '../protocol/shapeMessages.js';

/** Its type on the wire. */
export const PLACEMENT_TYPE = 'ImagePlacementMessage';
/** As large as a picture of unknown size is shown at most, in points. */
export const DEFAULT_SIDE = 250;
export const MINIMUM_SIDE = 8;
export const MAXIMUM_SIDE = 100_000;

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {{ width: number, height: number }} Size
 *
 * @typedef {object} Placement in points of the plane
 * @property {number} x of the middle
 * @property {number} y
 * @property {number | null} width null: it was not said
 * @property {number | null} height
 * @property {number | null} z drawn in the order of `z`, then of the id, among the strokes; null: it was not said
 *
 * @typedef {Placement & Size & { z: number }} Place one of which all is known
 */

/** @param {unknown} value metadata, or a message @returns {Placement | null} null: it says no place */
export function readPlacement(value) {
  if (!value || typeof value !== 'object') return null;
  const { location, width, height, z } = /** @type {Record<string, unknown>} */ (value);
  if (!isPoint(location)) return null;
  const isSized = isSide(width) && isSide(height);
  return {
    x: location[0],
    y: location[1],
    width: isSized ? width : null,
    height: isSized ? height : null,
    z: Number.isSafeInteger(z) && Number(z) >= 0 ? Number(z) : null,
  };
}

/** @param {Place} place `onPlane` @returns {{ location: [number, number], width: number, height: number, z: number }} as it is sent */
export function placementMessage({ x, y, width, height, z }) {
  return { location: [x, y], width, height, z };
}

/** @param {Uint8Array} payload @returns {{ id: unknown, placement: Placement } | null} */
export function decodePlacement(payload) {
  try {
    const message = JSON.parse(new TextDecoder().decode(payload));
    const placement = readPlacement(message);
    return placement && { id: message.id, placement };
  } catch {
    return null;
  }
}

/** @param {string} id @param {Place} place @returns {Uint8Array} */
export function encodePlacement(id, place) {
  return new TextEncoder().encode(JSON.stringify({ id, ...placementMessage(place) }));
}

/**
 * Something that says no place: near where one begins, several not upon each other, on every page the same.
 * @param {string} id @returns {{ x: number, y: number }}
 */
export function madeUpPlace(id) {
  const number = Number.parseInt(id.slice(0, 8), 16) || 0;
  return { x: 200 + 60 * (number % 8), y: 200 + 60 * ((number >>> 3) % 5) };
}

/** @param {Place} place @returns {Place} as it is sent, so that all have the same: its middle within the plane, in hundredths */
export function onPlane({ x, y, width, height, z }) {
  return { x: within(x), y: within(y), width: rounded(width), height: rounded(height), z };
}

/** @param {{ x: number, y: number } & Size} place @returns {Bounds} */
export function boundsOf({ x, y, width, height }) {
  return { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
}

/** @param {unknown} value @returns {value is number} */
function isSide(value) {
  return typeof value === 'number' && value > 0 && value <= MAXIMUM_SIDE;
}

/** A hand that is not heard of any more has let go. */
const PULL_MS = 5000;

/** Where pictures and files were put since they were added: what the session holds, what others pull at, and over it one's own. */
export class Placements {
  /** @type {Map<string, Placement>} what the session holds */
  #confirmed = new Map();
  /** @type {Map<string, Placement> | null} the same while it is told anew */
  #incoming = null;
  /** @type {Map<string, { placement: Placement, by: number, until: number }>} what others pull at right now */
  #pulls = new Map();
  /** @type {Map<string, { place: Place, pending: number, isHeld: boolean }>} */
  #own = new Map();

  /** @param {string} id @returns {Placement | null} null: where it was added */
  of(id) {
    return this.#own.get(id)?.place ?? this.#pulls.get(id)?.placement ?? this.#confirmed.get(id) ?? null;
  }

  /** @param {string} id @returns {Placement | null} the same, whoever else pulls at it */
  lying(id) {
    return this.#own.get(id)?.place ?? this.#confirmed.get(id) ?? null;
  }

  /** @param {string} id @returns {boolean} whether the session holds one, or will */
  isSaid(id) {
    return this.#confirmed.has(id) || (this.#own.get(id)?.pending ?? 0) > 0;
  }

  // What the session says, in its order.

  beginSnapshot() {
    this.#incoming = new Map();
  }

  endSnapshot() {
    if (this.#incoming) this.#confirmed = this.#incoming;
    this.#incoming = null;
  }

  /** @param {string} id @param {Placement} placement @param {number} by a participant's number */
  confirm(id, placement, by) {
    (this.#incoming ?? this.#confirmed).set(id, placement);
    if (this.#pulls.get(id)?.by === by) this.#pulls.delete(id);
  }

  /** @param {string} id */
  confirmRemoval(id) {
    (this.#incoming ?? this.#confirmed).delete(id);
  }

  /** Somebody pulls at it. @param {string} id @param {Placement} placement @param {number} by @param {number} now */
  pull(id, placement, by, now) {
    this.#pulls.set(id, { placement, by, until: now + PULL_MS });
  }

  /** @param {number} now @returns {string[]} ids of those nobody pulls at any more: they are back where they were */
  letGo(now) {
    const over = [...this.#pulls].filter(([, { until }]) => until <= now).map(([id]) => id);
    for (const id of over) this.#pulls.delete(id);
    return over;
  }

  get isPulled() {
    return this.#pulls.size > 0;
  }

  // What this person does, at once.

  /** @param {string} id @param {Place} place while it is held */
  hold(id, place) {
    const own = this.#own.get(id);
    this.#own.set(id, { place, pending: own?.pending ?? 0, isHeld: true });
  }

  /** @param {string} id */
  release(id) {
    const own = this.#own.get(id);
    if (!own) return;
    own.isHeld = false;
    this.#settle(id);
  }

  /** It is put there, and that is on its way to the session. @param {string} id @param {Place} place */
  put(id, place) {
    const own = this.#own.get(id);
    this.#own.set(id, { place, pending: (own?.pending ?? 0) + 1, isHeld: false });
  }

  /** It was put there before, and that is on its way once more. @param {string} id @param {Place} place */
  again(id, place) {
    const { pending = 0, isHeld = false } = this.#own.get(id) ?? {};
    this.#own.set(id, { place, pending: pending + 1, isHeld });
  }

  /** The session took it, or never will. @param {string} id */
  settled(id) {
    const own = this.#own.get(id);
    if (!own) return;
    own.pending = Math.max(0, own.pending - 1);
    this.#settle(id);
  }

  /** It is gone. @param {string} id */
  forget(id) {
    for (const space of [this.#confirmed, this.#pulls, this.#own]) space.delete(id);
  }

  clear() {
    for (const space of [this.#confirmed, this.#pulls, this.#own]) space.clear();
    this.#incoming = null;
  }

  /** @param {string} id */
  #settle(id) {
    const own = this.#own.get(id);
    if (own && own.pending === 0 && !own.isHeld) this.#own.delete(id);
  }
}
