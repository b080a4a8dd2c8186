/** What is drawn and added alone, kept as it is done: it is there again after a reload, or when the tab was killed. */

import { Retention } from '../sync/wire.js';
import { within } from './database.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../sync/wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {{ id: string, at: number }} PageRecord
 * @typedef {{ key: string, type: string, payload: Uint8Array }} MarkRecord
 * @typedef {Pick<Item, 'id' | 'name' | 'contentType' | 'natural' | 'place'>} ItemRecord
 *
 * @typedef {object} Parts
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').Album} album
 * @property {import('../model/scene.js').Items} items
 * @property {import('./database.js').Database} database
 * @property {import('../ui/settings.js').KeptStorage} storage that lives as long as the tab: says which page is the tab's
 * @property {() => string} newId random
 * @property {import('./tabLease.js').AcquireLease} take
 * @property {() => number} [wallClock] milliseconds since 1970
 */

const NAME = 'drawtogether:page';
/** Where a picture is put is written down this long after, for it is pulled at. */
const SETTLED_MS = 250;
/** Of pages that no tab has, the newest stay, for a while. */
const MOST_PAGES = 8;
const LONGEST_MS = 30 * 86_400_000;

/** Each tab has a page of its own. Event: `refused` (the browser keeps nothing of what is done). */
export class AlonePages extends EventTarget {
  #parts;
  #wallClock;
  /** @type {string | null} the page that is open, and kept */
  #page = null;
  /** @type {Map<string, MarkRecord | null>} to be written; null: gone */
  #marks = new Map();
  #isAsked = false;
  /** @type {Set<string> | null} what is told once more, and is written already */
  #known = null;
  /** @type {Map<string, Item>} where they lie is to be written */
  #moved = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {Parts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    this.#wallClock = parts.wallClock ?? Date.now;
    parts.drawing.addEventListener('said', (event) => this.#said(/** @type {CustomEvent} */ (event).detail));
    parts.items.watch({
      shown: (item) => this.#page && this.#keep(item, this.#page),
      changed: (item) => this.#page && this.#moves(item),
      hidden: ({ id }) => {
        this.#moved.delete(id);
        if (this.#page) this.#forgetItem(`${this.#page}/${id}`);
      },
    });
  }

  /**
   * The page that this tab had; a copy of it, if that is another tab's that it was copied from; else the last that no tab has.
   * Later it is kept as it changes.
   */
  async open() {
    const own = this.#parts.storage.getItem(NAME);
    if (own && await this.#parts.take(own)) return await this.#show(own);
    const left = own ? null : await this.#findLeft();
    if (left) return await this.#show(left);
    if (own) await this.#show(own, { isCopy: true });
    else this.begin();
  }

  /** What is there now is this person's alone, and kept from now on. */
  begin() {
    this.#start(this.#parts.newId());
    // Nobody else's: there is nothing to wait for.
    if (this.#page) this.#parts.take(this.#page);
    this.#keepAll();
  }

  /** What is done from now on is somebody else's to keep. @returns {() => Promise<unknown>} forgets what was kept, for it is safe elsewhere */
  close() {
    this.saveNow();
    const page = this.#page;
    this.#page = null;
    if (page) this.#parts.storage.removeItem(NAME);
    return async () => page && await this.#forget(page);
  }

  /** Empties the page. */
  clear() {
    if (!this.#page) return;
    this.#marks.clear();
    this.#forget(this.#page);
  }

  /** Writes down at once what waits for it. */
  saveNow() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write();
  }

  /** @param {string} page */
  #start(page) {
    this.#page = page;
    try {
      this.#parts.storage.setItem(NAME, page);
    } catch {
      // A later page of this tab takes the last that no tab has.
    }
  }

  /** @param {string} page @param {{ isCopy?: boolean }} [options] */
  async #show(page, { isCopy = false } = {}) {
    const { database, drawing, album } = this.#parts;
    const [marks, items, files] = await database.read(['marks', 'items', 'files'], (stores) => [
      stores.marks.getAll(within(page)),
      stores.items.getAll(within(page)),
      stores.files.getAll(within(page)),
    ]) ?? [[], [], []];
    drawing.restore(marks);
    const blobs = new Map(files.map((/** @type {{ id: string, blob: Blob }} */ { id, blob }) => [id, blob]));
    album.restore(items.flatMap((/** @type {ItemRecord} */ item) => {
      const blob = blobs.get(item.id);
      return blob ? [{ ...item, blob }] : [];
    }));
    if (isCopy) this.begin();
    else {
      this.#start(page);
      // What was done while it was read.
      const known = new Set([...marks, ...items].map(({ key, id }) => key ?? id));
      this.#keepAll(known);
    }
  }

  /** @param {Set<string>} [known] what is kept already */
  #keepAll(known = new Set()) {
    this.#known = known;
    this.#parts.drawing.sayAll();
    this.#known = null;
    this.#keepItems(this.#parts.items.all.filter(({ id }) => !known.has(id)));
  }

