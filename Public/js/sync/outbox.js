/** The outbox: the entries of a participant until the gateway has them on disk. Uses no socket and no clock. */

import { FormerItems } from './formerItems.js';
import { Retention } from './wire.js';

/**
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {object} OutboxItem
 * @property {OutgoingEntry} entry
 * @property {number} clientSequence 0 until it is first sent
 * @property {number} sequence an upper bound of its position in the session's order; 0 until the session has it
 * @property {boolean} isAcked true once the result was reported
 */

/** The placeholder of a refused entry until its number is on disk. It has no type, so the gateway refuses it again. */
const REFUSED = Object.freeze({ type: '', payload: new Uint8Array(0), reliable: true });

/**
 * Entries are numbered when they are first sent, and kept until they are committed. Entries that may have been lost with a
 * connection are sent again with the same numbers, so that the gateway recognizes repeats.
 */
export class Outbox {
  /** @type {OutboxItem[]} numbered, in the order of their numbers */
  #numbered = [];
  /** The number of items, from the front, that need not be sent: they were sent on this socket, or the session has them. */
  #onSocket = 0;
  /** The number of items, from the front, that the session is known to have. Each echo continues from here. */
  #acked = 0;
  /** The number of items, from the front, that the gateway has answered: accepted or refused. */
  #answered = 0;
  /** The items that wait for the end of a catch-up, and then for a number. */
  #former = new FormerItems();
  /** @type {OutboxItem[]} waiting for a number */
  #waiting = [];
  /** The keys of all items that wait, or have waited since the queue was last empty. @type {Set<string | null | undefined>} */
  #keys = new Set();
  #nextSequence = 1;
  /**
   * The highest number that was sent in an earlier epoch. Others may have received entries up to this one, so all of them keep
   * their numbers.
   */
  #formerSequence = 0;

  /** The lowest client sequence in the outbox, or else the next one to assign. It is `next` of a resume. */
  get next() {
    return this.#numbered[0]?.clientSequence ?? this.#nextSequence;
  }

  get nextSequence() {
    return this.#nextSequence;
  }

