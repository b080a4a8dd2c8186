/**
 * The shapes on a canvas: strokes and texts. Keeps the confirmed state of the session and, over it, the changes of this person
 * that the session has not confirmed yet.
 */

import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Stroke | import('./text.js').Text} Shape
 *
 * @typedef {object} Own
 * @property {Shape | null} shape as this person sees it; null: removed
 * @property {number} pending how many changes of it the session has yet to take
 * @property {number} creating how many of those bring it back whoever removed it
 * @property {boolean} isHeld the pen is still down
 *
 * @typedef {{ shown: (shape: Shape) => void, changed: (shape: Shape) => void, hidden: (shape: Shape) => void }} Viewer
 */

export class Shapes {
  /** What lies over what is held, as long as somebody has it in hand: the same shape elsewhere. @type {(shape: Shape) => Shape} */
  over = (shape) => shape;
  /** What that is over. @type {(shape: Shape) => Shape} */
  under = (shape) => shape;
  /** @type {Map<string, Shape>} what the session holds */
  #confirmed = new Map();
  /** @type {Map<string, Shape> | null} the same while it is told anew */
  #incoming = null;
  /** @type {Map<string, Own>} */
  #own = new Map();
  /** @type {Map<string, Shape>} what is to be seen */
  #visible = new Map();
  /** @type {Shape[] | null} the same in the order of drawing; null: made when next asked for */
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

  /** @returns {readonly Shape[]} what is to be seen, in the order of drawing */
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

  /** @param {string} id @returns {Shape | null} as it is to be seen */
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

  /** @param {string} id @param {(held: Shape | undefined) => Shape} change gives what is held from now on */
  confirm(id, change) {
    const space = this.#incoming ?? this.#confirmed;
    const shape = change(space.get(id));
    space.set(id, shape);
    this.#highestZ = Math.max(this.#highestZ, shape.z);
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
    if (byOther && own?.shape && own.creating === 0) this.#own.delete(id);
    this.#show(id);
  }

  // What this person does, at once.

  /** @param {Shape} shape begun, or brought back @param {{ isHeld?: boolean }} [options] */
  put(shape, { isHeld = false } = {}) {
    this.#ownOf(shape.id).shape = shape;
    this.#ownOf(shape.id).isHeld = isHeld;
    this.#highestZ = Math.max(this.#highestZ, shape.z);
    this.#show(shape.id);
  }

  /** The pen went on. @param {string} id */
  touched(id) {
    const shape = this.#own.get(id)?.shape;
    if (!shape) return;
    if (this.#areBoundsRight) this.#bounds = union(this.#bounds, shape.bounds);
    this.#tell('changed', shape);
  }

  /** @param {string} id */
  remove(id) {
    // There is nothing left to be held: whoever brings it back shall be seen.
    Object.assign(this.#ownOf(id), { shape: null, isHeld: false });
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
    if (own.shape) this.#confirmed.set(id, own.shape);
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
      own = { shape: seen ? this.under(seen) : null, pending: 0, creating: 0, isHeld: false };
      this.#own.set(id, own);
    }
    return own;
  }

  /** Makes what is seen of it right again. @param {string} id */
  #show(id) {
    const own = this.#own.get(id);
    const before = this.#visible.get(id) ?? null;
    const held = own ? own.shape : this.#confirmed.get(id) ?? null;
    let shape = held && (own?.isHeld ? held : this.over(held));
    if (shape && shape === held && before && shape !== before && shape.looksLike(before)) {
      // The same to the eye: what was made of it for drawing is still good.
      if (!own) this.#confirmed.set(id, before);
      shape = before;
    }
    if (shape && this.#areBoundsRight) this.#bounds = union(this.#bounds, shape.bounds);
    if (shape === before) {
      if (shape) this.#tell('changed', shape);
      return;
    }
    if (before) this.#take(before);
    if (!shape) return;
    this.#visible.set(id, shape);
    const last = this.#order?.at(-1);
    if (!last || drawnBefore(last, shape) < 0) this.#order?.push(shape);
    else this.#order = null;
    this.#tell('shown', shape);
  }

  /** @param {Shape} shape */
  #take(shape) {
    this.#visible.delete(shape.id);
    // What was drawn last is what is taken back most often.
    if (this.#order?.at(-1) === shape) this.#order?.pop();
    else this.#order = null;
    if (this.#bounds && !isInside(shape.bounds, this.#bounds)) this.#areBoundsRight = false;
    this.#tell('hidden', shape);
  }

  /** @param {keyof Viewer} what @param {Shape} shape */
  #tell(what, shape) {
    for (const viewer of this.#viewers) viewer[what](shape);
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
