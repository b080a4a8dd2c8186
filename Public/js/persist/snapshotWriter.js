/** Writes the picture of a session to this device in small batches. */

import { within } from './database.js';

/**
 * @typedef {import('../edit/drawing.js').StoredShape} StoredShape
 * @typedef {Pick<import('../model/item.js').Item, 'id' | 'name' | 'contentType' | 'size' | 'natural' | 'by' | 'place'>} ItemRecord
 * @typedef {{ shapes: StoredShape[] } | { items: ItemRecord[], sheets: StoredShape[] }} Part
 *
 * @typedef {object} SessionRecord
 * @property {string} id
 * @property {number} at milliseconds since 1970, of the last change
 * @property {string} copy of the parts that belong to it; a later copy replaces it when it is complete
 * @property {boolean} isWhole false if a part of the picture is left out
 * @property {boolean} [isEnded] true if the session has ended, so that its picture is no longer elsewhere
 *
 * @typedef {object} WriterParts
 * @property {string} session its id
 * @property {string} copy random: names the parts that this writer writes
 * @property {import('./database.js').Database} database
 * @property {Pick<import('../edit/drawing.js').Drawing, 'encodeConfirmed' | 'confirmedKeys'>} drawing
 * @property {{ all: readonly import('../model/item.js').Item[] }} items
 * @property {{ readonly stored: StoredShape[] }} [sheets]
 * @property {number} maximumBytes of the shapes; more are left out
 * @property {() => number} wallClock milliseconds since 1970
 */

/** The number of shapes in a part, which is written as a whole. */
const SHAPES_PER_PART = 64;
/** The number of parts in one transaction: a few milliseconds of encoding. */
const PARTS_PER_BATCH = 8;
/** After the limit was reached, new parts are accepted only below this portion of the limit. */
const ROOM_AGAIN = 0.75;

/** Writes one copy of the picture of one session: all of it at first, then the changed parts. */
export class SnapshotWriter {
  #parts;
  /** @type {Map<string, number>} the part of each shape, by key */
  #partOf = new Map();
  /** @type {Map<number, { keys: Set<string>, bytes: number, isLeftOut: boolean }>} */
  #shapeParts = new Map();
  #last = 0;
  /** @type {Set<number>} parts to be written */
  #changed = new Set();
  #areItemsChanged = true;
  #bytes = 0;
  /** True after a part did not fit. New parts are then not even encoded. */
  #isFull = false;
  #isComplete = false;
  /** The names of the stored parts. @type {Set<string>} */
  #stored = new Set();

  /** @param {WriterParts} parts */
  constructor(parts) {
    this.#parts = parts;
    for (const key of parts.drawing.confirmedKeys) this.shapeChanged(key);
  }

  /** True while changes are waiting to be written. */
  get isBehind() {
    return this.#changed.size > 0 || this.#areItemsChanged;
  }

  /** Handles a change of the session's version of a shape. @param {string} key */
  shapeChanged(key) {
    this.#changed.add(this.#partOf.get(key) ?? this.#assign(key));
  }

