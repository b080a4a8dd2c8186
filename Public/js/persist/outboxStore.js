/** The store of a participant's outbox and token. With them, a later page continues as the same participant. */

import { within } from './database.js';
import { isObject } from '../sync/json.js';

/**
 * @typedef {import('../sync/groupSession.js').SavedParticipant} SavedParticipant
 * @typedef {import('../sync/outbox.js').OutboxItem} OutboxItem
 * @typedef {[number, number]} Run consecutive client sequences: the first one, and their number
 *
 * @typedef {object} StoredOutbox
 * @property {string} claim its lease: at most one open tab holds it
 * @property {string} session
 * @property {number} at milliseconds since 1970
 * @property {string | null} token
 * @property {number} [number] the participant's number; absent in records of earlier versions
 * @property {number} next
 * @property {Run[]} runs the client sequences of the entries that have one
 * @property {number} count of its entries
 *
 * @typedef {object} Parts
 * @property {string} session its id
 * @property {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} storage that lives as long as the tab
 * @property {import('./database.js').Database} database
 * @property {import('./tabLease.js').AcquireLease} acquireLease
 * @property {() => string} newId random
 * @property {() => number} [wallClock] milliseconds since 1970
 */

/**
 * The lifetimes of abandoned outboxes. After an empty one is removed, a later page only joins as a new participant. An outbox
 * with entries is kept for the default lifetime of a session.
 */
const EMPTY_LIFETIME_MS = 86_400_000;
const FULL_LIFETIME_MS = 30 * EMPTY_LIFETIME_MS;
/** The pause after the browser refused a write. */
const RETRY_MS = 5000;

/**
 * The database has one outbox for each participant, with its token. The storage of the tab has the name of its outbox. A
 * duplicated tab has a copy of this name, but cannot get the lease. A tab that opens the link after a restart of the browser
 * adopts an outbox whose lease no tab holds.
 */
