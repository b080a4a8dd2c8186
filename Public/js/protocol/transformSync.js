/**
 * Transforms of the plane (every point is multiplied by a factor, then shifted), and the shapes that this person and others
 * drag at the moment.
 */

import { isKey } from '../sync/key.js';
import { isPoint } from './shapeMessages.js';
import { MAX_SIDE, MIN_SIDE, onPlane } from '../model/placement.js';

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
export function inverse({ factor, x, y }) {
  return { factor: 1 / factor, x: -x / factor, y: -y / factor };
}

/** @param {Transform} first @param {Transform} then @returns {Transform} both, in this order */
export function compose(first, then) {
  const { factor, x, y } = then;
  return { factor: first.factor * factor, x: first.x * factor + x, y: first.y * factor + y };
}

/**
 * Returns a transform that scales about a point.
 * @param {number} factor @param {number} x @param {number} y @returns {Transform}
 */
export function scaleAbout(factor, x, y) {
  return { factor, x: x * (1 - factor), y: y * (1 - factor) };
}

/**
 * @param {Placement} place @param {Transform} transform @param {boolean} isPicture false for a card, whose size does not change
 * @returns {Placement}
 */
export function transformedPlacement(place, { factor, x, y }, isPicture) {
  const { width, height } = place;
  const least = Math.min(1, MIN_SIDE / Math.min(width, height));
  const most = Math.max(1, MAX_SIDE / Math.max(width, height));
  const times = isPicture ? Math.min(most, Math.max(least, factor)) : 1;
  const moved = { x: place.x * factor + x, y: place.y * factor + y, width: width * times, height: height * times };
  return onPlane({ ...moved, z: place.z });
}

/** @param {Bounds} bounds @param {Transform} transform @returns {Bounds} */
export function transformedBounds({ left, top, right, bottom }, { factor, x, y }) {
  return { left: left * factor + x, top: top * factor + y, right: right * factor + x, bottom: bottom * factor + y };
}

/** @param {unknown} factor @param {unknown} point @returns {Transform | null} null: it is invalid */
export function readTransform(factor, point) {
  if (typeof factor !== 'number' || !(factor >= 1 / MAX_FACTOR && factor <= MAX_FACTOR) || !isPoint(point)) return null;
  return { factor, x: point[0], y: point[1] };
}

/** A remote drag ends after this time without a message about it. */
const REMOTE_DRAG_TIMEOUT_MS = 5000;

/** The overlay of shapes that this person or others drag at the moment. */
export class TransformOverlay {
  #shapes;
  /** @type {{ ids: ReadonlySet<string>, transform: Transform } | null} */
  #own = null;
  /** @type {Map<string, { transform: Transform, by: number, until: number }>} */
  #others = new Map();
  /** @type {WeakMap<Shape, Shape>} the original of each displayed shape that is being dragged */
  #originals = new WeakMap();

  /** @param {import('../model/shapes.js').Shapes} shapes */
  constructor(shapes) {
    this.#shapes = shapes;
    shapes.applyOverlay = (shape) => this.#apply(shape);
    shapes.withoutOverlay = (shape) => this.#originals.get(shape) ?? shape;
  }

  get hasRemoteDrags() {
    return this.#others.size > 0;
  }

  /** @param {string} id @returns {Shape | null} without any drag */
  base(id) {
    const shape = this.#shapes.find(id);
    return shape && this.#shapes.withoutOverlay(shape);
  }

  /**
   * Shows shapes dragged by this person.
   * @param {ReadonlySet<string>} ids the same until the drag ends @param {Transform} transform relative to their places
   */
  drag(ids, transform) {
    this.#own = { ids, transform };
    for (const id of ids) this.#shapes.refresh(id);
  }

  endDrag() {
    const ids = this.#own?.ids ?? [];
    this.#own = null;
    for (const id of ids) this.#shapes.refresh(id);
  }

  /**
   * Shows a shape dragged by somebody else.
   * @param {string} id @param {Transform} transform @param {number} by @param {number} now
   * @returns {number} the number of its points
   */
  dragRemotely(id, transform, by, now) {
    const shape = this.#shapes.find(id);
    if (!shape) return 0;
    this.#others.set(id, { transform, by, until: now + REMOTE_DRAG_TIMEOUT_MS });
    this.#shapes.refresh(id);
    return 'points' in shape ? shape.points.length / 2 : 1;
  }

