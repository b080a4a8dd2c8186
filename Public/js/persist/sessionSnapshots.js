/** The last known pictures of sessions, which the page shows while the gateway cannot be reached. */

import { Attachment } from '../sync/journal/attachment.js';
import { within } from './database.js';
import { partsOf, SnapshotWriter } from './snapshotWriter.js';

/**
 * @typedef {import('./snapshotWriter.js').SessionRecord} SessionRecord
 * @typedef {import('./snapshotWriter.js').Part} Part
 * @typedef {import('../edit/drawing.js').StoredShape} StoredShape
 * @typedef {import('../edit/itemStore.js').StoredItem} StoredItem
 * @typedef {{ shapes: StoredShape[], items: StoredItem[], isWhole: boolean }} Snapshot
 *
 * @typedef {object} Parts
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../model/scene.js').Items} items
 * @property {import('../protocol/sheetSync.js').Sheets} [sheets]
 * @property {import('./database.js').Database} database its own
 * @property {URL} base address of the gateway
 * @property {() => string} newId random
 * @property {import('./tabLease.js').AcquireLease} take
 * @property {Pick<import('../sync/environment.js').Environment, 'setTimeout' | 'clearTimeout'>} env
 * @property {(run: () => void) => void} [idle] runs it when the page has nothing else to do
 * @property {() => number} [wallClock] milliseconds since 1970
 * @property {number} [maximumBytes]
 */

/** The limit for the shapes of one session; it is about 20,000 strokes. More are left out. */
const MAXIMUM_BYTES = 16 * 2 ** 20;
/** The maximum number and age of stored sessions. */
const MOST_SESSIONS = 8;
const LONGEST_MS = 30 * 86_400_000;
/** The delay between a change and its writing. */
const WRITE_AFTER_MS = 2000;
/** The pause between two batches in browsers without `requestIdleCallback`. */
const PAUSE_MS = 200;
/** The longest wait for an idle moment. */
const LONGEST_BUSY_MS = 10_000;

/** Stores the picture of the page's session. If several tabs show the session, only one of them writes. */
export class SessionSnapshots {
  #parts;
  #idle;
  #wallClock;
  #maximumBytes;
  /** @type {string | null} the session whose picture is stored */
  #session = null;
  /** @type {SnapshotWriter | null} null until the picture is whole, and while another tab writes */
  #writer = null;
  /** True from the end of the first catch-up on. Until then, the page may not show the picture of the session. */
  #isPictureWhole = false;
  #isWriting = false;
  /** @type {Set<string>} the sessions that this page may write */
  #taken = new Set();
  /** @type {unknown} */
  #timer = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#idle = parts.idle ?? idleOver(parts.env);
    this.#wallClock = parts.wallClock ?? Date.now;
    this.#maximumBytes = parts.maximumBytes ?? MAXIMUM_BYTES;
    parts.drawing.watchConfirmed((key) => this.#shapesChanged(key));
    const itemsChanged = () => {
      this.#writer?.itemsChanged();
      this.#writeSoon();
    };
    parts.items.observe({ shown: itemsChanged, changed: itemsChanged, hidden: itemsChanged });
    parts.sheets?.addEventListener('change', itemsChanged);
  }

