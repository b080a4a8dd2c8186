/** The exchange of items with the session: uploads this person's items, and applies the changes of the session's journal. */

import { errorText, strings } from '../i18n/i18n.js';
import { CARD, Item } from '../model/item.js';
import { readPreview } from '../model/preview.js';
import { fallbackPosition, placementMessage, readPlacement } from '../model/placement.js';

/**
 * @typedef {import('../sync/journal/attachment.js').Attachment} Attachment
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/journal/groupSessionJournal.js').GroupSessionJournal} GroupSessionJournal
 * @typedef {import('../sync/uploads/upload.js').Upload} Upload
 */

export class ItemSync {
  #items;
  #placements;
  #events;
  /** @type {import('./previews.js').Previews | null} null until they are loaded */
  previews = null;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {GroupSessionJournal | null} */
  #journal = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** @type {Set<string>} the ids of items that this person removed; the session may still list them */
  #removed = new Set();
  #isCaughtUp = false;

  /**
   * @param {import('../model/scene.js').Items} items @param {import('./itemPlacements.js').ItemPlacements} placements
   * @param {object} events
   * @param {() => void} events.changed the items or their progress changed
   * @param {(journal: GroupSessionJournal) => void} events.caughtUp the journal is complete
   * @param {(item: Item) => void} events.addedByOther another participant added an item after the catch-up
   * @param {(item: Item) => void} events.removedByOther another participant removed an item
   * @param {(item: Item, error: unknown) => void} events.failed an item cannot be removed or uploaded
   */
  constructor(items, placements, events) {
    this.#items = items;
    this.#placements = placements;
    this.#events = events;
  }

  /**
   * Joins the items to a session, and uploads them.
   * @param {GroupSession} session @param {GroupSessionJournal} journal the session's
   * @returns {Promise<unknown>} fulfilled when the uploads have started
   */
  attach(session, journal) {
    this.#session = session;
    this.#lifetime = new AbortController();
    this.#placements.attach(session, this.#lifetime);
    this.#journal = journal;
    for (const event of ['change', 'progress', 'uploadschange']) {
      journal.addEventListener(event, () => this.#syncWithJournal(journal), this.#lifetime);
    }
    journal.addEventListener('caughtup', () => this.#caughtUp(journal), this.#lifetime);
    session.addEventListener('participantschange', () => this.#syncWithJournal(journal), this.#lifetime);
    return Promise.all([...this.#items.all].map((item) => this.#share(item)));
  }

  /** Separates the items from the session. They stay on the page. */
  detach() {
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#placements.detach();
    this.#session = null;
    this.#journal = null;
    this.#isCaughtUp = false;
    this.#removed.clear();
  }

  /** Uploads an item, if there is a session. @param {Item} item @param {Blob} blob */
  upload(item, blob) {
    if (!this.#journal) return;
    const { id, name, contentType } = item;
    const metadata = placementMessage(item.place);
    const moreMetadata = this.previews?.of(item).then((preview) => preview ? { preview } : {});
    const upload = this.#journal.upload(blob, { id, name, contentType, metadata, moreMetadata });
    item.blob = blob;
    item.state = 'uploading';
    this.#trackUpload(item, upload);
  }

  /** Removes an item on the page and in the session. @param {Item} item */
  async remove(item) {
    const { attachment, upload } = item;
    this.#removed.add(item.id);
    this.#placements.remove(item);
    this.#events.changed();
    const journal = this.#journal;
    try {
      if (upload && !upload.isOver) upload.cancel();
      else if (attachment) await journal?.remove(attachment);
    } catch (error) {
      this.#removed.delete(item.id);
      if (journal && journal === this.#journal) this.#syncWithJournal(journal);
      this.#events.failed(item, error);
    }
  }

  /** @param {GroupSessionJournal} journal the complete journal */
  #caughtUp(journal) {
    this.#isCaughtUp = true;
    this.#events.caughtUp(journal);
    // A gateway that returns with an older state lists removed items again, so they are removed once more.
    for (const { id } of journal.current) if (this.#removed.has(id)) journal.remove({ id }).catch(() => {});
  }

  /** Uploads an existing item to the session. @param {Item} item */
  async #share(item) {
    const journal = this.#journal;
    try {
      const blob = await item.load();
      if (journal && journal === this.#journal && this.#items.find(item.id) === item) this.upload(item, blob);
    } catch (error) {
      if (journal !== this.#journal) return;
      this.#placements.discard(item);
      this.#events.failed(item, new Error(strings.notBrought(errorText(error)), { cause: error }));
    }
    this.#events.changed();
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
    // An upload is cancelled if this person left the session (then the item stays), or if another participant removed the item.
    const isRemoved = item.upload?.state === 'cancelled' && this.#session?.state !== 'invalidated';
    if (isRemoved && this.#items.find(item.id) === item) this.#removedByOther(item);
    this.#events.changed();
  }

  /** Updates the items from the session's journal. @param {GroupSessionJournal} journal */
  #syncWithJournal(journal) {
    const listed = new Set();
    const uploads = new Map(journal.uploads.map((upload) => [upload.id, upload]));
    for (const attachment of journal.current) {
      listed.add(attachment.id);
      if (this.#removed.has(attachment.id)) continue;
      const item = this.#items.find(attachment.id) ?? this.#addFromJournal(attachment);
      if (item.attachment !== attachment) item.preview ||= readPreview(attachment.metadata);
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
    this.#events.changed();
  }

  /** @param {Item} item that another participant removed */
  #removedByOther(item) {
    this.#placements.discard(item);
    this.#events.removedByOther(item);
  }

  /** @param {Attachment} attachment a new one @returns {Item} */
  #addFromJournal({ id, name, contentType, size, metadata }) {
    const item = new Item({ id, name, contentType, size, place: { ...fallbackPosition(id), ...CARD, z: 0 } });
    this.#placements.show(item, readPlacement(metadata));
    if (this.#isCaughtUp) queueMicrotask(() => this.#events.addedByOther(item));
    return item;
  }

  /** @param {Item} item @param {Attachment} attachment */
  #update(item, { name, contentType, size, participant, isReady, isStalled, offset }) {
    const by = participant === null ? '' : this.#session?.participant(participant)?.name ?? '';
    Object.assign(item, { offset, state: isReady ? 'ready' : isStalled ? 'stalled' : 'uploading' });
    this.#placements.update(item, { name, contentType, size, by });
  }
}
