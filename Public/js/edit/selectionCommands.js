/** What a person does to what is chosen: moves it, doubles it, takes it away, brings it to the front, gives it another look. Each is one deed. */

import { newKey } from '../sync/key.js';
import { inverse, movedPlace, STILL } from '../protocol/transformSync.js';
import { Portions } from '../model/scheduling.js';
import { drawnBefore } from '../model/stroke.js';

/**
 * @typedef {import('./undoHistory.js').Deed} Deed
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/placement.js').Place} Place
 * @typedef {import('../model/stroke.js').Motion} Motion
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {{ rgb?: string, color?: number, width?: number, size?: number, z?: number }} Look
 * @typedef {{ before: Shape, after: Shape }} Change
 * @typedef {{ item: Item, before: Place, after: Place }} Shift
 * @typedef {<T extends { before: unknown, after: unknown }>(change: T) => T} Turn
 * @typedef {{ ids: ReadonlySet<string>, places: Map<Item, Place>, isLight: boolean, motion: Motion }} Held `isLight`: all of it is shown while it moves
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('./drawing.js').Drawing} drawing
 * @property {import('./itemStore.js').Album} album
 * @property {import('./undoHistory.js').History} history
 * @property {import('../protocol/transformSync.js').Motions} motions
 * @property {import('../protocol/transformSync.js').MotionExchange} exchange
 * @property {() => string} [key]
 * @property {() => number} [now] milliseconds
 */

/** More is not shown while it moves: only the box around it does. */
const MAX_SHAPES = 300;
const MOST_POINTS = 12_000;

export class Arranger {
  #parts;
  #newKey;
  #portions;
  /** What is in hand. @type {Held | null} */
  #held = null;

  /** @param {Parts} parts */
  constructor({ key = newKey, now, ...parts }) {
    this.#parts = parts;
    this.#newKey = key;
    this.#portions = new Portions(now);
  }

  /** @returns {Motion | null} of what is in hand, where that is too much to be shown */
  get unshown() {
    return this.#held?.isLight === false ? this.#held.motion : null;
  }

  get isHolding() {
    return this.#held !== null;
  }

  /** Whether what was done is not done to all yet. */
  get isBusy() {
    return this.#portions.isBusy;
  }

  /** To be called once a frame. @returns {boolean} whether another one is needed */
  frame() {
    return this.#portions.frame();
  }

  /** Takes them in hand, or moves what is there. @param {ReadonlySet<string>} ids @param {Motion} motion from where they lay */
  hold(ids, motion) {
    const { items, album, motions, exchange } = this.#parts;
    this.#held ??= this.#take(ids);
    const held = this.#held;
    held.motion = motion;
    if (held.isLight) motions.hold(held.ids, motion);
    const isAlone = held.ids.size === 1;
    for (const [item, place] of held.places) {
      if (items.find(item.id)) album.hold(item, movedPlace(place, motion, item.isPicture), isAlone);
    }
    // A picture alone is shown as those see it too who know of no other motions; what is too much here is so there too.
    if (held.isLight && (!isAlone || held.places.size === 0)) exchange.hold(held.ids, motion);
  }

  /** It goes back to where it was. */
  release() {
    const held = this.#held;
    this.#held = null;
    if (!held) return;
    this.#parts.exchange.release();
    this.#parts.motions.letGo();
    for (const item of held.places.keys()) this.#parts.album.release(item);
  }

