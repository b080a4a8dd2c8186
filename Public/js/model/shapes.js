/** What is drawn on a canvas, strokes and texts: what the session holds, and over it what this person did that the session does not hold yet. */

import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Stroke | import('./text.js').Text} Mark
 *
 * @typedef {object} Own
 * @property {Mark | null} stroke as this person sees it; null: removed
 * @property {number} pending how many changes of it the session has yet to take
 * @property {number} creating how many of those bring it back whoever removed it
 * @property {boolean} isHeld the pen is still down
 *
 * @typedef {{ shown: (stroke: Mark) => void, changed: (stroke: Mark) => void, hidden: (stroke: Mark) => void }} Viewer
 */

export class Marks {
  /** What lies over what is held, as long as somebody has it in hand: the same mark elsewhere. @type {(mark: Mark) => Mark} */
  over = (mark) => mark;
  /** What that is over. @type {(mark: Mark) => Mark} */
  under = (mark) => mark;
  /** @type {Map<string, Mark>} what the session holds */
  #confirmed = new Map();
  /** @type {Map<string, Mark> | null} the same while it is told anew */
  #incoming = null;
  /** @type {Map<string, Own>} */
  #own = new Map();
  /** @type {Map<string, Mark>} what is to be seen */
  #visible = new Map();
  /** @type {Mark[] | null} the same in the order of drawing; null: made when next asked for */
  #order = [];
  /** @type {Bounds | null} of the same, if `#areBoundsRight` */
  #bounds = null;
  #areBoundsRight = true;
  /** @type {Set<Viewer>} */
  #viewers = new Set();
  #highestZ = 0;

  /** @param {Viewer} viewer is told of every change of what is to be seen */
  watch(viewer) {
    this.#viewers.add(viewer);
  }

  /** @returns {readonly Mark[]} what is to be seen, in the order of drawing */
  get all() {
    this.#order ??= [...this.#visible.values()].sort(drawnBefore);
    return this.#order;
  }

  get size() {
    return this.#visible.size;
  }

  /** @returns {Bounds | null} of all that is to be seen */
  get bounds() {
    if (this.#areBoundsRight) return this.#bounds;
    this.#bounds = null;
    for (const { bounds } of this.#visible.values()) this.#bounds = union(this.#bounds, bounds);
    this.#areBoundsRight = true;
    return this.#bounds;
  }

  /** The highest `z` known. */
  get highestZ() {
    return this.#highestZ;
  }

  /** Something else lies there. @param {number} z */
  raise(z) {
    this.#highestZ = Math.max(this.#highestZ, z);
  }

  /** @param {string} id @returns {Mark | null} as it is to be seen */
  find(id) {
    return this.#visible.get(id) ?? null;
  }

  // What the session says, in its order.

  /** All is told anew; what is seen stays until `endSnapshot`. Where there is nothing yet, it is seen as it comes. */
  beginSnapshot() {
    this.#incoming = this.#confirmed.size > 0 ? new Map() : null;
  }

  /** @param {(show: () => void) => void} [later] does so in this order, now or after a while */
  endSnapshot(later = (show) => show()) {
    if (!this.#incoming) return;
    const ids = new Set([...this.#confirmed.keys(), ...this.#incoming.keys()]);
    this.#confirmed = this.#incoming;
    this.#incoming = null;
    for (const id of ids) later(() => this.#show(id));
  }

  /** What was told anew was not told to its end: what was held before is the best there is. */
  abandonSnapshot() {
    this.#incoming = null;
  }

  /** @param {string} id @param {(held: Mark | undefined) => Mark} change gives what is held from now on */
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

  /** @param {Mark} stroke begun, or brought back @param {{ isHeld?: boolean }} [options] */
  put(stroke, { isHeld = false } = {}) {
    this.#ownOf(stroke.id).stroke = stroke;
    this.#ownOf(stroke.id).isHeld = isHeld;
    this.#highestZ = Math.max(this.#highestZ, stroke.z);
    this.#show(stroke.id);
  }

  /** The pen went on. @param {string} id */
  touched(id) {
    const stroke = this.#own.get(id)?.stroke;
    if (!stroke) return;
    if (this.#areBoundsRight) this.#bounds = union(this.#bounds, stroke.bounds);
    this.#tell('changed', stroke);
  }

  /** @param {string} id */
  remove(id) {
    // There is nothing left to be held: whoever brings it back shall be seen.
    Object.assign(this.#ownOf(id), { stroke: null, isHeld: false });
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

  /** What lies over it is different. @param {string} id */
  refresh(id) {
    this.#show(id);
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
      const seen = this.#visible.get(id);
      own = { stroke: seen ? this.under(seen) : null, pending: 0, creating: 0, isHeld: false };
      this.#own.set(id, own);
    }
    return own;
  }

  /** Makes what is seen of it right again. @param {string} id */
  #show(id) {
    const own = this.#own.get(id);
    const before = this.#visible.get(id) ?? null;
    const held = own ? own.stroke : this.#confirmed.get(id) ?? null;
    let stroke = held && (own?.isHeld ? held : this.over(held));
    if (stroke && stroke === held && before && stroke !== before && stroke.looksLike(before)) {
      // The same to the eye: what was made of it for drawing is still good.
      if (!own) this.#confirmed.set(id, before);
      stroke = before;
    }
    if (stroke && this.#areBoundsRight) this.#bounds = union(this.#bounds, stroke.bounds);
    if (stroke === before) {
      if (stroke) this.#tell('changed', stroke);
      return;
    }
    if (before) this.#take(before);
    if (!stroke) return;
    this.#visible.set(id, stroke);
    const last = this.#order?.at(-1);
    if (!last || drawnBefore(last, stroke) < 0) this.#order?.push(stroke);
    else this.#order = null;
    this.#tell('shown', stroke);
  }

  /** @param {Mark} stroke */
  #take(stroke) {
    this.#visible.delete(stroke.id);
    // What was drawn last is what is taken back most often.
    if (this.#order?.at(-1) === stroke) this.#order?.pop();
    else this.#order = null;
    if (this.#bounds && !isInside(stroke.bounds, this.#bounds)) this.#areBoundsRight = false;
    this.#tell('hidden', stroke);
  }

  /** @param {keyof Viewer} what @param {Mark} stroke */
  #tell(what, stroke) {
    for (const viewer of this.#viewers) viewer[what](stroke);
  }
}

/** @param {Bounds | null} a @param {Bounds} b @returns {Bounds} */
export function union(a, b) {
  if (!a || isInside(b, a)) return a ?? b;
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** @param {Bounds} inner @param {Bounds} outer @returns {boolean} whether it has no side in common with it */
function isInside(inner, outer) {
  return inner.left > outer.left && inner.top > outer.top && inner.right < outer.right && inner.bottom < outer.bottom;
}
