/**
 * The placement of a picture or a file on the page: in an attachment's metadata, and as `ImagePlacementMessage`.
 *
 * `location` is the center, not a corner, as in Apple's sample, where it is the position of a view. A picture whose metadata has
 * only a `location` is shown as in the sample, within 250 × 250 points.
 */

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
 *
 * @typedef {PartialPlacement & Size & { z: number }} Placement a complete placement
 */

/** @param {unknown} value metadata, or a message @returns {PartialPlacement | null} null: it has no location */
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

/**
 * @param {Placement} place `onPlane`
 * @returns {{ location: [number, number], width: number, height: number, z: number }} the message
 */
export function placementMessage({ x, y, width, height, z }) {
  return { location: [x, y], width, height, z };
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
export function onPlane({ x, y, width, height, z }) {
  return { x: within(x), y: within(y), width: rounded(width), height: rounded(height), z };
}

/** @param {{ x: number, y: number } & Size} place @returns {Bounds} */
export function boundsOf({ x, y, width, height }) {
  return { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
}

/** @param {unknown} value @returns {value is number} */
function isSide(value) {
  return typeof value === 'number' && value > 0 && value <= MAX_SIDE;
}

/** A remote drag ends after this time without a message about it. */
const REMOTE_DRAG_TIMEOUT_MS = 5000;

/**
 * The placements of items that were moved after they were added: the confirmed ones, over them the drags of others, and over both
 * this person's own.
 */
export class PlacementOverlay {
  /** @type {Map<string, PartialPlacement>} confirmed by the session */
  #confirmed = new Map();
  /** @type {Map<string, PartialPlacement> | null} the placements of a snapshot that is still arriving */
  #incoming = null;
  /**
   * @type {Map<string, { placement: PartialPlacement, by: number, until: number }>} by item id, the drags of other participants
   */
  #remoteDrags = new Map();
  /** @type {Map<string, { place: Placement, pending: number, isDragged: boolean }>} */
  #pendingEdits = new Map();

  /** @param {string} id @returns {PartialPlacement | null} the displayed placement; null: the item was not moved */
  of(id) {
    return this.#pendingEdits.get(id)?.place ?? this.#remoteDrags.get(id)?.placement ?? this.#confirmed.get(id) ?? null;
  }

  /** @param {string} id @returns {PartialPlacement | null} its placement without the drags of others */
  base(id) {
    return this.#pendingEdits.get(id)?.place ?? this.#confirmed.get(id) ?? null;
  }

  /** @param {string} id @returns {boolean} true if the session has a placement, or will have one */
  isSent(id) {
    return this.#confirmed.has(id) || (this.#pendingEdits.get(id)?.pending ?? 0) > 0;
  }

  // Changes from the session, in its order.

  beginSnapshot() {
    this.#incoming = new Map();
  }

  endSnapshot() {
    if (this.#incoming) this.#confirmed = this.#incoming;
    this.#incoming = null;
  }

  /** @param {string} id @param {PartialPlacement} placement @param {number} by a participant's number */
  confirm(id, placement, by) {
    (this.#incoming ?? this.#confirmed).set(id, placement);
    if (this.#remoteDrags.get(id)?.by === by) this.#remoteDrags.delete(id);
  }

  /** @param {string} id */
  confirmRemoval(id) {
    (this.#incoming ?? this.#confirmed).delete(id);
  }

  /**
   * Shows an item where another participant drags it.
   * @param {string} id @param {PartialPlacement} placement @param {number} by @param {number} now
   */
  dragRemotely(id, placement, by, now) {
    this.#remoteDrags.set(id, { placement, by, until: now + REMOTE_DRAG_TIMEOUT_MS });
  }

  /** @param {number} now @returns {string[]} the ids of items whose remote drag timed out */
  expireRemoteDrags(now) {
    const over = [...this.#remoteDrags].filter(([, { until }]) => until <= now).map(([id]) => id);
    for (const id of over) this.#remoteDrags.delete(id);
    return over;
  }

  get hasRemoteDrags() {
    return this.#remoteDrags.size > 0;
  }

  // Changes of this person, displayed at once.

  /** Shows an item where this person drags it. @param {string} id @param {Placement} place */
  drag(id, place) {
    const edit = this.#pendingEdits.get(id);
    this.#pendingEdits.set(id, { place, pending: edit?.pending ?? 0, isDragged: true });
  }

  /** @param {string} id */
  endDrag(id) {
    const edit = this.#pendingEdits.get(id);
    if (!edit) return;
    edit.isDragged = false;
    this.#removeIfSettled(id);
  }

  /** Ends a drag with a new placement, which is being sent to the session. @param {string} id @param {Placement} place */
  commit(id, place) {
    const edit = this.#pendingEdits.get(id);
    this.#pendingEdits.set(id, { place, pending: (edit?.pending ?? 0) + 1, isDragged: false });
  }

  /** Counts a placement that is sent again, for example after a reload. @param {string} id @param {Placement} place */
  restorePending(id, place) {
    const { pending = 0, isDragged = false } = this.#pendingEdits.get(id) ?? {};
    this.#pendingEdits.set(id, { place, pending: pending + 1, isDragged });
  }

  /** Counts a placement as accepted or refused by the session. @param {string} id */
  acknowledge(id) {
    const edit = this.#pendingEdits.get(id);
    if (!edit) return;
    edit.pending = Math.max(0, edit.pending - 1);
    this.#removeIfSettled(id);
  }

  /** Drops everything about a removed item. @param {string} id */
  delete(id) {
    for (const space of [this.#confirmed, this.#remoteDrags, this.#pendingEdits]) space.delete(id);
  }

  clear() {
    for (const space of [this.#confirmed, this.#remoteDrags, this.#pendingEdits]) space.clear();
    this.#incoming = null;
  }

  /** @param {string} id */
  #removeIfSettled(id) {
    const edit = this.#pendingEdits.get(id);
    if (edit && edit.pending === 0 && !edit.isDragged) this.#pendingEdits.delete(id);
  }
}
