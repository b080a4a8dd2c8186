/** Drawings without a session, stored in the browser with each change: they return after a reload or a crash. */

import { Retention } from '../sync/wire.js';
import { within } from './database.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../sync/wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {{ id: string, at: number, isSetAside?: boolean }} BoardRecord `isSetAside`: the person began another board after it
 * @typedef {{ key: string, type: string, payload: Uint8Array }} ShapeRecord
 * @typedef {Pick<Item, 'id' | 'name' | 'contentType' | 'natural' | 'place'>} ItemRecord
 *
 * @typedef {object} Parts
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../model/scene.js').Items} items
 * @property {import('./database.js').Database} database
 * @property {import('../ui/settings.js').KeyValueStorage} storage lives as long as the tab, and has the id of the tab's board
 * @property {() => string} newId random
 * @property {import('./tabLease.js').AcquireLease} take
 * @property {(lease: string) => void} release
 * @property {() => number} [wallClock] milliseconds since 1970
 */

const NAME = 'drawtogether:page';
/** The delay before a changed placement is stored, because a drag changes it continuously. */
const SAVE_DELAY_MS = 250;
/** The maximum number and age of boards that a new tab opens by itself. Other boards are opened from the list of pages. */
const MAX_BOARDS = 8;
const MAX_AGE_MS = 30 * 86_400_000;

/** One board per tab. Event: `refused` (the browser refuses to store it). */
export class LocalBoards extends EventTarget {
  #parts;
  #wallClock;
  /** @type {string | null} the id of the open board, which is stored; null: none */
  #page = null;
  /** @type {Map<string, ShapeRecord | null>} shapes to be written; null: removed */
  #shapes = new Map();
  #isScheduled = false;
  /** @type {Set<string> | null} the ids that are already stored, while `#saveAll` emits everything */
  #saved = null;
  /** @type {Map<string, Item>} items whose placement is to be written */
  #movedItems = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {Promise<void>} */
  #storingItems = Promise.resolve();
  #isKept = true;
  /** The board of another tab that the open one is a copy of; null if it is not a copy. @type {string | null} */
  copiedFrom = null;

