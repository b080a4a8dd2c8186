/** The pictures and files on the page, with or without a session: adds, removes and restores them. */

import { newKey } from '../sync/key.js';
import { Item } from '../model/item.js';
import { onPlane } from '../model/placement.js';
import { ItemSync } from './itemSync.js';
import { ItemPlacements } from './itemPlacements.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/journal/groupSessionJournal.js').GroupSessionJournal} GroupSessionJournal
 * @typedef {import('../model/placement.js').Placement} Placement
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {{ blob: Blob, name: string, contentType: string, natural: Size | null, preview?: string }} ItemContent
 * @typedef {Pick<Item, 'id' | 'name' | 'contentType' | 'size' | 'natural' | 'by' | 'place' | 'origin'>} StoredItem
 *
 * @typedef {object} Options
 * @property {import('../model/scene.js').Items} items
 * @property {import('./undoHistory.js').UndoHistory} history
 * @property {{ next: number, seen(z: number): void }} depth `next`: a `z` above everything known; `seen`: reports a `z` that is
 *   in use
 * @property {() => string} [key]
 * @property {() => number} [now] milliseconds
 */

/**
 * Events: `change` (of the items or their progress), `itemadded` and `itemremoved` (detail: an item that another participant has
 * just added or removed), `remotechange` (another participant moved an item; detail: a `RemoteChange`), `error` (detail: an item
 * that cannot be removed or uploaded, and the reason).
 */
export class ItemStore extends EventTarget {
  #items;
  #history;
  #depth;
  #newKey;
  #sync;
  /** The placements of the items, to drag and move them. */
  placements;
  /** @type {Map<string, string>} the new ids of restored items, by their old ids: a removed attachment cannot be restored */
  #replacementIds = new Map();
  /** @type {Set<string>} the items shown by `showStored`, until the catch-up */
  #stored = new Set();