  /** Handles that all shapes of the session may have changed. */
  allChanged() {
    for (const part of this.#shapeParts.keys()) this.#changed.add(part);
    for (const key of this.#parts.drawing.confirmedKeys) this.shapeChanged(key);
    this.#areItemsChanged = true;
  }

  /** Handles a change of the items or the sheets. */
  itemsChanged() {
    this.#areItemsChanged = true;
  }

  /**
   * Writes one batch of changes. The database has the whole batch before this returns.
   * @returns {Promise<boolean>} false: the browser refused
   */
  async write() {
    const { session, copy, database } = this.#parts;
    const isNew = this.#stored.size === 0;
    /** @type {[string, Part | null][]} */
    const written = [];
    for (const part of [...this.#changed].slice(0, PARTS_PER_BATCH)) {
      this.#changed.delete(part);
      written.push([String(part).padStart(6, '0'), this.#encode(part)]);
    }
    if (this.#areItemsChanged) {
      written.push(['items', { items: this.#items(), sheets: this.#parts.sheets?.stored ?? [] }]);
    }
    this.#areItemsChanged = false;
    for (const [name, part] of written) {
      if (part) this.#stored.add(name);
      else this.#stored.delete(name);
    }
    this.#isComplete ||= !this.isBehind;
    const count = this.#stored.size;
    // Both transactions are requested at once: the browser completes them even if the page is closed immediately afterwards.
    const [isWritten, found] = await Promise.all([
      database.write(['sessions', 'parts'], ({ parts }) => {
        if (isNew) parts.delete(partsOf(session, copy));
        for (const [name, part] of written) {
          if (part) parts.put(part, `${session}/${copy}/${name}`);
          else parts.delete(`${session}/${copy}/${name}`);
        }
      }),
      this.#isComplete ? this.#writeRecord(count) : [count],
    ]);
    if (found && found[0] !== count) this.#startAgain();
    return isWritten && found !== null;
  }

  /**
   * Writes the record of the session, unless another tab removed parts of this copy: the rest is not the whole picture.
   * @param {number} count the number of parts of this copy
   * @returns {Promise<any[] | null>} the number that was found; null: the browser refused
   */
  #writeRecord(count) {
    const { session, copy, database, wallClock } = this.#parts;
    const isWhole = ![...this.#shapeParts.values()].some(({ isLeftOut }) => isLeftOut);
    const record = { id: session, at: wallClock(), copy, isWhole };
    return database.read(['sessions', 'parts'], ({ sessions, parts }) => {
      const found = parts.count(partsOf(session, copy));
      found.onsuccess = () => {
        if (found.result !== count) return;
        sessions.put(record, session);
        // Deletes earlier copies, whose keys are before or after those of this one.
        parts.delete(IDBKeyRange.bound(`${session}/`, `${session}/${copy}`));
        parts.delete(IDBKeyRange.bound(`${session}/${copy}/\uffff`, `${session}/\uffff`));
      };
      return [found];
    }, 'readwrite');
  }

  /** Writes all parts again. */
  #startAgain() {
    this.#isComplete = false;
    this.#stored.clear();
    this.allChanged();
  }

  /** @param {string} key @returns {number} the part that it belongs to from now on */
  #assign(key) {
    let part = this.#shapeParts.get(this.#last);
    if (!part || part.keys.size >= SHAPES_PER_PART) {
      this.#last += 1;
      part = { keys: new Set(), bytes: 0, isLeftOut: false };
      this.#shapeParts.set(this.#last, part);
    }
    part.keys.add(key);
    this.#partOf.set(key, this.#last);
    return this.#last;
  }

  /** @param {number} number @returns {Part | null} the content of a part; null: nothing, or it is left out */
  #encode(number) {
    const part = this.#shapeParts.get(number);
    if (!part) return null;
    if (this.#isFull && part.bytes === 0) {
      part.isLeftOut = true;
      return null;
    }
    const shapes = [];
    let bytes = 0;
    for (const key of part.keys) {
      const shape = this.#parts.drawing.encodeConfirmed(key);
      if (shape) {
        shapes.push(shape);
        bytes += shape.payload.length;
      } else {
        part.keys.delete(key);
        this.#partOf.delete(key);
      }
    }
    this.#bytes -= part.bytes;
    const { maximumBytes } = this.#parts;
    part.isLeftOut = this.#bytes + bytes > maximumBytes;
    part.bytes = part.isLeftOut ? 0 : bytes;
    this.#bytes += part.bytes;
    this.#isFull = part.isLeftOut || (this.#isFull && this.#bytes > ROOM_AGAIN * maximumBytes);
    if (part.keys.size === 0 && number !== this.#last) this.#shapeParts.delete(number);
    return part.isLeftOut || shapes.length === 0 ? null : { shapes };
  }

  /** @returns {ItemRecord[]} the items whose contents the gateway has */
  #items() {
    return this.#parts.items.all.filter(({ attachment }) => attachment?.isReady).map(
      ({ id, name, contentType, size, natural, by, place }) => ({ id, name, contentType, size, natural, by, place }),
    );
  }
}

/** @param {string} session @param {string} copy */
export function partsOf(session, copy) {
  return within(`${session}/${copy}`);
}
