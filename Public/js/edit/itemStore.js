/** The pictures and files on the page, with or without a session: adds, moves, uploads and removes them. */

import { newKey } from '../sync/key.js';
import { errorText, strings } from '../i18n/i18n.js';
import { CARD, Item } from '../model/item.js';
import { transformedPlacement } from '../protocol/transformSync.js';
import { fallbackPosition, onPlane, placementMessage, readPlacement } from '../model/placement.js';
import { PlacementSync } from '../protocol/placementSync.js';
import { ItemPlacements } from './autoLayout.js';

/**
 * @typedef {import('../sync/journal/attachment.js').Attachment} Attachment
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/journal/groupSessionJournal.js').GroupSessionJournal} GroupSessionJournal
 * @typedef {import('../sync/uploads/upload.js').Upload} Upload
 * @typedef {import('../model/placement.js').Placement} Placement
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {{ blob: Blob, name: string, contentType: string, natural: Size | null }} ItemContent
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
 * Events: `change` (of the items or their progress), `itemadded` and `itemremoved` (detail: an item that somebody else added or
 * removed just now), `remotechange` (another participant moved an item; detail: a `RemoteChange`), `error` (detail: an item that
 * cannot be removed or uploaded, and the reason).
 */
export class ItemStore extends EventTarget {
  #items;
  #history;
  #depth;
  #newKey;
  #sync;
  #places;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {GroupSessionJournal | null} */
  #journal = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** @type {Set<string>} the ids of items that this person removed; the session may still list them */
  #removed = new Set();
  /** @type {Map<string, string>} the new ids of restored items, by their old ids: a removed attachment cannot be restored */
  #replacementIds = new Map();
  #isCaughtUp = false;
  /** @type {Set<string>} the items shown by `showStored`, until the catch-up */
  #stored = new Set();