  /** @param {Options} options */
  constructor({ items, history, depth, key = newKey, now = () => performance.now() }) {
    super();
    this.#items = items;
    this.#history = history;
    this.#depth = depth;
    this.#newKey = key;
    const changed = () => this.#changed();
    this.placements = new ItemPlacements(items, {
      changed,
      movedByOther: (item, sender) => this.#emit('remotechange', { sender, before: item, after: item }),
      seen: (z) => depth.seen(z),
    }, now);
    this.#sync = new ItemSync(items, this.placements, {
      changed,
      caughtUp: (journal) => this.#caughtUp(journal),
      addedByOther: (item) => this.#emit('itemadded', item),
      removedByOther: (item) => this.#emit('itemremoved', item),
      failed: (item, error) => this.#emit('error', { item, error }),
    });
  }

  /** Adds previews to pictures that are uploaded from now on. @param {import('./previews.js').Previews} previews */
  usePreviews(previews) {
    this.#sync.previews = previews;
  }

  /**
   * Joins the items to a session.
   * @param {GroupSession} session @param {GroupSessionJournal} journal the session's
   * @param {{ bringsPicture: boolean }} options `bringsPicture`: true to upload the current items to the session
   * @returns {Promise<unknown>} fulfilled when the uploads have started
   */
  attach(session, journal, { bringsPicture }) {
    this.detach();
    if (!bringsPicture) this.clear();
    return this.#sync.attach(session, journal);
  }

  /** Separates the items from the session. Items whose content can be loaded stay. */
  detach() {
    this.#sync.detach();
    this.#stored.clear();
    for (const item of [...this.#items.all]) {
      const { attachment } = item;
      item.upload = null;
      item.attachment = null;
      if (attachment?.isReady) item.origin = attachment;
      // Without the session, unfinished uploads of others cannot be loaded.
      if (!item.canLoad) this.placements.discard(item);
      else item.state = 'local';
    }
    this.#changed();
  }

  /** Removes everything on this page only, not in the session. */
  clear() {
    this.placements.clear();
    this.#stored.clear();
    this.#replacementIds.clear();
    this.#changed();
  }

  /**
   * Adds an item to the page and uploads it.
   * @param {ItemContent} added @param {{ x: number, y: number } & Size} at @returns {Item}
   */
  add(added, at) {
    return this.addAll([{ added, at }])[0];
  }

  /**
   * Adds several items as one command.
   * @param {{ added: ItemContent, at: { x: number, y: number } & Size }[]} placed @returns {Item[]}
   */
  addAll(placed) {
    const items = placed.map(({ added, at }) => this.#insert(added, onPlane({ ...at, z: this.#depth.next })));
    let removed = items;
    const undo = () => (removed = this.removeAll(items)).length > 0;
    if (items.length > 0) {
      this.#history.push({
        undo,
        redo: () => this.restoreRemoved(removed),
        content: { kind: 'added', shapes: [], items },
      });
    }
    this.#changed();
    return items;
  }

  /** The number of unfinished uploads of pictures and files. */
  get pendingUploads() {
    const waiting = this.#items.all.filter(({ upload }) => upload && !upload.isOver);
    const pictures = waiting.filter(({ isPicture }) => isPicture).length;
    return { pictures, files: waiting.length - pictures };
  }

  /** Adds items that were stored without a session. @param {(ItemContent & { id: string, place: Placement })[]} stored */
  restore(stored) {
    for (const { id, place, ...added } of stored) if (!this.#items.find(id)) this.#insert(added, place, id);
    this.#changed();
  }

  /** Shows the items that the session had when they were stored, until the catch-up. @param {StoredItem[]} stored */
  showStored(stored) {
    for (const { id, name, contentType, size, natural, by, place, origin } of stored) {
      if (this.#items.find(id)) continue;
      const item = new Item({ id, name, contentType, size, place });
      Object.assign(item, { natural, by, origin, state: 'ready' });
      this.#stored.add(id);
      this.placements.show(item, place);
    }
    this.#changed();
  }

  /** @param {GroupSessionJournal} journal the complete journal */
  #caughtUp(journal) {
    this.#discardUnlisted(journal);
    // Loads the failed pictures again, because the gateway may have been unreachable.
    for (const item of this.#items.all) if (item.problem) this.retryLoad(item);
  }

  /** Discards the stored items that the session no longer has. @param {GroupSessionJournal} journal */
  #discardUnlisted(journal) {
    const listed = new Set([...journal.current, ...journal.uploads].map(({ id }) => id));
    for (const id of this.#stored) {
      const item = listed.has(id) ? null : this.#items.find(id);
      if (item) this.placements.discard(item);
    }
    this.#stored.clear();
  }

  /**
   * Adds an item. The caller pushes the command to the undo history.
   * @param {ItemContent} added @param {Placement} place @param {string} [id] @returns {Item}
   */
  insert(added, place, id) {
    const item = this.#insert(added, onPlane(place), id);
    this.#changed();
    return item;
  }

  /** Removes an item for everybody. Can be undone if its content is available. @param {Item} item */
  async remove(item) {
    let removed = [item];
    const redo = () => (removed = this.removeAll([item])).length > 0;
    if (item.blob) {
      this.#history.push({
        undo: () => this.restoreRemoved(removed),
        redo,
        content: { kind: 'removed', shapes: [], items: [item] },
      });
    }
    await this.#sync.remove(item);
  }

  /** Uploads a failed item again, under a new id: the gateway may not have removed the first upload yet. @param {Item} item */
  retryUpload(item) {
    if (!item.blob) return;
    this.#sync.remove(item);
    this.#restoreRemoved(item, item.blob);
    this.#changed();
  }

  /** Loads a picture again after a failure. @param {Item} item */
  retryLoad(item) {
    item.problem = '';
    this.placements.pictureChanged(item);
  }

  /** @param {readonly { id: string }[]} items @returns {Item[]} the removed items, in their last state */
  removeAll(items) {
    const there = items.map((item) => this.current(item)).filter((item) => item !== null);
    for (const item of there) this.#sync.remove(item);
    return there;
  }

  /** @param {Item[]} items @returns {boolean} true if they exist again, or still exist because they could not be removed */
  restoreRemoved(items) {
    for (const item of items) if (item.blob && !this.current(item)) this.#restoreRemoved(item, item.blob);
    this.#changed();
    return items.some((item) => this.current(item));
  }

  /** Adds a removed item again with its last placement, under a new id. @param {Item} item that was removed @param {Blob} blob */
  #restoreRemoved({ id, name, contentType, natural, preview, place }, blob) {
    this.#replacementIds.set(id, this.#insert({ blob, name, contentType, natural, preview }, place).id);
  }

  /** @param {{ id: string }} item @returns {Item | null} its current version; null if it does not exist */
  current({ id }) {
    let last = id;
    for (let later = this.#replacementIds.get(id); later; later = this.#replacementIds.get(later)) last = later;
    return this.#items.find(last);
  }

  /** @param {ItemContent} added @param {Placement} place @param {string} [id] @returns {Item} */
  #insert({ blob, name, contentType, natural, preview = '' }, place, id = this.#newKey()) {
    const item = new Item({ id, name, contentType, size: blob.size, place });
    item.blob = blob;
    item.natural = natural;
    item.preview = preview;
    this.placements.show(item, place);
    this.#sync.upload(item, blob);
    return item;
  }

  /** @param {string} event @param {Item | { item: Item, error: unknown } | import('../model/scene.js').RemoteChange} detail */
  #emit(event, detail) {
    this.dispatchEvent(new CustomEvent(event, { detail }));
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}