export class OutboxStore {
  #parts;
  #name;
  #wallClock;
  #lease = '';
  #token = '';
  /** The stored items, each with its position in the stored order. @type {Map<OutboxItem, number>} */
  #written = new Map();
  #last = 0;
  /** The time of the last refused write; the stored items are unknown then. */
  #refusedAt = -Infinity;
  #isStale = false;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#name = `drawtogether:${parts.session}`;
    this.#wallClock = parts.wallClock ?? Date.now;
  }

  /** True if a later page will find everything that was saved. */
  get isKept() {
    return !this.#isStale;
  }

  /** Acquires an outbox for this tab. @returns {Promise<SavedParticipant | null>} null: a new participant */
  async open() {
    const { acquireLease, newId } = this.#parts;
    const own = this.#own();
    const isOwn = own !== null && await acquireLease(own.claim);
    this.#lease = own && isOwn ? own.claim : await this.#findOrphan() ?? '';
    if (this.#lease) {
      return await this.#load() ?? (own && isOwn ? { token: own.token, outbox: { next: 1, items: [] } } : null);
    }
    this.#lease = newId();
    // The id is new, so no other tab holds the lease and there is nothing to wait for.
    acquireLease(this.#lease);
    return null;
  }

  /** Adopts an outbox with pending entries whose tab was killed. @returns {Promise<SavedParticipant | null>} */
  async openOrphan() {
    this.#lease = await this.#findOrphan() ?? '';
    return this.#lease ? await this.#load() : null;
  }

  /**
   * Stores the changes. The browser has them all when this returns. @param {SavedParticipant} saved
   * @returns {Promise<boolean>} true if they are written
   */
  async save({ token, number, outbox: { next, items } }) {
    const now = this.#wallClock();
    if (this.#token !== token) this.#saveToken(token);
    if (this.#isStale && now < this.#refusedAt + RETRY_MS) return false;
    const isStale = this.#isStale;
    const [before, written] = [isStale ? new Map() : this.#written, new Map()];
    /** @type {[number, OutboxItem][]} */
    const added = [];
    let last = 0;
    for (const item of items) {
      // A new or moved item gets a position at the end, and so do all items that follow it.
      const known = before.get(item) ?? 0;
      last = known > last ? known : this.#last += 1;
      if (last !== known) added.push([last, item]);
      written.set(item, last);
    }
    this.#written = written;
    const stored = {
      claim: this.#lease,
      session: this.#parts.session,
      at: now,
      token,
      number,
      next,
      runs: runsOf(items),
      count: items.length,
    };
    const isKept = await this.#parts.database.write(['outboxes', 'entries'], ({ outboxes, entries }) => {
      if (isStale) entries.delete(within(this.#lease));
      // Mostly, the items at the start are gone, because they are on the gateway's disk. One request deletes them all.
      const first = items.length > 0 ? written.get(items[0]) ?? 0 : this.#last + 1;
      let startsLater = false;
      for (const [item, place] of before) {
        if (place < first) startsLater = true;
        else if (written.get(item) !== place) entries.delete(this.#key(place));
      }
      if (startsLater) entries.delete(IDBKeyRange.bound(this.#key(0), this.#key(first - 1)));
      for (const [place, { entry }] of added) entries.put({ place, entry }, this.#key(place));
      outboxes.put(stored, this.#lease);
    });
    if (!isKept) [this.#isStale, this.#refusedAt] = [true, now];
    else if (isStale) this.#isStale = false;
    return isKept;
  }

  forget() {
    try {
      this.#parts.storage.removeItem(this.#name);
    } catch {
      // Storage is switched off: nothing was stored.
    }
    this.#discard(this.#lease);
  }

  /** @returns {{ claim: string, token: string | null } | null} */
  #own() {
    try {
      const record = JSON.parse(this.#parts.storage.getItem(this.#name) ?? 'null');
      if (!isObject(record) || typeof record.claim !== 'string') return null;
      return { claim: record.claim, token: typeof record.token === 'string' ? record.token : null };
    } catch {
      return null;
    }
  }

  /**
   * Stores the token in the tab's own storage, which is synchronous, and works even if the database is refused.
   * @param {string | null} token
   */
  #saveToken(token) {
    this.#token = token ?? '';
    try {
      this.#parts.storage.setItem(this.#name, JSON.stringify({ claim: this.#lease, token }));
    } catch {
      // Storage is switched off: this tab is a new participant after a reload.
    }
  }

  /** @returns {Promise<string | null>} the lease of an outbox of this session with pending entries, which no tab holds */
  async #findOrphan() {
    const [stored] = await this.#parts.database.read(['outboxes'], ({ outboxes }) => [outboxes.getAll()]) ?? [[]];
    const now = this.#wallClock();
    for (
      const { claim, session, at, count } of stored.sort((
        /** @type {StoredOutbox} */ a,
        /** @type {StoredOutbox} */ b,
      ) => b.at - a.at)
    ) {
      if (at < now - (count > 0 ? FULL_LIFETIME_MS : EMPTY_LIFETIME_MS)) this.#discard(claim);
      else if (
        count > 0 && session === this.#parts.session && await this.#parts.acquireLease(claim, { isPatient: false })
      ) {
        return claim;
      }
    }
    return null;
  }

  /** @returns {Promise<SavedParticipant | null>} */
  async #load() {
    const found = await this.#parts.database.read(['outboxes', 'entries'], ({ outboxes, entries }) => [
      outboxes.get(this.#lease),
      entries.getAll(within(this.#lease)),
    ]);
    /** @type {StoredOutbox | undefined} */
    const stored = found?.[0];
    if (!stored) return null;
    const numbers = stored.runs.flatMap(([first, count]) => Array.from({ length: count }, (_, at) => first + at));
    const items = found?.[1].map(
      (/** @type {{ place: number, entry: any }} */ { place, entry }, /** @type {number} */ at) => {
        const item = { entry, clientSequence: numbers[at] ?? 0, sequence: 0, isAcked: false };
        this.#written.set(item, place);
        this.#last = place;
        return item;
      },
    );
    return { token: stored.token, number: stored.number, outbox: { next: stored.next, items } };
  }

  /** @param {string} claim */
  #discard(claim) {
    this.#parts.database.write(['outboxes', 'entries'], ({ outboxes, entries }) => {
      outboxes.delete(claim);
      entries.delete(within(claim));
    });
  }

  /** @param {number} place */
  #key(place) {
    return `${this.#lease}/${String(place).padStart(12, '0')}`;
  }
}

/** @param {OutboxItem[]} items @returns {Run[]} */
function runsOf(items) {
  /** @type {Run[]} */
  const runs = [];
  for (const { clientSequence } of items) {
    if (clientSequence === 0) break;
    const run = runs[runs.length - 1];
    if (run && run[0] + run[1] === clientSequence) run[1] += 1;
    else runs.push([clientSequence, 1]);
  }
  return runs;
}
