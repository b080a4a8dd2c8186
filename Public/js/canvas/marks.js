/** The strokes of a canvas: what the session holds, and over it what this person did that the session does not hold yet. */

import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./stroke.js').Stroke} Stroke
 *
 * @typedef {object} Own
 * @property {Stroke | null} stroke as this person sees it; null: removed
 * @property {number} pending how many changes of it the session has yet to take
 * @property {number} creating how many of those bring it back whoever removed it
 * @property {boolean} isHeld the pen is still down
 *
 * @typedef {{ shown: (stroke: Stroke) => void, changed: (stroke: Stroke) => void, hidden: (stroke: Stroke) => void }} Viewer
 */

export class Marks {
  /** @type {Map<string, Stroke>} what the session holds */
  #confirmed = new Map();
  /** @type {Map<string, Stroke> | null} the same while it is told anew */
  #incoming = null;
  /** @type {Map<string, Own>} */
  #own = new Map();
  /** @type {Stroke[]} what is to be seen, in the order of drawing */
  #order = [];
  /** @type {Map<string, Stroke>} */
  #visible = new Map();
  /** @type {Set<Viewer>} */
  #viewers = new Set();
  #highestZ = 0;

  /** @param {Viewer} viewer is told of every change of what is to be seen */
  watch(viewer) {
    this.#viewers.add(viewer);
  }

  /** @returns {readonly Stroke[]} what is to be seen, in the order of drawing */
  get all() {
    return this.#order;
  }

  get size() {
    return this.#order.length;
  }

  /** @returns {import('./stroke.js').Bounds | null} of all that is to be seen */
  get bounds() {
    if (this.#order.length === 0) return null;
    const all = this.#order.map((stroke) => stroke.bounds);
    return {
      left: all.reduce((least, { left }) => Math.min(least, left), Infinity),
      top: all.reduce((least, { top }) => Math.min(least, top), Infinity),
      right: all.reduce((most, { right }) => Math.max(most, right), -Infinity),
      bottom: all.reduce((most, { bottom }) => Math.max(most, bottom), -Infinity),
    };
  }

  /** The highest `z` known. */
  get highestZ() {
    return this.#highestZ;
  }

  /** Something else lies there. @param {number} z */
  raise(z) {
    this.#highestZ = Math.max(this.#highestZ, z);
  }

  /** @param {string} id @returns {Stroke | null} as it is to be seen */
  find(id) {
    return this.#visible.get(id) ?? null;
  }

  // What the session says, in its order.

  /** All is told anew; what is seen stays until `endSnapshot`. */
  beginSnapshot() {
    this.#incoming = new Map();
  }

  endSnapshot() {
    if (!this.#incoming) return;
    const ids = new Set([...this.#confirmed.keys(), ...this.#incoming.keys()]);
    this.#confirmed = this.#incoming;
    this.#incoming = null;
    for (const id of ids) this.#show(id);
  }

  /** What was told anew was not told to its end: what was held before is the best there is. */
  abandonSnapshot() {
    this.#incoming = null;
  }

  /** @param {string} id @param {(held: Stroke | undefined) => Stroke} change gives what is held from now on */
  confirm(id, change) {
    const space = this.#incoming ?? this.#confirmed;
    const stroke = change(space.get(id));
    space.set(id, stroke);
    this.#highestZ = Math.max(this.#highestZ, stroke.z);
    if (!this.#incoming) this.#show(id);
  }

  /** @param {string} id @param {boolean} byOther whether somebody else removed it */
  confirmRemoval(id, byOther) {
    if (this.#incoming) {
      this.#incoming.delete(id);
      return;
    }
    this.#confirmed.delete(id);
    const own = this.#own.get(id);
    if (byOther && own?.stroke && own.creating === 0) this.#own.delete(id);
    this.#show(id);
  }

  // What this person does, at once.

  /** @param {Stroke} stroke begun, or brought back @param {{ isHeld?: boolean }} [options] */
  put(stroke, { isHeld = false } = {}) {
    this.#ownOf(stroke.id).stroke = stroke;
    this.#ownOf(stroke.id).isHeld = isHeld;
    this.#highestZ = Math.max(this.#highestZ, stroke.z);
    this.#show(stroke.id);
  }

  /** The pen went on. @param {string} id */
  touched(id) {
    const stroke = this.#own.get(id)?.stroke;
    if (stroke) this.#tell('changed', stroke);
  }

  /** @param {string} id */
  remove(id) {
    this.#ownOf(id).stroke = null;
    this.#show(id);
  }

  /** A change of it is on its way to the session. @param {string} id @param {boolean} creating */
  sent(id, creating) {
    const own = this.#ownOf(id);
    own.pending += 1;
    if (creating) own.creating += 1;
  }

  /** The session took it, or never will. @param {string} id @param {boolean} creating */
  settled(id, creating) {
    const own = this.#own.get(id);
    if (!own) return;
    own.pending = Math.max(0, own.pending - 1);
    if (creating) own.creating = Math.max(0, own.creating - 1);
    this.#release(id, own);
  }

  /** The pen is up. @param {string} id */
  release(id) {
    const own = this.#own.get(id);
    if (!own) return;
    own.isHeld = false;
    this.#release(id, own);
  }

  /** There is no session to wait for: what this person sees of it is what is held. @param {string} id */
  keep(id) {
    const own = this.#own.get(id);
    if (!own) return;
    if (own.stroke) this.#confirmed.set(id, own.stroke);
    else this.#confirmed.delete(id);
    if (!own.isHeld) this.#own.delete(id);
  }

  /** The same of all. */
  keepAll() {
    for (const id of this.#own.keys()) this.keep(id);
  }

  clear() {
    this.#own.clear();
    this.#confirmed.clear();
    this.#incoming = null;
    for (const id of this.#visible.keys()) this.#show(id);
    this.#highestZ = 0;
  }

  /** @param {string} id @param {Own} own */
  #release(id, own) {
    if (own.pending > 0 || own.isHeld) return;
    this.#own.delete(id);
    this.#show(id);
  }

  /** @param {string} id @returns {Own} */
  #ownOf(id) {
    let own = this.#own.get(id);
    if (!own) {
      own = { stroke: this.#visible.get(id) ?? null, pending: 0, creating: 0, isHeld: false };
      this.#own.set(id, own);
    }
    return own;
  }

  /** Makes what is seen of it right again. @param {string} id */
  #show(id) {
    const own = this.#own.get(id);
    const before = this.#visible.get(id) ?? null;
    let stroke = own ? own.stroke : this.#confirmed.get(id) ?? null;
    if (stroke && before && stroke !== before && stroke.looksLike(before)) {
      // The same to the eye: what was made of it for drawing is still good.
      if (!own) this.#confirmed.set(id, before);
      stroke = before;
    }
    if (stroke === before) {
      if (stroke) this.#tell('changed', stroke);
      return;
    }
    if (before) this.#take(before);
    if (!stroke) return;
    this.#visible.set(id, stroke);
    this.#order.splice(this.#place(stroke), 0, stroke);
    this.#tell('shown', stroke);
  }

  /** @param {Stroke} stroke */
  #take(stroke) {
    this.#visible.delete(stroke.id);
    this.#order.splice(this.#order.indexOf(stroke), 1);
    this.#tell('hidden', stroke);
  }

  /** @param {Stroke} stroke @returns {number} where it belongs in the order of drawing */
  #place(stroke) {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (drawnBefore(this.#order[middle], stroke) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {keyof Viewer} what @param {Stroke} stroke */
  #tell(what, stroke) {
    for (const viewer of this.#viewers) viewer[what](stroke);
  }
}
