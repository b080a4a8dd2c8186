/** What a person does to what is chosen: moves it, doubles it, takes it away, brings it to the front. Each is one deed. */

import { newKey } from '../session/key.js';
import { inverse, movedPlace, STILL } from './motion.js';
import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./history.js').Deed} Deed
 * @typedef {import('./item.js').Item} Item
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./placement.js').Place} Place
 * @typedef {import('./stroke.js').Motion} Motion
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {{ before: Mark, after: Mark }} Change
 * @typedef {{ item: Item, before: Place, after: Place }} Shift
 * @typedef {{ ids: Set<string>, places: Map<Item, Place>, isLight: boolean, motion: Motion }} Held
 *
 * @typedef {object} Parts
 * @property {import('./marks.js').Marks} marks
 * @property {import('./items.js').Items} items
 * @property {import('./drawing.js').Drawing} drawing
 * @property {import('./album.js').Album} album
 * @property {import('./history.js').History} history
 * @property {import('./motions.js').Motions} motions
 * @property {import('./motionExchange.js').MotionExchange} exchange
 * @property {() => string} [key]
 */

/** More is not shown while it moves: only the box around it does. */
const MOST_MARKS = 400;
const MOST_POINTS = 40_000;

export class Arranger {
  #parts;
  #newKey;
  /** What is in hand, from where, and where it is. @type {Held | null} */
  #held = null;

  /** @param {Parts} parts */
  constructor({ key = newKey, ...parts }) {
    this.#parts = parts;
    this.#newKey = key;
  }

  /** @returns {Motion | null} of what is in hand, where that is too much to be shown */
  get unshown() {
    return this.#held?.isLight === false ? this.#held.motion : null;
  }

  get isHolding() {
    return this.#held !== null;
  }

