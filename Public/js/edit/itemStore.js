/** The pictures and files of the page: what a person does to them, alone or in a session. */

import { newKey } from '../sync/key.js';
import { errorWords, words } from '../i18n/i18n.js';
import { CARD, Item } from '../model/item.js';
import { movedPlace } from '../protocol/transformSync.js';
import { madeUpPlace, onPlane, placementMessage, Placements, readPlacement } from '../model/placement.js';
import { PlacementExchange } from '../protocol/placementSync.js';
import { Places } from './autoLayout.js';

/**
 * @typedef {import('../sync/journal/attachment.js').Attachment} Attachment
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/journal/groupSessionJournal.js').GroupSessionJournal} GroupSessionJournal
 * @typedef {import('../sync/uploads/upload.js').Upload} Upload
 * @typedef {import('../model/placement.js').Place} Place
 * @typedef {import('../model/stroke.js').Motion} Motion
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {{ blob: Blob, name: string, contentType: string, natural: Size | null }} Added
 *
 * @typedef {object} Options
 * @property {import('../model/scene.js').Items} items
 * @property {import('./undoHistory.js').History} history
 * @property {{ next: number, seen(z: number): void }} depth above all that is known; what lies at a `z` is known from then on
 * @property {() => string} [key]
 * @property {() => number} [now] milliseconds
 */

/**
 * Events: `change` (of what there is, or how far it is), `appeared` and `vanished` (detail: an item that somebody else
 * added or removed just now), `error` (detail: an item that cannot be removed or brought along, and why).
 */
export class Album extends EventTarget {
  #items;
  #history;
  #depth;
  #newKey;
  #placements = new Placements();
  #exchange;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {GroupSessionJournal | null} */
  #journal = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  #places = new Places(this.#placements);
  /** @type {Set<string>} what this person removed, whether or not the session knows */
  #removed = new Set();
  /** @type {Map<string, string>} what was brought back, under another id: the attachment of the first is gone for good */
  #laterIds = new Map();
  #isCaughtUp = false;

  /** @param {Options} options */
  constructor({ items, history, depth, key = newKey, now = () => performance.now() }) {
    super();
    this.#items = items;
    this.#history = history;
    this.#depth = depth;
    this.#newKey = key;
    this.#exchange = new PlacementExchange(this.#placements, (id) => this.#moved(id), now);
  }

