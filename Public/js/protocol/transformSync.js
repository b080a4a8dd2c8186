/** Transforms of the plane (every point is multiplied by a factor, rotated and shifted), and the messages that share drags. */

import { isKey } from '../sync/key.js';
import { isPoint } from './shapeMessages.js';
import { dragSender } from './throttledSender.js';
import { MAX_SIDE, MIN_SIDE, onPlane } from '../model/placement.js';
import { mapping, normalAngle, RADIANS, readAngle, rotationAbout } from '../model/rotation.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/placement.js').Placement} Placement
 */

/** @type {Readonly<Transform>} */
export const IDENTITY = Object.freeze({ factor: 1, x: 0, y: 0 });
/** The maximum accepted factor; the minimum is its inverse. */
const MAX_FACTOR = 10_000;

/** @param {Transform} transform @returns {Transform} the transform that undoes it */
export function inverse({ factor, x, y, angle = 0 }) {
  const linear = { factor: 1 / factor, x: 0, y: 0, ...angle && { angle: normalAngle(-angle) } };
  const [toX, toY] = mapping(linear)(-x, -y);
  return { ...linear, x: toX, y: toY };
}

/** @param {Transform} first @param {Transform} then @returns {Transform} both, in this order */
export function compose(first, then) {
  const [x, y] = mapping(then)(first.x, first.y);
  const angle = normalAngle((first.angle ?? 0) + (then.angle ?? 0));
  return { factor: first.factor * then.factor, x, y, ...angle && { angle } };
}

/**
 * Returns a transform that scales about a point.
 * @param {number} factor @param {number} x @param {number} y @returns {Transform}
 */
export function scaleAbout(factor, x, y) {
  return { factor, x: x * (1 - factor), y: y * (1 - factor) };
}

/**
 * @param {Placement} place @param {Transform} transform @param {boolean} isPicture false for a card, whose size does not change,
 *   and which stays upright
 * @returns {Placement}
 */
export function transformedPlacement(place, transform, isPicture) {
  const { factor } = transform;
  const { width, height } = place;
  const least = Math.min(1, MIN_SIDE / Math.min(width, height));
  const most = Math.max(1, MAX_SIDE / Math.max(width, height));
  const times = isPicture ? Math.min(most, Math.max(least, factor)) : 1;
  const [x, y] = mapping(transform)(place.x, place.y);
  const rotated = isPicture && transform.angle ? { angle: normalAngle((place.angle ?? 0) + transform.angle) } : {};
  return onPlane({ ...place, x, y, width: width * times, height: height * times, ...rotated });
}

/** @param {Bounds} bounds @param {Transform} transform @returns {Bounds} */
export function transformedBounds({ left, top, right, bottom }, { factor, x, y }) {
  return { left: left * factor + x, top: top * factor + y, right: right * factor + x, bottom: bottom * factor + y };
}

/**
 * @param {Record<string, unknown>} message
 * @returns {Transform | null} null if the message is invalid
 */
export function readTransform({ factor, point, angle, center }) {
  if (typeof factor !== 'number' || !(factor >= 1 / MAX_FACTOR && factor <= MAX_FACTOR) || !isPoint(point)) return null;
  const transform = { factor, x: point[0], y: point[1] };
  const turn = readAngle(angle);
  return turn !== 0 && isPoint(center) ? compose(transform, rotationAbout(turn, center)) : transform;
}

/**
 * Returns the message of a transform. A rotation is about the point that stays in place, so that clients without rotations show
 * the objects at the same position.
 * @param {Transform} transform @returns {{ factor: number, point: number[], angle?: number, center?: number[] }}
 */
export function transformMessage({ factor, x, y, angle }) {
  if (!angle) return { factor, point: [x, y] };
  const [a, b] = [1 - factor * Math.cos(angle * RADIANS), factor * Math.sin(angle * RADIANS)];
  const square = a * a + b * b;
  const center = [(a * x - b * y) / square, (b * x + a * y) / square];
  return { factor, point: center.map((one) => one * (1 - factor)), angle, center };
}

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {{ ids: string[], transform: Transform }} Drag
 */

