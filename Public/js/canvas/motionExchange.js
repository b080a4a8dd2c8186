/** Shows the others what this person has in hand while it is moved, and this person what they have. */

import { isKey } from '../session/key.js';
import { readMotion, STILL } from './motion.js';

/**
 * @typedef {import('../session/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../session/wire.js').Entry} Entry
 * @typedef {import('./stroke.js').Motion} Motion
 */

/** Its type on the wire: unreliable, `{"ids": […], "factor": 1, "point": [x, y]}` from where they lie. */
export const MOTION_TYPE = 'MotionMessage';
/** Of more than so many, the others see where the rest went when they are put down. */
const MOST_IDS = 200;
/** They are shown about so often; once they hear nothing for long, they take it for let go. */
const EVERY_MS = 50;
const AGAIN_MS = 2000;

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
   * @param {import('./motion.js').Motions} motions
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
    for (const id of message?.ids ?? []) {
      if (message && !this.#pulled(id, message.motion, sender)) {
        this.#motions.pull(id, message.motion, sender, this.#now());
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
