/** What a page keeps of its participant in a session, so that a later page goes on where it was. */

import { within } from './database.js';
import { isObject } from '../sync/control.js';

/**
 * @typedef {import('../sync/groupSession.js').SavedParticipant} SavedParticipant
 * @typedef {import('../sync/outgoing.js').OutboxItem} OutboxItem
 * @typedef {[number, number]} Run the first of so many client sequences, one after the other
 *
 * @typedef {object} Box
 * @property {string} claim who has it: no two tabs
 * @property {string} session
 * @property {number} at milliseconds since 1970
 * @property {string | null} token
 * @property {number} next
 * @property {Run[]} runs of those that had a number
 * @property {number} count of what is in it
 *
 * @typedef {object} Parts
 * @property {string} session its id
 * @property {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} storage that lives as long as the tab
 * @property {import('./database.js').Database} database
 * @property {import('./tabLease.js').Take} take
 * @property {() => string} newId random
 * @property {() => number} [wallClock] milliseconds since 1970
 */

/** Of an empty box nothing is lost but a name; the session itself is not kept longer than a full one. */
const EMPTY_MS = 86_400_000;
const FULL_MS = 30 * EMPTY_MS;
/** After the browser refused to keep it all. */
const RETRY_MS = 5000;

/**
 * What waits to be sent is in a box of the database, with the token; the tab's own storage says which box. A duplicated tab has
 * a copy of that, and finds the box taken; one that opens the link after the browser was ended takes a box that nobody has.
 */
export class ParticipantStore {
  #parts;
  #name;
  #wallClock;
  #claim = '';
  #token = '';
  /** @type {Map<OutboxItem, number>} what is in the box, by its place in the order there */
  #written = new Map();
  #last = 0;
  /** When it could not be written; what is in the box is not known then. */
  #refusedAt = -Infinity;
  #isStale = false;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#name = `drawtogether:${parts.session}`;
    this.#wallClock = parts.wallClock ?? Date.now;
  }

  /** Whether all that was given to it will be there for a later page. */
  get isKept() {
    return !this.#isStale;
  }

  /** @returns {Promise<SavedParticipant | null>} null: this is somebody new */
  async open() {
    const { take, newId } = this.#parts;
    const own = this.#own();
    const isOwn = own !== null && await take(own.claim);
    this.#claim = own && isOwn ? own.claim : await this.#findLeft() ?? '';
    if (this.#claim) {
      return await this.#load() ?? (own && isOwn ? { token: own.token, outbox: { next: 1, items: [] } } : null);
    }
    this.#claim = newId();
    // Nobody else's: there is nothing to wait for.
    take(this.#claim);
    return null;
  }

  /** One that was killed with something to say, and that no tab is any more. @returns {Promise<SavedParticipant | null>} */
  async openLeft() {
    this.#claim = await this.#findLeft() ?? '';
    return this.#claim ? await this.#load() : null;
  }

  /**
   * All of it is on its way when this returns. @param {SavedParticipant} saved
   * @returns {Promise<boolean>} whether it is kept
   */
  async save({ token, outbox: { next, items } }) {
    const now = this.#wallClock();
    if (this.#token !== token) this.#note(token);
    if (this.#isStale && now < this.#refusedAt + RETRY_MS) return false;
    const isStale = this.#isStale;
    const [before, written] = [isStale ? new Map() : this.#written, new Map()];
    /** @type {[number, OutboxItem][]} */
    const added = [];
    let last = 0;
    for (const item of items) {
      // What is new, or in another place than before, comes last, and so does all that follows it.
      const known = before.get(item) ?? 0;
      last = known > last ? known : this.#last += 1;
      if (last !== known) added.push([last, item]);
      written.set(item, last);
    }
    this.#written = written;
    const box = {
      claim: this.#claim,
      session: this.#parts.session,
      at: now,
      token,
      next,
      runs: runsOf(items),
      count: items.length,
    };
    const isKept = await this.#parts.database.write(['outboxes', 'entries'], ({ outboxes, entries }) => {
      if (isStale) entries.delete(within(this.#claim));
      for (const [item, place] of before) if (written.get(item) !== place) entries.delete(this.#key(place));
      for (const [place, { entry }] of added) entries.put({ place, entry }, this.#key(place));
      outboxes.put(box, this.#claim);
    });
    if (!isKept) [this.#isStale, this.#refusedAt] = [true, now];
    else if (isStale) this.#isStale = false;
    return isKept;
  }

  forget() {
    try {
      this.#parts.storage.removeItem(this.#name);
    } catch {
      // Storage is switched off: nothing was kept.
    }
    this.#discard(this.#claim);
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

  /** The tab's own storage is there in the next moment, and where the database is refused. @param {string | null} token */
  #note(token) {
    this.#token = token ?? '';
    try {
      this.#parts.storage.setItem(this.#name, JSON.stringify({ claim: this.#claim, token }));
    } catch {
      // Then this tab is somebody new when it is loaded again.
    }
  }

  /** @returns {Promise<string | null>} a box of this session in which something waits, and that no tab has */
  async #findLeft() {
    const [boxes] = await this.#parts.database.read(['outboxes'], ({ outboxes }) => [outboxes.getAll()]) ?? [[]];
    const now = this.#wallClock();
    for (
      const { claim, session, at, count } of boxes.sort((/** @type {Box} */ a, /** @type {Box} */ b) => b.at - a.at)
    ) {
      if (at < now - (count > 0 ? FULL_MS : EMPTY_MS)) this.#discard(claim);
      else if (count > 0 && session === this.#parts.session && await this.#parts.take(claim, { isPatient: false })) {
        return claim;
      }
    }
    return null;
  }

  /** @returns {Promise<SavedParticipant | null>} */
  async #load() {
    const found = await this.#parts.database.read(['outboxes', 'entries'], ({ outboxes, entries }) => [
      outboxes.get(this.#claim),
      entries.getAll(within(this.#claim)),
    ]);
    /** @type {Box | undefined} */
    const box = found?.[0];
    if (!box) return null;
    const numbers = box.runs.flatMap(([first, count]) => Array.from({ length: count }, (_, at) => first + at));
    const items = found?.[1].map(
      (/** @type {{ place: number, entry: any }} */ { place, entry }, /** @type {number} */ at) => {
        const item = { entry, clientSequence: numbers[at] ?? 0, sequence: 0, settled: false };
        this.#written.set(item, place);
        this.#last = place;
        return item;
      },
    );
    return { token: box.token, outbox: { next: box.next, items } };
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
    return `${this.#claim}/${String(place).padStart(12, '0')}`;
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