/**
 * The message type, unreliable: `{"ids": […], "factor": 1, "point": [x, y]}`, relative to the shapes' own positions. With `angle`
 * and `center`, they are then rotated about that center.
 */
export const TRANSFORM_TYPE = 'MotionMessage';
/** The maximum number of ids in a message. The other participants see the remaining shapes move when the drag ends. */
const MAX_IDS = 200;
/** The approximate maximum number of points that a received message moves: each message computes all of these shapes again. */
const MAX_POINTS = 12_000;

/** Sends the transform of this person's drag to the others, and shows theirs. */
export class TransformSync {
  #shapes;
  #draggedRemotely;
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** This person's drag. */
  #drag = dragSender((/** @type {Drag} */ drag) => this.#send(drag));

  /**
   * @param {import('../model/shapes.js').Shapes} shapes
   * @param {(id: string, transform: Transform, by: number) => boolean} draggedRemotely shows a remote drag of a picture or a
   *   file; returns false if the id belongs to neither
   * @param {() => number} [now] milliseconds
   */
  constructor(shapes, draggedRemotely, now = () => performance.now()) {
    this.#shapes = shapes;
    this.#draggedRemotely = draggedRemotely;
    this.#now = now;
  }

  /** Switches to another session. @param {GroupSession | null} session null: none */
  follow(session) {
    this.#lifetime?.abort();
    this.#lifetime = new AbortController();
    this.#drag.end();
    this.#shapes.expireRemoteDrags(Infinity);
    this.#session = session;
    session?.observe({ entry: (entry) => this.#receive(entry) }, this.#lifetime);
  }

  /**
   * Sends a drag, with the next frame that is due.
   * @param {Iterable<string>} ids the same until the drag ends @param {Transform} transform
   */
  drag(ids, transform) {
    this.#drag.set({ ids: this.#drag.value?.ids ?? [...ids].slice(0, MAX_IDS), transform });
  }

  /** Ends the drag without a change. If the others saw it, sends the identity. */
  cancelDrag() {
    const drag = this.#drag.value;
    if (this.#drag.end() && drag) this.#send({ ...drag, transform: IDENTITY });
  }

  /** Ends the drag. The changed shapes themselves are sent by `ShapeSync`. */
  endDrag() {
    this.#drag.end();
  }

  /** @param {number} now @returns {boolean} true if a later frame may have something to send or to expire */
  frame(now) {
    const isDraggedRemotely = this.#shapes.expireRemoteDrags(now);
    return this.#drag.frame(now) || isDraggedRemotely;
  }

  /** @param {Drag} drag */
  #send({ ids, transform }) {
    if (!this.#session?.isConnected) return;
    const payload = new TextEncoder().encode(JSON.stringify({ ids, ...transformMessage(transform) }));
    this.#session.send({ type: TRANSFORM_TYPE, reliable: false, payload });
  }

  /** @param {Entry} entry */
  #receive({ type, reliable, system, sender, payload }) {
    if (reliable || system || type !== TRANSFORM_TYPE) return;
    const message = read(payload);
    let room = MAX_POINTS;
    for (const id of message?.ids ?? []) {
      if (!message || room <= 0) break;
      if (this.#draggedRemotely(id, message.transform, sender)) continue;
      const shape = this.#shapes.find(id);
      if (!shape) continue;
      this.#shapes.dragRemotely(id, message.transform, sender, this.#now());
      room -= 'points' in shape ? shape.points.length / 2 : 1;
    }
  }
}

/** @param {Uint8Array} payload @returns {Drag | null} */
function read(payload) {
  try {
    const message = JSON.parse(new TextDecoder().decode(payload));
    const transform = readTransform(message);
    const { ids } = message;
    return transform && Array.isArray(ids) ? { ids: ids.slice(0, MAX_IDS).filter(isKey), transform } : null;
  } catch {
    return null;
  }
}