  /** One after the other: some may have to be loaded. @param {Item[]} items */
  async #keepItems(items) {
    const page = this.#page;
    for (const item of items) if (page) await this.#keep(item, page);
  }

  /** @param {OutgoingEntry} entry */
  #said({ type, key, retention, payload }) {
    if (!this.#page || !key || retention === Retention.append || this.#known?.has(key)) return;
    this.#marks.set(key, retention === Retention.remove ? null : { key, type, payload });
    if (this.#isAsked) return;
    this.#isAsked = true;
    // What is done in one go is written in one go.
    queueMicrotask(() => this.#write());
  }

  /** @param {Item} item @param {string} page */
  async #keep(item, page) {
    const blob = item.blob ?? await item.load().catch(() => null);
    if (!blob || page !== this.#page || this.#parts.items.find(item.id) !== item) return;
    const { id } = item;
    const isKept = await this.#parts.database.write(['pages', 'items', 'files'], ({ pages, items, files }) => {
      pages.put(this.#record(page), page);
      items.put(recordOf(item), `${page}/${id}`);
      files.put({ id, blob }, `${page}/${id}`);
    });
    if (!isKept) this.#refused();
  }

  /** @param {Item} item */
  #moves(item) {
    this.#moved.set(item.id, item);
    this.#timer ??= setTimeout(() => this.saveNow(), SETTLED_MS);
  }

  #write() {
    this.#isAsked = false;
    const page = this.#page;
    if (!page || this.#marks.size + this.#moved.size === 0) return;
    const [marks, moved] = [[...this.#marks], [...this.#moved.values()]];
    this.#marks.clear();
    this.#moved.clear();
    this.#parts.database.write(['pages', 'marks', 'items'], (stores) => {
      stores.pages.put(this.#record(page), page);
      for (const [key, mark] of marks) {
        if (mark) stores.marks.put(mark, `${page}/${key}`);
        else stores.marks.delete(`${page}/${key}`);
      }
      for (const item of moved) stores.items.put(recordOf(item), `${page}/${item.id}`);
    }).then((isKept) => {
      if (isKept) return;
      // With what comes next it is tried again.
      if (page === this.#page) this.#marks = new Map([...marks, ...this.#marks]);
      this.#refused();
    });
  }

  /** @param {string} page @returns {PageRecord} */
  #record(page) {
    return { id: page, at: this.#wallClock() };
  }

  /** @param {string} name */
  #forgetItem(name) {
    this.#parts.database.write(['items', 'files'], ({ items, files }) => {
      items.delete(name);
      files.delete(name);
    });
  }

  /** @param {string} page */
  async #forget(page) {
    await this.#parts.database.write(['pages', 'marks', 'items', 'files'], ({ pages, ...things }) => {
      pages.delete(page);
      for (const store of Object.values(things)) store.delete(within(page));
    });
  }

  /** @returns {Promise<string | null>} the last page that no tab has */
  async #findLeft() {
    const [pages] = await this.#parts.database.read(['pages'], (stores) => [stores.pages.getAll()]) ?? [[]];
    const oldest = this.#wallClock() - LONGEST_MS;
    /** @type {string | null} */
    let left = null;
    const inOrder = pages.sort((/** @type {PageRecord} */ a, /** @type {PageRecord} */ b) => b.at - a.at);
    for (const [index, { id, at }] of inOrder.entries()) {
      const isOld = at < oldest || index >= MOST_PAGES;
      if ((left && !isOld) || !await this.#parts.take(id, { isPatient: false })) continue;
      if (isOld) this.#forget(id);
      else left = id;
    }
    return left;
  }

  #refused() {
    this.dispatchEvent(new Event('refused'));
  }
}

/** @param {Item} item @returns {ItemRecord} */
function recordOf({ id, name, contentType, natural, place }) {
  return { id, name, contentType, natural, place };
}