  /** @param {Parts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    this.#wallClock = parts.wallClock ?? Date.now;
    parts.drawing.addEventListener(
      'localchange',
      (event) => this.#shapeChanged(/** @type {CustomEvent} */ (event).detail),
    );
    parts.items.observe({
      shown: (item) => this.#page && this.#saveItem(item, this.#page),
      changed: (item) => this.#page && this.#itemMoved(item),
      hidden: ({ id }) => {
        this.#movedItems.delete(id);
        if (this.#page) this.#deleteItem(`${this.#page}/${id}`);
      },
    });
  }

  /** The id of the open board; null: none. */
  get id() {
    return this.#page;
  }

  /** False if the browser refused to store the latest changes. */
  get isKept() {
    return this.#isKept;
  }

  /**
   * Opens a board; without an id, the board of this tab. If another tab has that board, because this tab is a duplicate, opens a
   * copy. A tab without a board opens the latest board that no tab has, or else a new one. From then on, each change is stored.
   * @param {string | null} [board] its id
   */
  async open(board = null) {
    const own = board ?? this.#parts.storage.getItem(NAME);
    if (own && await this.#parts.take(own)) return await this.#load(own);
    const orphan = own ? null : await this.#findOrphan();
    if (orphan) return await this.#load(orphan);
    if (own) await this.#load(own, { isCopy: true });
    else this.begin();
  }

  /** Stores the current picture as a new board, and then each change. */
  begin() {
    this.copiedFrom = null;
    this.#open(this.#parts.newId());
    // The id is new, so no other tab holds the lease, and there is nothing to wait for.
    if (this.#page) this.#parts.take(this.#page);
    this.#saveAll();
  }

  /**
   * Stops storing, because a session stores the picture from now on.
   * @returns {() => Promise<unknown>} deletes the board, once the session has the picture
   */
  close() {
    this.saveNow();
    const page = this.#page;
    this.#page = null;
    if (page) this.#parts.storage.removeItem(NAME);
    return async () => page && await this.#deleteBoard(page);
  }

  /** Fulfilled when the items that the board had at its beginning are stored. */
  get itemsStored() {
    return this.#storingItems;
  }

  /** Closes the board. It stays on this device, and no tab opens it by itself. To be called once its items are stored. */
  setAside() {
    this.saveNow();
    const page = this.#page;
    this.#page = null;
    if (!page) return;
    const { storage, database, release } = this.#parts;
    storage.removeItem(NAME);
    // From then on, another tab can open it.
    database.write(['pages'], ({ pages }) => {
      pages.put({ ...this.#record(page), isSetAside: true }, page);
    }).then((isKept) => isKept && release(page));
  }

  /** Writes all pending changes at once. */
  saveNow() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write();
  }

  /** @param {string} page */
  #open(page) {
    this.#page = page;
    try {
      this.#parts.storage.setItem(NAME, page);
    } catch {
      // Storage is switched off: a later page of this tab opens the latest board that no tab has.
    }
  }

  /** @param {string} page @param {{ isCopy?: boolean }} [options] */
  async #load(page, { isCopy = false } = {}) {
    const { database, drawing, itemStore } = this.#parts;
    const [shapes, items, files] = await database.read(['marks', 'items', 'files'], (stores) => [
      stores.marks.getAll(within(page)),
      stores.items.getAll(within(page)),
      stores.files.getAll(within(page)),
    ]) ?? [[], [], []];
    drawing.restore(shapes);
    const blobs = new Map(files.map((/** @type {{ id: string, blob: Blob }} */ { id, blob }) => [id, blob]));
    itemStore.restore(items.flatMap((/** @type {ItemRecord} */ item) => {
      const blob = blobs.get(item.id);
      return blob ? [{ ...item, blob }] : [];
    }));
    if (isCopy) {
      this.begin();
      this.copiedFrom = page;
    } else {
      this.#open(page);
      // Stores the changes that were made while the board was read.
      const known = new Set([...shapes, ...items].map(({ key, id }) => key ?? id));
      this.#saveAll(known);
    }
  }

  /** @param {Set<string>} [known] the ids that are stored already */
  #saveAll(known = new Set()) {
    this.#saved = known;
    this.#parts.drawing.emitAll();
    this.#saved = null;
    this.#storingItems = this.#saveItems(this.#parts.items.all.filter(({ id }) => !known.has(id)));
  }

  /** Stores items one after the other, because some may have to be loaded. @param {Item[]} items */
  async #saveItems(items) {
    const page = this.#page;
    for (const item of items) if (page) await this.#saveItem(item, page);
  }

  /** @param {OutgoingEntry} entry */
  #shapeChanged({ type, key, retention, payload }) {
    if (!this.#page || !key || retention === Retention.append || this.#saved?.has(key)) return;
    this.#shapes.set(key, retention === Retention.remove ? null : { key, type, payload });
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Changes of the same task are written together.
    queueMicrotask(() => this.#write());
  }

  /** @param {Item} item @param {string} page */
  async #saveItem(item, page) {
    const blob = item.blob ?? await item.load().catch(() => null);
    if (!blob || page !== this.#page || this.#parts.items.find(item.id) !== item) return;
    const { id } = item;
    const isKept = await this.#parts.database.write(['pages', 'items', 'files'], ({ pages, items, files }) => {
      pages.put(this.#record(page), page);
      items.put(recordOf(item), `${page}/${id}`);
      files.put({ id, blob }, `${page}/${id}`);
    });
    if (!isKept) this.#reportRefusal();
  }

  /** @param {Item} item */
  #itemMoved(item) {
    this.#movedItems.set(item.id, item);
    this.#timer ??= setTimeout(() => this.saveNow(), SAVE_DELAY_MS);
  }

  #write() {
    this.#isScheduled = false;
    const page = this.#page;
    if (!page || this.#shapes.size + this.#movedItems.size === 0) return;
    const [shapes, moved] = [[...this.#shapes], [...this.#movedItems.values()]];
    this.#shapes.clear();
    this.#movedItems.clear();
    this.#parts.database.write(['pages', 'marks', 'items'], (stores) => {
      stores.pages.put(this.#record(page), page);
      for (const [key, shape] of shapes) {
        if (shape) stores.marks.put(shape, `${page}/${key}`);
        else stores.marks.delete(`${page}/${key}`);
      }
      for (const item of moved) stores.items.put(recordOf(item), `${page}/${item.id}`);
    }).then((isKept) => {
      if (isKept) return void (this.#isKept = true);
      // The next write tries again.
      if (page === this.#page) this.#shapes = new Map([...shapes, ...this.#shapes]);
      this.#reportRefusal();
    });
  }

  /** @param {string} page @returns {BoardRecord} */
  #record(page) {
    return { id: page, at: this.#wallClock() };
  }

  /** @param {string} name */
  #deleteItem(name) {
    this.#parts.database.write(['items', 'files'], ({ items, files }) => {
      items.delete(name);
      files.delete(name);
    });
  }

  /** @param {string} page */
  async #deleteBoard(page) {
    await this.#parts.database.write(['pages', 'marks', 'items', 'files'], ({ pages, ...things }) => {
      pages.delete(page);
      for (const store of Object.values(things)) store.delete(within(page));
    });
  }

  /** @returns {Promise<string | null>} the latest board that no tab has */
  async #findOrphan() {
    const [pages] = await this.#parts.database.read(['pages'], (stores) => [stores.pages.getAll()]) ?? [[]];
    const oldest = this.#wallClock() - MAX_AGE_MS;
    const inOrder = pages.filter((/** @type {BoardRecord} */ { isSetAside, at }) => !isSetAside && at >= oldest)
      .sort((/** @type {BoardRecord} */ a, /** @type {BoardRecord} */ b) => b.at - a.at);
    for (const { id } of inOrder.slice(0, MAX_BOARDS)) {
      if (await this.#parts.take(id, { isPatient: false })) return id;
    }
    return null;
  }

  #reportRefusal() {
    this.#isKept = false;
    this.dispatchEvent(new Event('refused'));
  }
}

/** @param {Item} item @returns {ItemRecord} */
function recordOf({ id, name, contentType, natural, place }) {
  return { id, name, contentType, natural, place };
}