  /** @returns {OutboxItem[]} the items that the session may not have yet, oldest first */
  get pending() {
    const all = [...this.#former.pending, ...this.#numbered, ...this.#waiting];
    return all.filter((item) => item.sequence === 0 && item.entry !== REFUSED);
  }

  /** True if something is left to send on this socket. */
  get hasMore() {
    return this.#onSocket < this.#numbered.length || this.#waiting.length > 0;
  }

  /** True if an item on the socket has no answer yet. Each call continues where the last one found an unanswered item. */
  get isAwaited() {
    for (; this.#answered < this.#onSocket; this.#answered += 1) {
      const { sequence, entry } = this.#numbered[this.#answered];
      if (sequence === 0 && entry !== REFUSED) return true;
    }
    return false;
  }

  /** @param {OutgoingEntry} entry @returns {OutboxItem} */
  add(entry) {
    const item = { entry, clientSequence: 0, sequence: 0, isAcked: false };
    this.#waiting.push(item);
    this.#keys.add(entry.key);
    return item;
  }

  /**
   * Adds a replace or a remove instead of the items under its key that have no number yet, because only the last state matters.
   * @param {OutgoingEntry} entry a replace or a remove
   * @returns {{ item: OutboxItem, superseded: OutboxItem[] }} the added item, and the items that it replaces
   */
  addInPlace(entry) {
    // Without this check, adding thousands of items at once would take quadratic time.
    if (!this.#keys.has(entry.key)) return { item: this.add(entry), superseded: [] };
    const superseded = this.#waiting.filter((item) => item.entry.key === entry.key);
    if (superseded.length === 0) return { item: this.add(entry), superseded };
    this.#waiting = this.#waiting.filter((item) => item.entry.key !== entry.key);
    const decisive = superseded.findLast((item) => item.entry.retention === Retention.remove || !item.entry.existing);
    if (!decisive || !entry.existing) return { item: this.add(entry), superseded };
    // A change with `existing` after a remove has no effect, so the remove is enough.
    if (decisive.entry.retention === Retention.remove) return { item: this.add(decisive.entry), superseded };
    return { item: this.add({ ...entry, existing: false }), superseded };
  }

  /** @returns {OutboxItem | null} the next item to send, with its number. The caller sends it, and then calls `sent` */
  peek() {
    if (this.#onSocket < this.#numbered.length) return this.#numbered[this.#onSocket];
    const item = this.#waiting.shift();
    if (!item) return null;
    if (this.#waiting.length === 0) this.#keys.clear();
    item.clientSequence = this.#nextSequence;
    this.#nextSequence += 1;
    this.#numbered.push(item);
    return item;
  }

  sent() {
    this.#onSocket += 1;
  }

  /**
   * Handles an own entry that came back. The entries before it are in the session too, even if a snapshot omits them.
   * @param {number} clientSequence @param {number} sequence @returns {OutboxItem[]} the items that are now known to be accepted
   */
  accepted(clientSequence, sequence) {
    const acked = [];
    for (; this.#acked < this.#numbered.length; this.#acked += 1) {
      const item = this.#numbered[this.#acked];
      if (item.clientSequence > clientSequence) break;
      if (item.sequence > 0) continue;
      item.sequence = sequence;
      acked.push(item);
    }
    return acked;
  }

  /**
   * Handles a refused entry, whose number is used up. A placeholder stays, because no number may be missing if the gateway
   * returns with an older state.
   * @param {number} clientSequence @returns {OutboxItem | null}
   */
  refused(clientSequence) {
    const index = this.#numbered.findIndex((item) => item.clientSequence === clientSequence);
    if (index < 0 || this.#numbered[index].entry === REFUSED) return null;
    this.#acked = Math.min(this.#acked, index);
    return this.#numbered.splice(index, 1, { entry: REFUSED, clientSequence, sequence: 0, isAcked: true })[0];
  }

  /** Removes the items that are on disk, because everything up to a sequence is. @param {number} sequence */
  committed(sequence) {
    let count = 0;
    while (count < this.#onSocket && this.#isCommitted(this.#numbered[count], sequence)) count += 1;
    if (count === 0) return;
    this.#numbered.splice(0, count);
    this.#onSocket -= count;
    this.#acked = Math.max(0, this.#acked - count);
    this.#answered = Math.max(0, this.#answered - count);
  }

  /** Resets the cursors: numbers or sequences of items have changed. */
  #recount() {
    this.#acked = this.#answered = 0;
  }

  /** @param {OutboxItem} item @param {number} sequence */
  #isCommitted(item, sequence) {
    return item.sequence > 0 && item.sequence <= sequence;
  }

  /**
   * Takes back the numbers from this one on. The gateway drops all entries until the one with this number arrives.
   * @param {number} clientSequence
   * @param {{ removesFirst?: boolean }} [options] `removesFirst`: a full session still accepts removals
   */
  rewind(clientSequence, { removesFirst = false } = {}) {
    if (clientSequence > this.#nextSequence) return;
    const keepsNumbers = this.next <= clientSequence && clientSequence <= this.#formerSequence;
    const first = keepsNumbers ? this.#formerSequence + 1 : clientSequence;
    const again = this.#numbered.filter((item) => item.clientSequence >= first);
    this.#numbered.length -= again.length;
    const due = this.#numbered.filter((item) => item.clientSequence < clientSequence).length;
    this.#onSocket = Math.min(this.#onSocket, due);
    this.#recount();
    this.#waitAgain(again);
    this.#nextSequence = first;
    if (removesFirst && !keepsNumbers) this.#putRemovalsFirst();
  }

  /** Moves the removals to the front whose keys have no other waiting item. */
  #putRemovalsFirst() {
    /** @type {Map<string | null | undefined, number>} */
    const counts = new Map();
    for (const { entry } of this.#waiting) counts.set(entry.key, (counts.get(entry.key) ?? 0) + 1);
    const goesFirst = (/** @type {OutboxItem} */ { entry }) =>
      entry.retention === Retention.remove && counts.get(entry.key) === 1;
    const removals = this.#waiting.filter(goesFirst);
    this.#waiting = [...removals, ...this.#waiting.filter((item) => !goesFirst(item))];
  }

  /**
   * Continues after a new socket has resumed this participant.
   * @param {number} acknowledged the highest client sequence that the session has
   * @param {number} sequence an upper bound of their sequences
   * @param {boolean} sameEpoch true if earlier acceptances are still valid
   * @returns {OutboxItem[]} the items that turn out to be accepted; or lost, if their sequence is now 0
   */
  resume(acknowledged, sequence, sameEpoch) {
    const changed = [];
    if (!sameEpoch) {
      this.#formerSequence = this.#nextSequence - 1;
      this.#former.reopen();
    }
    for (const item of this.#numbered) {
      if (item.clientSequence > acknowledged) {
        if (item.sequence > 0 && item.entry !== REFUSED) changed.push(item);
        item.sequence = 0;
      } else if (item.sequence === 0 || !sameEpoch) {
        if (!item.isAcked) changed.push(item);
        item.sequence = sequence;
      }
    }
    const again = this.#numbered.findIndex((item) => item.clientSequence > acknowledged);
    this.#onSocket = again < 0 ? this.#numbered.length : again;
    this.#recount();
    this.#nextSequence = Math.max(this.#nextSequence, acknowledged + 1);
    return changed;
  }

  /**
   * Continues as a new participant. The items that the session does not have wait for the end of the catch-up, and get new
   * numbers.
   * @param {boolean} sameEpoch @returns {OutboxItem[]} the items that the session had before
   */
  beginNumberChange(sameEpoch) {
    const remaining = this.#numbered.filter((item) => item.entry !== REFUSED && (!sameEpoch || item.sequence === 0));
    const lost = remaining.filter(({ sequence }) => sequence > 0);
    if (!sameEpoch) this.#former.reopen();
    this.#former.add(remaining);
    for (const item of remaining) item.clientSequence = item.sequence = 0;
    this.#numbered = [];
    this.#onSocket = 0;
    this.#recount();
    this.#nextSequence = 1;
    this.#formerSequence = 0;
    return lost;
  }

  /**
   * Handles an entry of the former participant in the catch-up.
   * @param {import('./wire.js').Entry} entry @returns {OutboxItem[]} the items that are now known to be accepted
   */
  acceptedBefore(entry) {
    return this.#former.accepted(entry);
  }

  /** Ends the catch-up of a new participant. The items that were not in it are sent before all others. */
  endNumberChange() {
    this.#waitAgain(this.#former.take());
  }

  /** Takes the numbers of items back. @param {OutboxItem[]} items */
  #waitAgain(items) {
    if (items.length === 0) return;
    for (const item of items) item.clientSequence = item.sequence = 0;
    this.#waiting = [...items.filter(({ entry }) => entry !== REFUSED), ...this.#waiting];
    for (const { entry } of this.#waiting) this.#keys.add(entry.key);
  }

  /** Returns the items themselves, for a later page. @returns {{ next: number, items: OutboxItem[] }} */
  snapshot() {
    return { next: this.#nextSequence, items: [...this.#former.pending, ...this.#numbered, ...this.#waiting] };
  }

  /**
   * Restores a snapshot. Waiting items get numbers at once. If the earlier page sent them without storing it, they had the same
   * numbers. The highest number that the session has then shows the items that were sent.
   * @param {{ next: number, items: OutboxItem[] }} snapshot
   */
  restore({ next, items }) {
    this.#nextSequence = next;
    for (const item of items) {
      const clientSequence = item.clientSequence || this.#nextSequence++;
      const isAcked = item.entry.type === '';
      const entry = isAcked ? REFUSED : item.entry;
      this.#numbered.push(Object.assign(item, { entry, clientSequence, sequence: 0, isAcked }));
    }
  }
}