  /** @param {string} session its id @returns {Promise<Snapshot | null>} null if nothing is stored */
  async read(session) {
    const { database } = this.#parts;
    // Both are read in one transaction, because another tab may replace the record and its parts at any time.
    const [record, parts = []] = await database.read(['sessions', 'parts'], (stores) => {
      const asked = [stores.sessions.get(session)];
      asked[0].onsuccess = () => {
        const { result } = asked[0];
        if (result) asked.push(stores.parts.getAll(partsOf(session, result.copy)));
      };
      return asked;
    }) ?? [];
    if (!record) return null;
    const shapes = parts.flatMap((/** @type {any} */ part) => [...part.shapes ?? [], ...part.sheets ?? []]);
    const items = parts.flatMap((/** @type {any} */ part) => part.items ?? []);
    return {
      shapes,
      items: items.map((/** @type {any} */ item) => ({ ...item, origin: this.#attachment(session, item) })),
      isWhole: record.isWhole,
    };
  }

  /** Starts to store the picture of a session, once it is complete. @param {string} session its id */
  follow(session) {
    this.stop();
    this.#session = session;
  }

  /** Writes the next batch of changes at once. */
  saveNow() {
    if (this.#writer?.isBehind) this.#write(this.#writer);
  }

  /** Stops storing, after a last batch. The stored picture stays. */
  stop() {
    this.saveNow();
    this.#parts.env.clearTimeout(this.#timer);
    this.#timer = null;
    this.#session = null;
    this.#writer = null;
    this.#isPictureWhole = false;
  }

  /**
   * Stores the rest of the picture of a session that has ended, and stops. The gateway no longer has this picture, so it stays
   * until the person removes it. The other tabs of the session do the same, and the last complete copy stays.
   * @param {readonly string[]} pending the keys of changes that the session did not confirm
   */
  end(pending) {
    const session = this.#session;
    const writer = session && this.#isPictureWhole ? this.#writer ?? this.#begin(session) : null;
    this.#writer = null;
    this.stop();
    if (!session) return;
    for (const key of pending) writer?.shapeChanged(key);
    // All parts are encoded at once, because the page may show another picture from now on.
    while (writer?.isBehind) writer.write();
    this.#parts.database.read(['sessions'], ({ sessions }) => {
      const found = sessions.get(session);
      found.onsuccess = () => found.result && sessions.put({ ...found.result, isEnded: true }, session);
      return [];
    }, 'readwrite');
  }

  /** Stops storing and removes the stored picture. */
  forget() {
    const session = this.#session;
    this.#writer = null;
    this.stop();
    if (session) this.#remove(session);
  }

  /** @param {string | null} key */
  #shapesChanged(key) {
    if (!this.#session) return;
    if (key === null) {
      this.#isPictureWhole = true;
      this.#writer?.allChanged();
    } else this.#writer?.shapeChanged(key);
    this.#writeSoon();
  }

  #writeSoon() {
    if (!this.#isPictureWhole || this.#timer !== null) return;
    this.#timer = this.#parts.env.setTimeout(() => {
      this.#idle(() => {
        this.#timer = null;
        this.#writeNext();
      });
    }, WRITE_AFTER_MS);
  }

  async #writeNext() {
    const session = this.#session;
    if (!session || this.#isWriting) return;
    this.#isWriting = true;
    // If the other tabs cannot be asked, one of them may write the picture.
    const isMine = await this.#take(session).catch(() => false);
    if (isMine && session === this.#session && this.#isPictureWhole) {
      this.#writer ??= this.#begin(session);
      await this.#write(this.#writer);
    }
    this.#isWriting = false;
    if (session !== this.#session) this.#writeSoon();
    else if (this.#writer?.isBehind) this.#idle(() => this.#writeNext());
  }

  /** @param {SnapshotWriter} writer */
  async #write(writer) {
    if (await writer.write() || writer !== this.#writer) return;
    // The browser has no space, or no database. The picture is removed, because the outbox needs the space more.
    this.forget();
  }

  /** @param {string} session */
  #begin(session) {
    const { newId, database, drawing, items, sheets } = this.#parts;
    const [wallClock, maximumBytes] = [this.#wallClock, this.#maximumBytes];
    return new SnapshotWriter({ session, copy: newId(), database, drawing, items, sheets, maximumBytes, wallClock });
  }

  /** @param {string} session @returns {Promise<boolean>} false: another tab writes it */
  async #take(session) {
    if (this.#taken.has(session)) return true;
    if (await this.#parts.take(`snapshot-${session}`, { isPatient: false })) this.#taken.add(session);
    return this.#taken.has(session);
  }

  /** @param {string} session */
  #remove(session) {
    this.#parts.database.write(['sessions', 'parts'], (stores) => removeFrom(stores, session));
  }

  /** @param {string} session @param {StoredItem} item @returns {Attachment} the browser's cache may have its contents */
  #attachment(session, { id, name, contentType, size }) {
    const url = new URL(`api/sessions/${session}/attachments/${id}`, this.#parts.base).href;
    const facts = { id, name, contentType, size, sha256: null, metadata: null, participant: null, createdAt: '' };
    const state = /** @type {const} */ ('ready');
    const record = { ...facts, state, offset: size ?? 0, sequence: 0, isStalled: false };
    return new Attachment(record, url, (...request) => fetch(...request));
  }
}

/**
 * Removes the pictures of sessions that have not changed for a long time, and all but the newest pictures. Those of ended sessions
 * stay, because this device may be the only one that has them.
 * @param {import('./database.js').Database} database
 * @param {string} [own] the id of the session whose page is open; its picture stays
 * @param {() => number} [wallClock] milliseconds since 1970
 */
export async function removeOldSnapshots(database, own, wallClock = Date.now) {
  const oldest = wallClock() - LONGEST_MS;
  const most = own ? MOST_SESSIONS - 1 : MOST_SESSIONS;
  await database.read(['sessions', 'parts'], (stores) => {
    /** @type {IDBRequest<SessionRecord[]>} */
    const all = stores.sessions.getAll();
    all.onsuccess = () => {
      const others = all.result.filter(({ id, isEnded }) => id !== own && !isEnded).sort((a, b) => b.at - a.at);
      for (const [index, { id, at }] of others.entries()) if (at < oldest || index >= most) removeFrom(stores, id);
    };
    return [all];
  }, 'readwrite');
}

/** @param {Record<'sessions' | 'parts', IDBObjectStore>} stores @param {string} session its id */
function removeFrom({ sessions, parts }, session) {
  sessions.delete(session);
  parts.delete(within(session));
}

/** @param {Parts['env']} env @returns {(run: () => void) => void} */
function idleOver({ setTimeout }) {
  return (run) => {
    // Not every browser has it.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: LONGEST_BUSY_MS });
    else setTimeout(run, PAUSE_MS);
  };
}