  /**
   * Ends a participant's drag after their change of the shape has arrived.
   * @param {string} id @param {number} by a participant's number
   */
  endRemoteDrag(id, by) {
    if (this.#others.get(id)?.by !== by) return;
    this.#others.delete(id);
    this.#shapes.refresh(id);
  }

  /** Ends remote drags without recent messages. @param {number} now in milliseconds; Infinity ends all */
  expireRemoteDrags(now) {
    const over = [...this.#others].filter(([, { until }]) => until <= now);
    for (const [id] of over) this.#others.delete(id);
    for (const [id] of over) this.#shapes.refresh(id);
  }

  /** @param {Shape} shape without a drag @returns {Shape} as displayed */
  #apply(shape) {
    const { id } = shape;
    const transform = this.#own?.ids.has(id) ? this.#own.transform : this.#others.get(id)?.transform;
    if (!transform) return shape;
    const moved = shape.moved(transform);
    // An unfinished shape is not painted on a layer or tile, which would be repainted with each frame of the drag.
    moved.isFinished = false;
    this.#originals.set(moved, shape);
    return moved;
  }
}

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/wire.js').Entry} Entry
 */

/** The message type, unreliable: `{"ids": […], "factor": 1, "point": [x, y]}`, relative to the shapes' places. */
export const TRANSFORM_TYPE = 'MotionMessage';
/** The maximum number of ids in a message. The others see the remaining shapes move when the drag ends. */
const MAX_IDS = 200;
/** The approximate maximum number of points that a received message moves: each message computes all of these shapes again. */
const MAX_POINTS = 12_000;
/**
 * The minimum interval between messages of a changing drag; and of an unchanged one, which is repeated before the others'
 * timeout.
 */
const SEND_INTERVAL_MS = 50;
const RESEND_INTERVAL_MS = 2000;

/** Sends the transform of this person's drag to the others, and applies theirs to the overlay. */
export class TransformSync {
  #transforms;
  #draggedRemotely;
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** This person's drag. @type {{ ids: string[], transform: Transform, isDirty: boolean, sentAt: number } | null} */
  #drag = null;

  /**
   * @param {TransformOverlay} transforms
   * @param {(id: string, transform: Transform, by: number) => boolean} draggedRemotely shows a remote drag of a picture or a
   *   file; returns false if the id is none
   * @param {() => number} [now] milliseconds
   */
  constructor(transforms, draggedRemotely, now = () => performance.now()) {
    this.#transforms = transforms;
    this.#draggedRemotely = draggedRemotely;
    this.#now = now;
  }

  /** @param {GroupSession | null} session from now on */
  follow(session) {
    this.#lifetime?.abort();
    this.#lifetime = new AbortController();
    this.#drag = null;
    this.#transforms.expireRemoteDrags(Infinity);
    this.#session = session;
    session?.observe({ entry: (entry) => this.#receive(entry) }, this.#lifetime);
  }

  /**
   * Sends a drag, with the next frame that is due.
   * @param {Iterable<string>} ids the same until the drag ends @param {Transform} transform
   */
  drag(ids, transform) {
    this.#drag ??= { ids: [...ids].slice(0, MAX_IDS), transform, isDirty: true, sentAt: -Infinity };
    Object.assign(this.#drag, { transform, isDirty: true });
  }

  /** Ends the drag without a change. If the others saw it, sends the identity. */
  cancelDrag() {
    if (this.#drag && this.#drag.sentAt > -Infinity) this.#send(this.#drag.ids, IDENTITY);
    this.#drag = null;
  }

  /** Ends the drag. The changed shapes themselves are sent by `ShapeSync`. */
  endDrag() {
    this.#drag = null;
  }

  /** @param {number} now @returns {boolean} true if a later frame may have something to send or to expire */
  frame(now) {
    this.#transforms.expireRemoteDrags(now);
    const drag = this.#drag;
    if (drag && now - drag.sentAt >= (drag.isDirty ? SEND_INTERVAL_MS : RESEND_INTERVAL_MS)) {
      this.#send(drag.ids, drag.transform);
      this.#drag = { ...drag, isDirty: false, sentAt: now };
    }
    return drag !== null || this.#transforms.hasRemoteDrags;
  }

  /** @param {string[]} ids @param {Transform} transform */
  #send(ids, { factor, x, y }) {
    if (!this.#session?.isConnected) return;
    const payload = new TextEncoder().encode(JSON.stringify({ ids, factor, point: [x, y] }));
    this.#session.send({ type: TRANSFORM_TYPE, reliable: false, payload });
  }

  /** @param {Entry} entry */
  #receive({ type, key, reliable, system, sender, payload }) {
    if (system) return;
    if (reliable && key) return this.#transforms.endRemoteDrag(key, sender);
    if (reliable || type !== TRANSFORM_TYPE) return;
    const message = read(payload);
    let room = MAX_POINTS;
    for (const id of message?.ids ?? []) {
      if (!message || room <= 0) break;
      if (!this.#draggedRemotely(id, message.transform, sender)) {
        room -= this.#transforms.dragRemotely(id, message.transform, sender, this.#now());
      }
    }
  }
}

/** @param {Uint8Array} payload @returns {{ ids: string[], transform: Transform } | null} */
function read(payload) {
  try {
    const { ids, factor, point } = JSON.parse(new TextDecoder().decode(payload));
    const transform = readTransform(factor, point);
    return transform && Array.isArray(ids) ? { ids: ids.slice(0, MAX_IDS).filter(isKey), transform } : null;
  } catch {
    return null;
  }
}