  /** @param {Options} options */
  constructor({ items, history, depth, key = newKey, now = () => performance.now() }) {
    super();
    this.#items = items;
    this.#history = history;
    this.#depth = depth;
    this.#newKey = key;
    this.#sync = new PlacementSync((id) => this.#placementChanged(id), (id, by) => this.#movedByOther(id, by), now);
    this.#places = new ItemPlacements(this.#sync);
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
    for (const item of this.#items.all) this.#places.add(item.id, { ...item.place });
    this.#session = session;
    this.#lifetime = new AbortController();
    this.#sync.attach(session, this.#lifetime);
    this.#journal = journal;
    for (const event of ['change', 'progress', 'uploadschange']) {
      journal.addEventListener(event, () => this.#syncWithJournal(journal), this.#lifetime);
    }
    journal.addEventListener('caughtup', () => this.#caughtUp(journal), this.#lifetime);
    session.addEventListener('participantschange', () => this.#syncWithJournal(journal), this.#lifetime);
    return Promise.all([...this.#items.all].map((item) => this.#share(item)));
  }

  /** Separates the items from the session. Items whose content can be loaded stay. */
  detach() {
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#sync.detach();
    this.#session = null;
    this.#journal = null;
    this.#isCaughtUp = false;
    this.#stored.clear();
    this.#removed.clear();
    for (const item of [...this.#items.all]) {
      const { attachment } = item;
      item.upload = null;
      item.attachment = null;
      if (attachment?.isReady) item.origin = attachment;
      // Without the session, unfinished uploads of others cannot be loaded.
      if (!item.canLoad) this.#discard(item);
      else item.state = 'local';
    }
    this.#changed();
  }

  /** Removes everything on this page only, not in the session. */
  clear() {
    for (const item of [...this.#items.all]) this.#discard(item);
    this.#stored.clear();
    this.#sync.clear();
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
    if (items.length > 0) this.#history.push({ undo, redo: () => this.restoreRemoved(removed) });
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
      this.#show(item, place);
    }
    this.#changed();
  }

  /** @param {GroupSessionJournal} journal the complete journal */
  #caughtUp(journal) {
    this.#isCaughtUp = true;
    this.#discardUnlisted(journal);
    // The gateway may have been unreachable: pictures that could not be loaded are tried again.
    for (const item of this.#items.all) if (item.problem) this.retryLoad(item);
    // A gateway that returns with an older state lists removed items again.
    for (const { id } of journal.current) if (this.#removed.has(id)) journal.remove({ id }).catch(() => {});
  }

  /** Discards the stored items that the session no longer has. @param {GroupSessionJournal} journal */
  #discardUnlisted(journal) {
    const listed = new Set([...journal.current, ...journal.uploads].map(({ id }) => id));
    for (const id of this.#stored) {
      const item = listed.has(id) ? null : this.#items.find(id);
      if (item) this.#discard(item);
    }
    this.#stored.clear();
  }

  /**
   * Starts or continues a drag.
   * @param {Item} item @param {Placement} place @param {boolean} [isShared] true if the others see the drag
   */
  drag(item, place, isShared = true) {
    this.#sync.drag(item.id, place, isShared);
  }

  /**
   * Shows a drag of another participant.
   * @param {string} id @param {Transform} transform @param {number} by @returns {boolean} true if the item exists
   */
  dragRemotely(id, transform, by) {
    const item = this.#items.find(id);
    if (item) this.#sync.dragRemotely(id, transformedPlacement(this.#places.base(item), transform, item.isPicture), by);
    return item !== null;
  }

  /** Ends the drag without a change. @param {Item} item */
  cancelDrag(item) {
    // The others saw the drag, so they get the current placement.
    if (this.#sync.cancelDrag(item.id)) this.#sync.sendPreview(item.id, item.place);
  }

  // For callers that push their own commands to the undo history.

  /** @param {Item} item @param {Placement} place its new placement */
  move(item, place) {
    this.#sync.commit(item.id, place);
    this.#changed();
  }

  /** @param {ItemContent} added @param {Placement} place @returns {Item} */
  insert(added, place) {
    const item = this.#insert(added, onPlane(place));
    this.#changed();
    return item;
  }

  /** Removes an item for everybody. Can be undone if its content is available. @param {Item} item */
  async remove(item) {
    let removed = [item];
    const redo = () => (removed = this.removeAll([item])).length > 0;
    if (item.blob) this.#history.push({ undo: () => this.restoreRemoved(removed), redo });
    await this.#remove(item);
  }

  /** @param {Item} item */
  async #remove(item) {
    const { attachment, upload } = item;
    this.#removed.add(item.id);
    this.#sync.remove(item.id);
    this.#discard(item);
    this.#changed();
    const journal = this.#journal;
    try {
      if (upload && !upload.isOver) upload.cancel();
      else if (attachment) await journal?.remove(attachment);
    } catch (error) {
      this.#removed.delete(item.id);
      if (journal && journal === this.#journal) this.#syncWithJournal(journal);
      this.#failed(item, error);
    }
  }

  /** Uploads a failed item again, under a new id: the gateway may not have removed the first upload yet. @param {Item} item */
  retryUpload(item) {
    if (!item.blob) return;
    this.#remove(item);
    this.#restoreRemoved(item, item.blob);
    this.#changed();
  }

  /** Loads a picture again after a failure. @param {Item} item */
  retryLoad(item) {
    item.problem = '';
    this.pictureChanged(item);
  }

  /** Updates an item after its picture was decoded or its natural size became known. @param {Item} item */
  pictureChanged(item) {
    item.place = this.#places.of(item);
    this.#items.changed(item);
    this.#changed();
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
    return this.#sync.frame(now);
  }

  /** @param {Item[]} items @returns {Item[]} the removed ones, in their last state */
  removeAll(items) {
    const there = items.map((item) => this.current(item)).filter((item) => item !== null);
    for (const item of there) this.#remove(item);
    return there;
  }

  /** @param {Item[]} items @returns {boolean} true if they exist again, or still exist because they could not be removed */
  restoreRemoved(items) {
    for (const item of items) if (item.blob && !this.current(item)) this.#restoreRemoved(item, item.blob);
    this.#changed();
    return items.some((item) => this.current(item));
  }

  /** Adds a removed item again at its place, under a new id. @param {Item} item that was removed @param {Blob} blob */
  #restoreRemoved({ id, name, contentType, natural, place }, blob) {
    this.#replacementIds.set(id, this.#insert({ blob, name, contentType, natural }, place).id);
  }

  /** @param {Item} item @returns {Item | null} its current version; null if it does not exist */
  current({ id }) {
    let last = id;
    for (let later = this.#replacementIds.get(id); later; later = this.#replacementIds.get(later)) last = later;
    return this.#items.find(last);
  }

  /** @param {ItemContent} added @param {Placement} place @param {string} [id] @returns {Item} */
  #insert({ blob, name, contentType, natural }, place, id = this.#newKey()) {
    const item = new Item({ id, name, contentType, size: blob.size, place });
    item.blob = blob;
    item.natural = natural;
    this.#show(item, place);
    if (this.#journal) this.#upload(item, blob);
    return item;
  }

  /** Uploads an existing item to the session. @param {Item} item */
  async #share(item) {
    const journal = this.#journal;
    try {
      const blob = await item.load();
      if (journal && journal === this.#journal && this.#items.find(item.id) === item) this.#upload(item, blob);
    } catch (error) {
      if (journal !== this.#journal) return;
      this.#discard(item);
      this.#failed(item, new Error(strings.notBrought(errorText(error)), { cause: error }));
    }
    this.#changed();
  }

  /** @param {Item} item @param {Blob} blob */
  #upload(item, blob) {
    const { id, name, contentType } = item;
    const metadata = placementMessage(item.place);
    const upload = this.#journal?.upload(blob, { id, name, contentType, metadata });
    if (!upload) return;
    item.blob = blob;
    item.state = 'uploading';
    this.#trackUpload(item, upload);
  }

  /** @param {Item} item @param {Upload} upload this person's */
  #trackUpload(item, upload) {
    if (item.upload === upload) return;
    item.upload = upload;
    item.blob ??= upload.blob;
    upload.addEventListener('change', () => this.#uploadChanged(item), { signal: this.#lifetime?.signal });
  }

  /** @param {Item} item */
  #uploadChanged(item) {
    // An upload is cancelled for one of two reasons: this person left the session, and then the item stays. Or another
    // participant removed the item.
    const isRemoved = item.upload?.state === 'cancelled' && this.#session?.state !== 'invalidated';
    if (isRemoved && this.#items.find(item.id) === item) this.#removedByOther(item);
    this.#changed();
  }

  /** Updates the items from the session's journal. @param {GroupSessionJournal} journal */
  #syncWithJournal(journal) {
    const listed = new Set();
    const uploads = new Map(journal.uploads.map((upload) => [upload.id, upload]));
    for (const attachment of journal.current) {
      listed.add(attachment.id);
      if (this.#removed.has(attachment.id)) continue;
      const item = this.#items.find(attachment.id) ?? this.#addFromJournal(attachment);
      item.attachment = attachment;
      const upload = uploads.get(attachment.id);
      if (upload) this.#trackUpload(item, upload);
      this.#update(item, attachment);
    }
    for (const item of [...this.#items.all]) {
      if (!item.attachment || listed.has(item.id) || item.upload?.state === 'failed') continue;
      const upload = uploads.get(item.id);
      if (!upload) this.#removedByOther(item);
      else {
        // The gateway returned with an older state without the item, so the item is uploaded again.
        Object.assign(item, { attachment: null, state: 'uploading' });
        this.#trackUpload(item, upload);
      }
    }
    this.#changed();
  }

  /** @param {Item} item that somebody removed */
  #removedByOther(item) {
    this.#discard(item);
    this.#emit('itemremoved', item);
  }

  /** @param {Attachment} attachment a new one @returns {Item} */
  #addFromJournal({ id, name, contentType, size, metadata }) {
    const item = new Item({ id, name, contentType, size, place: { ...fallbackPosition(id), ...CARD, z: 0 } });
    this.#show(item, readPlacement(metadata));
    if (this.#isCaughtUp) queueMicrotask(() => this.#emit('itemadded', item));
    return item;
  }

  /** @param {Item} item @param {Attachment} attachment */
  #update(item, { name, contentType, size, participant, isReady, isStalled, offset }) {
    const by = participant === null ? '' : this.#session?.participant(participant)?.name ?? '';
    const place = this.#places.of(item);
    const looks = { name, contentType, size, by };
    const isChanged = !same(item, looks) || !same(item.place, place);
    Object.assign(item, looks, { place, offset, state: isReady ? 'ready' : isStalled ? 'stalled' : 'uploading' });
    if (!isChanged) return;
    this.#depth.seen(item.z);
    this.#items.changed(item);
  }

  /** @param {Item} item @param {ReturnType<typeof readPlacement>} added */
  #show(item, added) {
    this.#places.add(item.id, added);
    item.place = this.#places.of(item);
    this.#depth.seen(item.z);
    this.#items.add(item);
  }

  /** @param {Item} item */
  #discard(item) {
    this.#places.delete(item.id);
    this.#sync.delete(item.id);
    this.#items.remove(item);
  }

  /** @param {string} id of an item whose placement may have changed */
  #placementChanged(id) {
    const item = this.#items.find(id);
    const place = item && this.#places.of(item);
    if (!place || same(item.place, place)) return;
    item.place = place;
    this.#depth.seen(item.z);
    this.#items.changed(item);
    this.#changed();
  }

  /** @param {string} id @param {number} sender */
  #movedByOther(id, sender) {
    const item = this.#items.find(id);
    if (item) this.#emit('remotechange', { sender, before: item, after: item });
  }

  /** @param {string} event @param {Item | import('../model/scene.js').RemoteChange} detail */
  #emit(event, detail) {
    this.dispatchEvent(new CustomEvent(event, { detail }));
  }

  /** @param {Item} item @param {unknown} error */
  #failed(item, error) {
    this.dispatchEvent(new CustomEvent('error', { detail: { item, error } }));
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * @param {Record<string, any>} one @param {Record<string, unknown>} other
 * @returns {boolean} true if `one` has all properties of `other`, with the same values
 */
function same(one, other) {
  return Object.entries(other).every(([name, value]) => one[name] === value);
}