  /**
   * From now on it is the session's.
   * @param {GroupSession} session @param {GroupSessionJournal} journal the session's
   * @param {{ bringsPicture: boolean }} options whether what is there goes into the session
   * @returns {Promise<unknown>} when that is on its way
   */
  attach(session, journal, { bringsPicture }) {
    this.detach();
    if (!bringsPicture) this.clear();
    for (const item of this.#items.all) this.#places.add(item.id, { ...item.place });
    this.#placements.clear();
    this.#session = session;
    this.#lifetime = new AbortController();
    this.#exchange.attach(session, this.#lifetime);
    session.observe({
      entry: ({ system, type, key, sequence }) => {
        if (!system || type !== 'attachment' || !key) return;
        this.#places.told(key, sequence);
        // The journal, which was there first, told of it before that was known.
        this.#moved(key);
      },
      caughtUp: () => {
        this.#isCaughtUp = true;
        // What could not be loaded may have been out of reach.
        for (const item of this.#items.all) if (item.problem) this.tryAgain(item);
        // What was removed is there again when the gateway came back from before that.
        for (const { id } of journal.current) if (this.#removed.has(id)) journal.remove({ id }).catch(() => {});
      },
    }, this.#lifetime);
    this.#journal = journal;
    for (const event of ['change', 'progress', 'uploadschange']) {
      journal.addEventListener(event, () => this.#follow(journal), this.#lifetime);
    }
    session.addEventListener('participantschange', () => this.#follow(journal), this.#lifetime);
    return Promise.all([...this.#items.all].map((item) => this.#bring(item)));
  }

  /** What is there is this person's alone again. */
  detach() {
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#exchange.detach();
    this.#session = null;
    this.#journal = null;
    this.#isCaughtUp = false;
    this.#removed.clear();
    for (const item of [...this.#items.all]) {
      const { attachment } = item;
      item.upload = null;
      item.attachment = null;
      if (attachment?.isReady) item.origin = attachment;
      // What others were adding never comes.
      if (!item.canLoad) this.#drop(item);
      else item.state = 'local';
    }
    this.#changed();
  }

  /** Empties the page, without a word to the session. */
  clear() {
    for (const item of [...this.#items.all]) this.#drop(item);
    this.#placements.clear();
    this.#laterIds.clear();
    this.#changed();
  }

  /** It is on the page at once, and on its way to the others. @param {Added} added @param {{ x: number, y: number } & Size} at @returns {Item} */
  add(added, at) {
    return this.addAll([{ added, at }])[0];
  }

  /** Several at once, which are undone together. @param {{ added: Added, at: { x: number, y: number } & Size }[]} laid @returns {Item[]} */
  addAll(laid) {
    const items = laid.map(({ added, at }) => this.#lay(added, onPlane({ ...at, z: this.#depth.next })));
    let taken = items;
    const undo = () => (taken = this.take(items)).length > 0;
    if (items.length > 0) this.#history.did({ undo, redo: () => this.bringBack(taken) });
    this.#changed();
    return items;
  }

  /** How many are on their way to the session. */
  get waiting() {
    const waiting = this.#items.all.filter(({ upload }) => upload && !upload.isOver);
    const pictures = waiting.filter(({ isPicture }) => isPicture).length;
    return { pictures, files: waiting.length - pictures };
  }

  /** What was added alone, on an earlier page. @param {(Added & { id: string, place: Place })[]} kept */
  restore(kept) {
    for (const { id, place, ...added } of kept) if (!this.#items.find(id)) this.#lay(added, place, id);
    this.#changed();
  }

  /** It is in this person's hand. @param {Item} item @param {Place} place @param {boolean} [isTold] whether the others see it there */
  hold(item, place, isTold = true) {
    this.#exchange.hold(item.id, place, isTold);
  }

  /** It is in somebody else's. @param {string} id @param {Motion} motion @param {number} by @returns {boolean} whether there is such an item */
  pull(id, motion, by) {
    const item = this.#items.find(id);
    if (item) this.#exchange.pull(id, movedPlace(this.#places.lying(item), motion, item.isPicture), by);
    return item !== null;
  }

  /** It goes back to where it was. @param {Item} item */
  release(item) {
    // Those who saw it move are shown where it is.
    if (this.#exchange.release(item.id)) this.#exchange.show(item.id, item.place);
  }

  // For those who arrange what is there: what it takes to undo it, they know themselves.

  /** @param {Item} item @param {Place} place where it lies from now on */
  place(item, place) {
    this.#exchange.put(item.id, place);
    this.#changed();
  }

  /** @param {Added} added @param {Place} place @returns {Item} */
  lay(added, place) {
    const item = this.#lay(added, onPlane(place));
    this.#changed();
    return item;
  }

  /** Takes it away, for everybody; to be undone where what it holds is at hand. @param {Item} item */
  async remove(item) {
    let taken = [item];
    const redo = () => (taken = this.take([item])).length > 0;
    if (item.blob) this.#history.did({ undo: () => this.bringBack(taken), redo });
    await this.#take(item);
  }

  /** @param {Item} item */
  async #take(item) {
    const { attachment, upload } = item;
    this.#removed.add(item.id);
    this.#exchange.remove(item.id);
    this.#drop(item);
    this.#changed();
    const journal = this.#journal;
    try {
      if (upload && !upload.isOver) upload.cancel();
      else if (attachment) await journal?.remove(attachment);
    } catch (error) {
      this.#removed.delete(item.id);
      if (journal && journal === this.#journal) this.#follow(journal);
      this.#failed(item, error);
    }
  }

  /** What failed is tried anew, as another: of the first the gateway may be clearing the rest away. @param {Item} item */
  addAgain(item) {
    if (!item.blob) return;
    this.#take(item);
    this.#bringBack(item, item.blob);
    this.#changed();
  }

  /** Its picture could not be loaded: now it may. @param {Item} item */
  tryAgain(item) {
    item.problem = '';
    this.improved(item);
  }

  /** Its picture is known better than before. @param {Item} item */
  improved(item) {
    item.place = this.#places.of(item);
    this.#items.changed(item);
    this.#changed();
  }

  /** @param {number} now @returns {boolean} whether another frame is needed */
  frame(now) {
    return this.#exchange.frame(now);
  }

  /** @param {Item[]} items @returns {Item[]} those that were still there, as they were at last */
  take(items) {
    const there = items.map((item) => this.now(item)).filter((item) => item !== null);
    for (const item of there) this.#take(item);
    return there;
  }

  /** @param {Item[]} items @returns {boolean} whether they are there, if only because they could not be removed */
  bringBack(items) {
    for (const item of items) if (item.blob && !this.now(item)) this.#bringBack(item, item.blob);
    this.#changed();
    return items.some((item) => this.now(item));
  }

  /** It lies where it lay, under another id. @param {Item} item that was taken away @param {Blob} blob */
  #bringBack({ id, name, contentType, natural, place }, blob) {
    this.#laterIds.set(id, this.#lay({ blob, name, contentType, natural }, place).id);
  }

  /** @param {Item} item @returns {Item | null} what it is by now, if it is there */
  now({ id }) {
    let last = id;
    for (let later = this.#laterIds.get(id); later; later = this.#laterIds.get(later)) last = later;
    return this.#items.find(last);
  }

  /** @param {Added} added @param {Place} place @param {string} [id] @returns {Item} */
  #lay({ blob, name, contentType, natural }, place, id = this.#newKey()) {
    const item = new Item({ id, name, contentType, size: blob.size, place });
    item.blob = blob;
    item.natural = natural;
    this.#show(item, place);
    if (this.#journal) this.#upload(item, blob);
    return item;
  }

  /** Gives the session what is there. @param {Item} item */
  async #bring(item) {
    const journal = this.#journal;
    try {
      const blob = await item.load();
      if (journal && journal === this.#journal && this.#items.find(item.id) === item) this.#upload(item, blob);
    } catch (error) {
      if (journal !== this.#journal) return;
      this.#drop(item);
      this.#failed(item, new Error(words.notBrought(errorWords(error)), { cause: error }));
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
    this.#accompany(item, upload);
  }

  /** @param {Item} item @param {Upload} upload of one's own */
  #accompany(item, upload) {
    if (item.upload === upload) return;
    item.upload = upload;
    item.blob ??= upload.blob;
    upload.addEventListener('change', () => this.#uploadChanged(item), { signal: this.#lifetime?.signal });
  }

  /** @param {Item} item */
  #uploadChanged(item) {
    // Who leaves keeps what was not uploaded; else somebody removed it.
    const isRemoved = item.upload?.state === 'cancelled' && this.#session?.state !== 'invalidated';
    if (isRemoved && this.#items.find(item.id) === item) this.#vanish(item);
    this.#changed();
  }

  /** Makes the page show what the session has. @param {GroupSessionJournal} journal */
  #follow(journal) {
    const listed = new Set();
    const uploads = new Map(journal.uploads.map((upload) => [upload.id, upload]));
    for (const attachment of journal.current) {
      listed.add(attachment.id);
      if (this.#removed.has(attachment.id)) continue;
      const item = this.#items.find(attachment.id) ?? this.#appeared(attachment);
      item.attachment = attachment;
      const upload = uploads.get(attachment.id);
      if (upload) this.#accompany(item, upload);
      this.#update(item, attachment);
    }
    for (const item of [...this.#items.all]) {
      if (!item.attachment || listed.has(item.id) || item.upload?.state === 'failed') continue;
      const upload = uploads.get(item.id);
      if (!upload) this.#vanish(item);
      else {
        // A gateway that came back without it gets it again.
        Object.assign(item, { attachment: null, state: 'uploading' });
        this.#accompany(item, upload);
      }
    }
    this.#changed();
  }

  /** @param {Item} item that somebody removed */
  #vanish(item) {
    this.#drop(item);
    this.#tell('vanished', item);
  }

  /** @param {Attachment} attachment that is new here @returns {Item} */
  #appeared({ id, name, contentType, size, metadata }) {
    const item = new Item({ id, name, contentType, size, place: { ...madeUpPlace(id), ...CARD, z: 0 } });
    this.#show(item, readPlacement(metadata));
    if (this.#isCaughtUp) queueMicrotask(() => this.#tell('appeared', item));
    return item;
  }

  /** @param {Item} item @param {Attachment} attachment */
  #update(item, { name, contentType, size, participant, isReady, isStalled, offset }) {
    const by = participant === null ? '' : this.#session?.participant(participant)?.name ?? '';
    const place = this.#places.of(item);
    const looks = { name, contentType, size, by };
    const isNews = !same(item, looks) || !same(item.place, place);
    Object.assign(item, looks, { place, offset, state: isReady ? 'ready' : isStalled ? 'stalled' : 'uploading' });
    if (isNews) this.#items.changed(item);
  }

  /** @param {Item} item @param {ReturnType<typeof readPlacement>} added */
  #show(item, added) {
    this.#places.add(item.id, added);
    item.place = this.#places.of(item);
    this.#depth.seen(item.z);
    this.#items.add(item);
  }

  /** @param {Item} item */
  #drop(item) {
    this.#places.delete(item.id);
    this.#exchange.gone(item.id);
    this.#items.remove(item);
  }

  /** @param {string | null} id of what may lie elsewhere now; null: all */
  #moved(id) {
    const item = id === null ? null : this.#items.find(id);
    for (const one of id === null ? [...this.#items.all] : item ? [item] : []) {
      const place = this.#places.of(one);
      if (same(one.place, place)) continue;
      one.place = place;
      this.#depth.seen(one.z);
      this.#items.changed(one);
      this.#changed();
    }
  }

  /** @param {string} event @param {Item} item */
  #tell(event, item) {
    this.dispatchEvent(new CustomEvent(event, { detail: item }));
  }

  /** @param {Item} item @param {unknown} error */
  #failed(item, error) {
    this.dispatchEvent(new CustomEvent('error', { detail: { item, error } }));
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/** @param {Record<string, any>} one @param {Record<string, unknown>} other @returns {boolean} whether the first has all that is the other's */
function same(one, other) {
  return Object.entries(other).every(([name, value]) => one[name] === value);
}