  /** Takes them in hand, or moves what is there. @param {ReadonlySet<string>} ids @param {Motion} motion from where they lay */
  hold(ids, motion) {
    const { items, album, motions, exchange } = this.#parts;
    const held = this.#held ?? this.#take(ids);
    this.#held = { ...held, motion };
    if (held.isLight) motions.hold(held.ids, motion);
    const isAlone = held.ids.size === 1;
    for (const [item, place] of held.places) {
      if (items.find(item.id)) album.hold(item, movedPlace(place, motion, item.isPicture), isAlone);
    }
    // A picture alone is shown as those see it too who know of no other motions.
    if (!isAlone || held.places.size === 0) exchange.hold([...held.ids], motion);
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
    const { marks, items } = this.#of(held.ids);
    const changes = marks.map((before) => ({ before, after: before.moved(motion) }));
    const shifts = items.map((item) => {
      const before = places.get(item) ?? item.place;
      return { item, before, after: movedPlace(before, motion, item.isPicture) };
    });
    this.#parts.exchange.put();
    this.#change(changes, shifts);
    this.#parts.motions.letGo();
    if (changes.length + shifts.length === 0) return;
    const back = inverse(motion);
    this.#did({
      undo: () => this.#move(changes.map(turned), shifts.map(turned), back),
      redo: () => this.#move(changes, shifts, motion),
    });
  }

  /** Takes them away, for everybody. @param {ReadonlySet<string>} ids */
  remove(ids) {
    const { marks, items } = this.#of(ids);
    const taking = this.#taking(marks, items);
    taking.redo();
    this.#did(taking);
  }

  /**
   * They come from elsewhere, and are this person's from now on.
   * @param {Mark[]} marks new ones @param {{ added: import('./album.js').Added, place: import('./placement.js').Place }[]} laid
   * @returns {string[]} their ids
   */
  bring(marks, laid) {
    const { album, drawing } = this.#parts;
    const items = laid.map(({ added, place }) => album.lay(added, place));
    drawing.add(marks);
    return this.#came(marks, items);
  }

  /** Lays what is like them beside them. @param {ReadonlySet<string>} ids @param {number} distance points @returns {Promise<string[]>} theirs, lowest first */
  async duplicate(ids, distance) {
    const { album, drawing } = this.#parts;
    const motion = { factor: 1, x: distance, y: distance };
    /** @type {Map<Drawable, Blob>} */
    const blobs = new Map();
    for (const item of this.#of(ids).items) blobs.set(item, await item.load());
    /** @type {Mark[]} */
    const marks = [];
    /** @type {Item[]} */
    const items = [];
    // Somebody may have changed them meanwhile.
    for (const one of this.#of(ids).all) {
      const blob = blobs.get(one);
      const z = drawing.nextZ;
      if (!('place' in one)) {
        const copy = Object.assign(one.moved(motion), { id: this.#newKey(), z });
        marks.push(copy);
        drawing.add([copy]);
      } else if (blob) items.push(album.lay({ ...one, blob }, { ...movedPlace(one.place, motion, true), z }));
    }
    return this.#came(marks, items);
  }

  /** Over all else; among each other they lie as they lay. @param {ReadonlySet<string>} ids */
  bringToFront(ids) {
    const { all } = this.#of(ids);
    /** @type {Change[]} */
    const changes = [];
    /** @type {Shift[]} */
    const shifts = [];
    for (const one of all) {
      const z = this.#parts.drawing.nextZ;
      if ('place' in one) shifts.push({ item: one, before: one.place, after: { ...one.place, z } });
      else changes.push({ before: one, after: Object.assign(one.moved(STILL), { z }) });
      this.#change('place' in one ? [] : changes.slice(-1), 'place' in one ? shifts.slice(-1) : []);
    }
    if (all.length === 0) return;
    this.#did({
      undo: () => this.#raise(changes.map(turned), shifts.map(turned)),
      redo: () => this.#raise(changes, shifts),
    });
  }

  /** @param {ReadonlySet<string>} ids @returns {{ marks: Mark[], items: Item[], all: Drawable[] }} what is there of them, as it lies; lowest first */
  #of(ids) {
    const { motions, items } = this.#parts;
    const all = [...ids].map((id) => items.find(id) ?? motions.lying(id)).filter((one) => one !== null);
    all.sort(drawnBefore);
    return {
      all,
      marks: all.filter(/** @returns {one is Mark} */ (one) => !('place' in one)),
      items: all.filter(/** @returns {one is Item} */ (one) => 'place' in one),
    };
  }

  /** @param {ReadonlySet<string>} ids @returns {Held} */
  #take(ids) {
    const { marks, items } = this.#of(ids);
    const points = marks.reduce((sum, mark) => sum + ('points' in mark ? mark.points.length / 2 : 1), 0);
    const isLight = marks.length <= MOST_MARKS && points <= MOST_POINTS;
    return { ids: new Set(ids), places: new Map(items.map((item) => [item, item.place])), isLight, motion: STILL };
  }

  /** @param {Mark[]} marks @param {Item[]} items that are new @returns {string[]} their ids */
  #came(marks, items) {
    if (marks.length + items.length === 0) return [];
    const { undo, redo } = this.#taking(marks, items);
    this.#did({ undo: redo, redo: undo });
    return [...marks, ...items].map(({ id }) => id);
  }

  /** @param {Mark[]} marks @param {Item[]} items @returns {Deed} of taking them away */
  #taking(marks, items) {
    const { album, drawing } = this.#parts;
    let taken = items;
    return {
      redo: () => {
        const there = marks.filter(({ id }) => this.#parts.marks.find(id));
        drawing.take(there);
        taken = album.take(items);
        return there.length + taken.length > 0;
      },
      undo: () => {
        const gone = marks.filter(({ id }) => !this.#parts.marks.find(id));
        drawing.add(gone);
        return album.bringBack(taken) || gone.length > 0;
      },
    };
  }

  /** @param {Change[]} changes @param {Shift[]} shifts */
  #change(changes, shifts) {
    for (const { item, after } of shifts) this.#parts.album.place(item, after);
    this.#parts.drawing.change(changes.map(({ after }) => after));
  }

  /** What others did to them since stays done. @param {Change[]} changes @param {Shift[]} shifts @param {Motion} motion @returns {boolean} whether any is still there */
  #move(changes, shifts, motion) {
    return this.#redo(
      changes,
      shifts,
      (now, { before, after }) => now.looksLike(before) ? after : now.moved(motion),
      (now, { item, before, after }) => lieAlike(now, before) ? after : movedPlace(now, motion, item.isPicture),
    );
  }

  /** @param {Change[]} changes @param {Shift[]} shifts @returns {boolean} whether any is still there */
  #raise(changes, shifts) {
    return this.#redo(
      changes,
      shifts,
      (now, { before, after }) => now.z === before.z ? Object.assign(now.moved(STILL), { z: after.z }) : now,
      (now, { before, after }) => now.z === before.z ? { ...now, z: after.z } : now,
    );
  }

  /**
   * @param {Change[]} changes @param {Shift[]} shifts
   * @param {(now: Mark, change: Change) => Mark} changed @param {(now: Place, shift: Shift) => Place} shifted what becomes of what is there now
   */
  #redo(changes, shifts, changed, shifted) {
    const { album, motions } = this.#parts;
    const there = changes.flatMap((change) => {
      const now = motions.lying(change.before.id);
      return now ? [{ before: now, after: changed(now, change) }] : [];
    });
    const laid = shifts.flatMap((shift) => {
      const item = album.now(shift.item);
      return item ? [{ item, before: item.place, after: shifted(item.place, shift) }] : [];
    });
    this.#change(there.filter(isNews), laid.filter(isNews));
    return there.length + laid.length > 0;
  }

  /** @param {Deed} deed that is done */
  #did(deed) {
    this.#parts.history.did(deed);
    this.#parts.drawing.change([]);
  }
}

/** @template T @param {{ before: T, after: T }} change */
function isNews({ before, after }) {
  return before !== after;
}

/** @template {{ before: unknown, after: unknown }} T @param {T} change @returns {T} the other way round */
function turned(change) {
  return { ...change, before: change.after, after: change.before };
}

/** @param {Place} a @param {Place} b */
function lieAlike(a, b) {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height && a.z === b.z;
}
