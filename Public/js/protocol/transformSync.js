/** Movements of the plane: every point times a factor, and then by so much. And the shapes that are in a hand, everybody’s. */

import { isKey } from '../sync/key.js';
import { isPoint } from './shapeMessages.js';
import { MAXIMUM_SIDE, MINIMUM_SIDE, onPlane } from '../model/placement.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/stroke.js').Motion} Motion
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/placement.js').Place} Place
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

/** A hand that is not heard of any more has let go. */
const HELD_MS = 5000;

/** Shapes in hand: where this person and others hold them right now, over where they lie. */
export class Motions {
  #shapes;
  /** @type {{ ids: ReadonlySet<string>, motion: Motion } | null} */
  #own = null;
  /** @type {Map<string, { motion: Motion, by: number, until: number }>} */
  #others = new Map();
  /** @type {WeakMap<Shape, Shape>} what is seen in a hand: what it is of */
  #under = new WeakMap();

  /** @param {import('../model/shapes.js').Shapes} shapes */
  constructor(shapes) {
    this.#shapes = shapes;
    shapes.over = (shape) => this.#over(shape);
    shapes.under = (shape) => this.#under.get(shape) ?? shape;
  }

  get isAnyHeld() {
    return this.#others.size > 0;
  }

  /** @param {string} id @returns {Shape | null} as it lies, whoever holds it */
  lying(id) {
    const shape = this.#shapes.find(id);
    return shape && this.#shapes.under(shape);
  }

  /** In this person's hand. @param {ReadonlySet<string>} ids the same until they are let go @param {Motion} motion from where they lie */
  hold(ids, motion) {
    this.#own = { ids, motion };
    for (const id of ids) this.#shapes.refresh(id);
  }

  letGo() {
    const ids = this.#own?.ids ?? [];
    this.#own = null;
    for (const id of ids) this.#shapes.refresh(id);
  }

  /** In somebody else's. @param {string} id @param {Motion} motion @param {number} by @param {number} now @returns {number} of how many points it is */
  pull(id, motion, by, now) {
    const shape = this.#shapes.find(id);
    if (!shape) return 0;
    this.#others.set(id, { motion, by, until: now + HELD_MS });
    this.#shapes.refresh(id);
    return 'points' in shape ? shape.points.length / 2 : 1;
  }

  /** It was put somewhere. @param {string} id @param {number} by a participant's number */
  put(id, by) {
    if (this.#others.get(id)?.by !== by) return;
    this.#others.delete(id);
    this.#shapes.refresh(id);
  }

  /** @param {number} now in milliseconds; Infinity: nobody holds anything any more */
  letGoBefore(now) {
    const over = [...this.#others].filter(([, { until }]) => until <= now);
    for (const [id] of over) this.#others.delete(id);
    for (const [id] of over) this.#shapes.refresh(id);
  }

  /** @param {Shape} shape as it lies @returns {Shape} as it is seen */
  #over(shape) {
    const { id } = shape;
    const motion = this.#own?.ids.has(id) ? this.#own.motion : this.#others.get(id)?.motion;
    if (!motion) return shape;
    const moved = shape.moved(motion);
    // What is painted anew each frame is not worth being kept painted.
    moved.isFinished = false;
    this.#under.set(moved, shape);
    return moved;
  }
}

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/wire.js').Entry} Entry
 */

/** Its type on the wire: unreliable, `{"ids": […], "factor": 1, "point": [x, y]}` from where they lie. */
export const MOTION_TYPE = 'MotionMessage';
/** Of more than so many, the others see where the rest went when they are put down. */
const MOST_IDS = 200;
/** Nor is more than about so many points: others may tell of anything, and each time all of it is made anew. */
const MOST_POINTS = 12_000;
/** They are shown about so often; once they hear nothing for long, they take it for let go. */
const EVERY_MS = 50;
const AGAIN_MS = 2000;

/** Shows the others what this person has in hand while it is moved, and this person what they have. */
export class MotionExchange {
  #motions;
  #pulled;
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** Not told yet, or told then. @type {{ ids: string[], motion: Motion, isNews: boolean, toldAt: number } | null} */
  #held = null;

  /**
   * @param {Motions} motions
   * @param {(id: string, motion: Motion, by: number) => boolean} pulled somebody moves a picture or a file; gives whether it is one
   * @param {() => number} [now] milliseconds
   */
  constructor(motions, pulled, now = () => performance.now()) {
    this.#motions = motions;
    this.#pulled = pulled;
    this.#now = now;
  }

  /** @param {GroupSession | null} session from now on */
  follow(session) {
    this.#lifetime?.abort();
    this.#lifetime = new AbortController();
    this.#held = null;
    this.#motions.letGoBefore(Infinity);
    this.#session = session;
    session?.observe({ entry: (entry) => this.#receive(entry) }, this.#lifetime);
  }

  /** In this person's hand. @param {Iterable<string>} ids the same until it is put down @param {Motion} motion */
  hold(ids, motion) {
    this.#held ??= { ids: [...ids].slice(0, MOST_IDS), motion, isNews: true, toldAt: -Infinity };
    Object.assign(this.#held, { motion, isNews: true });
  }

  /** They lie where they lay: those who saw them move are shown that. */
  release() {
    if (this.#held && this.#held.toldAt > -Infinity) this.#tell(this.#held.ids, STILL);
    this.#held = null;
  }

  /** They are put down, which the others are told otherwise. */
  put() {
    this.#held = null;
  }

  /** @param {number} now @returns {boolean} whether there is something to be told or let go in a later frame */
  frame(now) {
    this.#motions.letGoBefore(now);
    const held = this.#held;
    if (held && now - held.toldAt >= (held.isNews ? EVERY_MS : AGAIN_MS)) {
      this.#tell(held.ids, held.motion);
      this.#held = { ...held, isNews: false, toldAt: now };
    }
    return held !== null || this.#motions.isAnyHeld;
  }

  /** @param {string[]} ids @param {Motion} motion */
  #tell(ids, { factor, x, y }) {
    if (!this.#session?.isConnected) return;
    const payload = new TextEncoder().encode(JSON.stringify({ ids, factor, point: [x, y] }));
    this.#session.send({ type: MOTION_TYPE, reliable: false, payload });
  }

  /** @param {Entry} entry */
  #receive({ type, key, reliable, system, sender, payload }) {
    if (system) return;
    if (reliable && key) return this.#motions.put(key, sender);
    if (reliable || type !== MOTION_TYPE) return;
    const message = read(payload);
    let room = MOST_POINTS;
    for (const id of message?.ids ?? []) {
      if (!message || room <= 0) break;
      if (!this.#pulled(id, message.motion, sender)) {
        room -= this.#motions.pull(id, message.motion, sender, this.#now());
      }
    }
  }
}

/** @param {Uint8Array} payload @returns {{ ids: string[], motion: Motion } | null} */
function read(payload) {
  try {
    const { ids, factor, point } = JSON.parse(new TextDecoder().decode(payload));
    const motion = readMotion(factor, point);
    return motion && Array.isArray(ids) ? { ids: ids.slice(0, MOST_IDS).filter(isKey), motion } : null;
  } catch {
    return null;
  }
}