  /** It stays where it is. */
  drop() {
    const held = this.#held;
    this.#held = null;
    if (!held) return;
    const { motion, places } = held;
    /** @type {Change[]} */
    const changes = [];
    /** @type {Shift[]} */
    const shifts = [];
    const ids = [...held.ids].filter((id) => this.#isThere(id));
    this.#parts.exchange.put();
    this.#portions.do(() => ids, (id) => {
      const one = this.#find(id);
      if (!one) return;
      if ('place' in one) {
        const before = places.get(one) ?? one.place;
        this.#shift(shifts, { item: one, before, after: movedPlace(before, motion, one.isPicture) });
      } else this.#change(changes, { before: one, after: one.moved(motion) });
    });
    this.#parts.motions.letGo();
    if (ids.length === 0) return;
    this.#did({
      undo: () => this.#move(ids, changes, shifts, inverse(motion), turned),
      redo: () => this.#move(ids, changes, shifts, motion, asItWas),
    });
  }

  /** Takes them away, for everybody. @param {ReadonlySet<string>} ids */
  remove(ids) {
    const all = this.#of(ids);
    const taking = this.#taking(all.filter(isShape), all.filter(isItem));
    taking.redo();
    this.#did(taking);
  }

  /**
   * They come from elsewhere, and are this person's from now on.
   * @param {Shape[]} shapes new ones @param {{ added: import('./itemStore.js').Added, place: import('../model/placement.js').Place }[]} laid
   * @returns {string[]} their ids
   */
  bring(shapes, laid) {
    const { album, drawing } = this.#parts;
    const items = laid.map(({ added, place }) => album.lay(added, place));
    this.#portions.do(() => shapes, (shape) => drawing.add([shape]));
    return this.#came(shapes, items);
  }

  /** Lays what is like them beside them. @param {ReadonlySet<string>} ids @param {number} distance points @returns {Promise<string[]>} theirs, where it is done already */
  async duplicate(ids, distance) {
    const { album, drawing } = this.#parts;
    const motion = { factor: 1, x: distance, y: distance };
    /** @type {Map<Drawable, Blob>} */
    const blobs = new Map();
    for (const item of this.#of(ids).filter(isItem)) blobs.set(item, await item.load());
    /** @type {Shape[]} */
    const shapes = [];
    /** @type {Item[]} */
    const items = [];
    // Somebody may have changed them meanwhile.
    const all = this.#of(ids).map((one) => ({ one, id: this.#newKey() }));
    this.#portions.do(() => all, ({ one, id }) => {
      const blob = blobs.get(one);
      const z = drawing.nextZ;
      if (!('place' in one)) {
        const copy = Object.assign(one.moved(motion), { id, z });
        shapes.push(copy);
        drawing.add([copy]);
      } else if (blob) items.push(album.lay({ ...one, blob }, { ...movedPlace(one.place, motion, true), z }));
    });
    return this.#came(shapes, items);
  }

  /** Over all else; among each other they lie as they lay. @param {ReadonlySet<string>} ids */
  bringToFront(ids) {
    const there = this.#of(ids).map(({ id }) => id);
    if (there.length === 0) return;
    /** @type {Change[]} */
    const changes = [];
    /** @type {Shift[]} */
    const shifts = [];
    this.#portions.do(() => there, (id) => {
      const one = this.#find(id);
      if (!one) return;
      const z = this.#parts.drawing.nextZ;
      if ('place' in one) this.#shift(shifts, { item: one, before: one.place, after: { ...one.place, z } });
      else this.#change(changes, { before: one, after: dressed(one, { z }) });
    });
    this.#did({
      undo: () => this.#restyle(there, changes, shifts, ['z'], turned),
      redo: () => this.#restyle(there, changes, shifts, ['z'], asItWas),
    });
  }

  /** Gives shapes another look. @param {ReadonlySet<string>} ids @param {(shape: Shape) => Look} lookOf @returns {boolean} whether there was any */
  restyle(ids, lookOf) {
    const there = this.#of(ids).filter(isShape).map(({ id }) => id);
    if (there.length === 0) return false;
    /** @type {Change[]} */
    const changes = [];
    const names = new Set();
    this.#portions.do(() => there, (id) => {
      const before = this.#parts.motions.lying(id);
      if (!before) return;
      const look = lookOf(before);
      for (const name of Object.keys(look)) names.add(name);
      this.#change(changes, { before, after: dressed(before, look) });
    });
    this.#did({
      undo: () => this.#restyle(there, changes, [], names, turned),
      redo: () => this.#restyle(there, changes, [], names, asItWas),
    });
    return true;
  }

  /** The page is another's: what is left to be done is not to be done there. */
  forget() {
    this.release();
    this.#portions.forget();
  }

  /** @param {string} id @returns {Drawable | null} as it lies */
  #find(id) {
    return this.#parts.items.find(id) ?? this.#parts.motions.lying(id);
  }

  /** @param {string} id */
  #isThere(id) {
    return this.#parts.shapes.find(id) !== null || this.#parts.items.find(id) !== null;
  }

  /** @param {ReadonlySet<string>} ids @returns {Drawable[]} what is there of them, as it lies; lowest first */
  #of(ids) {
    const all = [...ids].map((id) => this.#find(id)).filter((one) => one !== null);
    return all.sort(drawnBefore);
  }

  /** @param {ReadonlySet<string>} ids @returns {Held} */
  #take(ids) {
    const items = this.#parts.items.all.filter(({ id }) => ids.has(id));
    const few = ids.size - items.length <= MAX_SHAPES ? this.#of(ids) : null;
    const points = few?.reduce((sum, one) => sum + ('points' in one ? one.points.length / 2 : 1), 0) ?? Infinity;
    const places = new Map(items.map((item) => [item, item.place]));
    return { ids, places, isLight: points <= MOST_POINTS, motion: STILL };
  }

  /** @param {Shape[]} shapes @param {Item[]} items that are new @returns {string[]} their ids, where they are there already */
  #came(shapes, items) {
    if (shapes.length + items.length === 0 && !this.isBusy) return [];
    const { undo, redo } = this.#taking(shapes, items);
    this.#did({ undo: redo, redo: undo });
    return this.isBusy ? [] : [...shapes, ...items].map(({ id }) => id);
  }

  /** @param {Shape[]} shapes @param {Item[]} items as they will have been when this is done or undone @returns {Deed} of taking them away */
  #taking(shapes, items) {
    const { album, drawing } = this.#parts;
    let taken = items;
    const isThere = (/** @type {Shape} */ { id }) => this.#parts.shapes.find(id) !== null;
    return {
      redo: () => {
        const wasThere = shapes.some(isThere);
        this.#portions.do(() => shapes, (shape) => isThere(shape) && drawing.take([shape]));
        taken = album.take(items);
        return wasThere || taken.length > 0;
      },
      undo: () => {
        const wasGone = !shapes.every(isThere);
        this.#portions.do(() => shapes, (shape) => !isThere(shape) && drawing.add([shape]));
        return album.bringBack(taken) || wasGone;
      },
    };
  }

  /** @param {Change[]} changes where it is noted @param {Change} change */
  #change(changes, change) {
    changes.push(change);
    this.#parts.drawing.change([change.after]);
  }

  /** @param {Shift[]} shifts where it is noted @param {Shift} shift */
  #shift(shifts, shift) {
    shifts.push(shift);
    this.#parts.album.place(shift.item, shift.after);
  }

  /**
   * What others did to them since stays done.
   * @param {string[]} ids @param {Change[]} changes @param {Shift[]} shifts @param {Motion} motion @param {Turn} turn
   * @returns {boolean} whether any is still there
   */
  #move(ids, changes, shifts, motion, turn) {
    return this.#again(
      ids,
      changes,
      shifts,
      (now, change) => {
        const { before, after } = turn(change);
        return now.looksLike(before) ? after : now.moved(motion);
      },
      (now, shift) => {
        const { item, before, after } = turn(shift);
        return lieAlike(now, before) ? after : movedPlace(now, motion, item.isPicture);
      },
    );
  }

  /** The same. @param {string[]} ids @param {Change[]} changes @param {Shift[]} shifts @param {Iterable<string>} names of what differs @param {Turn} turn */
  #restyle(ids, changes, shifts, names, turn) {
    const look = (/** @type {Shape | Place} */ now, /** @type {Change | Shift} */ change) => {
      const { before, after } = /** @type {Record<string, any>} */ (turn(change));
      const mine = [...names].filter((name) => /** @type {any} */ (now)[name] === before[name]);
      return mine.length > 0 ? Object.fromEntries(mine.map((name) => [name, after[name]])) : null;
    };
    return this.#again(
      ids,
      changes,
      shifts,
      (now, change) => {
        const changed = look(now, change);
        return changed && dressed(now, changed);
      },
      (now, shift) => {
        const changed = look(now, shift);
        return changed && { ...now, ...changed };
      },
    );
  }

  /**
   * @param {string[]} ids @param {Change[]} changes @param {Shift[]} shifts
   * @param {(now: Shape, change: Change) => Shape | null} changed what becomes of what is there now; null: nothing else
   * @param {(now: Place, shift: Shift) => Place | null} shifted
   * @returns {boolean} whether any is still there
   */
  #again(ids, changes, shifts, changed, shifted) {
    const { album, motions, drawing } = this.#parts;
    this.#portions.do(() => changes, (change) => {
      const now = motions.lying(change.before.id);
      const shape = now && changed(now, change);
      if (shape) drawing.change([shape]);
    });
    this.#portions.do(() => shifts, (shift) => {
      const item = album.now(shift.item);
      const place = item && shifted(item.place, shift);
      if (place) album.place(item, place);
    });
    return ids.some((id) => this.#isThere(id)) || shifts.some(({ item }) => album.now(item) !== null);
  }

  /** @param {Deed} deed that is done */
  #did(deed) {
    this.#parts.history.did(deed);
    this.#parts.drawing.change([]);
  }
}

/** @param {Drawable} one @returns {one is Shape} */
function isShape(one) {
  return !('place' in one);
}

/** @param {Drawable} one @returns {one is Item} */
function isItem(one) {
  return 'place' in one;
}

/** @param {Shape} shape @param {Look} look @returns {Shape} the same but for that */
function dressed(shape, look) {
  return Object.assign(shape.moved(STILL), look);
}

/** @template T @param {T} change @returns {T} */
function asItWas(change) {
  return change;
}

/** @template {{ before: unknown, after: unknown }} T @param {T} change @returns {T} the other way round */
function turned(change) {
  return { ...change, before: change.after, after: change.before };
}

/** @param {Place} a @param {Place} b */
function lieAlike(a, b) {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height && a.z === b.z;
}
