/** The connections on the page: lines and arrows that follow the objects to which their ends are attached. */

import { changedEnds } from '../model/connection.js';
import { canHoldEnds, connected } from '../model/connectedEnds.js';
import { Stroke } from '../model/stroke.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/shapes.js').Shape} Shape
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('./drawing.js').Drawing} drawing
 * @property {import('./itemStore.js').ItemStore} itemStore
 * @property {() => boolean} isAlone returns true without a session: all changes are then this person's
 * @property {() => void} requestFrame
 * @property {() => number} [now] milliseconds
 */

/** The maximum number of connections that follow a moved object at once. The others follow in later frames. */
const MAX_AT_ONCE = 64;
/** The time for connections in a frame, in milliseconds. */
const SLICE_MS = 6;
/** The maximum number of connections that are sent in a frame. */
const MAX_SENT = 50;
/** @type {ReadonlySet<string>} */
const NONE = new Set();

/**
 * Every page shows the ends of a connection at the present positions of its objects, so all pages show the same picture, even
 * after simultaneous moves. The page of the person who changed an object also sends the new points of its connections. Programs
 * that do not know connections need these points, and so do all pages after the object is removed.
 */
export class Connections {
  #parts;
  #now;
  /** The ids of connections, by the id of an object. @type {Map<string, Set<string>>} */
  #byObject = new Map();
  /** The ids of connections whose displayed position is outdated. @type {Set<string>} */
  #outdated = new Set();
  /** The ids of connections whose points this page has to send. @type {Set<string>} */
  #unsent = new Set();
  /** The pictures and files that were shown since the last frame. @type {Item[]} */
  #added = [];
  /** Returns an object by its id, or the object that replaced it when it was restored. @param {string} id */
  #find = (id) => {
    const { shapes, items, itemStore } = this.#parts;
    return shapes.find(id) ?? items.find(id) ?? itemStore.current({ id });
  };

  /** @param {Parts} parts */
  constructor({ now = () => performance.now(), ...parts }) {
    this.#parts = parts;
    this.#now = now;
    const { shapes, items } = parts;
    shapes.place = (shape) => connected(shape, this.#find);
    const observer = {
      shown: (/** @type {Drawable} */ one) => this.#shown(one),
      changed: (/** @type {Drawable} */ one) => this.#moved(one),
      hidden: (/** @type {Drawable} */ one) => this.#hidden(one),
    };
    shapes.observe(observer);
    items.observe(observer);
    for (const shape of shapes.all) {
      this.#register(shape);
      if (endsOf(shape).size > 0) this.#outdated.add(shape.id);
    }
    parts.requestFrame();
  }

  /** Updates and sends some connections. To be called once a frame. @returns {boolean} true if another frame is needed */
  frame() {
    for (const item of this.#added.splice(0)) this.#restored(item);
    const end = this.#now() + SLICE_MS;
    for (const id of this.#outdated) {
      this.#outdated.delete(id);
      this.#parts.shapes.showAgain(id);
      if (this.#now() >= end) break;
    }
    this.#send();
    return this.#outdated.size + this.#unsent.size > 0;
  }

  /** @param {Drawable} one */
  #shown(one) {
    this.#register(one);
    if ('place' in one) this.#added.push(one);
    this.#moved(one);
  }

  /** Updates the connections of an object that was moved. @param {Drawable} one */
  #moved(one) {
    const ids = this.#byObject.get(one.id);
    // An end that is attached to a connection does not follow it: two connections could follow each other without end.
    if (!ids || !canHoldEnds(one)) return;
    const isOwn = this.#isOwn(one);
    // Iterates over a copy, because a connection that is shown again leaves the set for a moment.
    [...ids].forEach((id, at) => {
      if (isOwn) this.#unsent.add(id);
      if (at < MAX_AT_ONCE) this.#parts.shapes.showAgain(id);
      else this.#outdated.add(id);
    });
    this.#parts.requestFrame();
  }

  /** @param {Drawable} one */
  #hidden(one) {
    for (const id of endsOf(one)) {
      const ids = this.#byObject.get(id);
      ids?.delete(one.id);
      if (ids?.size === 0) this.#byObject.delete(id);
    }
    if (!canHoldEnds(one)) return;
    for (const id of this.#byObject.get(one.id) ?? []) this.#outdated.add(id);
    this.#parts.requestFrame();
  }

  /** Updates the connections of a restored picture or file, which has a new id. @param {Item} item */
  #restored(item) {
    const { itemStore } = this.#parts;
    for (const [id, ids] of this.#byObject) {
      if (id === item.id || itemStore.current({ id }) !== item) continue;
      for (const connection of ids) this.#unsent.add(connection);
    }
  }

  /** @param {Drawable} one */
  #register(one) {
    for (const id of endsOf(one)) {
      const ids = this.#byObject.get(id);
      if (ids) ids.add(one.id);
      else this.#byObject.set(id, new Set([one.id]));
    }
  }

  /** @param {Drawable} one @returns {boolean} true if this person has changed it, and the change is finished */
  #isOwn(one) {
    const { shapes, itemStore, isAlone } = this.#parts;
    if ('place' in one) return itemStore.placements.isMoved(one.id);
    return one.isFinished && (isAlone() || shapes.pendingEdit(one.id) !== null);
  }

  /** Sends the points of connections whose objects this person has changed. */
  #send() {
    const { shapes, drawing } = this.#parts;
    /** @type {Shape[]} */
    const sent = [];
    for (const id of this.#unsent) {
      if (sent.length >= MAX_SENT) break;
      this.#unsent.delete(id);
      const held = shapes.base(id);
      if (!(held instanceof Stroke) || !held.isFinished || shapes.pendingEdit(id)?.isDraft) continue;
      const now = connected(this.#withPresentIds(held), this.#find);
      if (now !== held && now.isFinished) sent.push(now);
    }
    if (sent.length > 0) drawing.update(sent);
  }

  /** @param {Stroke} held @returns {Stroke} the same one, or one with the new ids of its objects */
  #withPresentIds(held) {
    const ends = changedEnds(held, (id) => this.#find(id)?.id ?? id);
    if (ends.from?.id === held.from?.id && ends.to?.id === held.to?.id) return held;
    return Object.assign(held.moved({ factor: 1, x: 0, y: 0 }), ends);
  }
}

/** @param {Drawable} one @returns {ReadonlySet<string>} the ids of the objects to which its ends are attached */
function endsOf(one) {
  if (!(one instanceof Stroke)) return NONE;
  const { from, to } = one;
  return from || to ? new Set([from, to].flatMap((end) => end ? [end.id] : [])) : NONE;
}
