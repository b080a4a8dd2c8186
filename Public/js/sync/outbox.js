/** The outbox: what a participant sends, until the gateway has it on disk. Without socket and clock. */

import { Retention } from './wire.js';

/**
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {object} OutboxItem
 * @property {OutgoingEntry} entry
 * @property {number} clientSequence 0 until it is first put on a socket
 * @property {number} sequence an upper bound of its place in the session's order; 0 until the session holds it
 * @property {boolean} settled its sender was told what became of it
 */

/** Stands where a refused entry stood, until that number is on disk: it is no good entry, so it is refused again. */
const REFUSED = Object.freeze({ type: '', payload: new Uint8Array(0), reliable: true });

/**
 * Entries are numbered when they first go on a socket, and kept until they are committed. What a cut connection may have
 * lost is sent again under the same numbers, so that the gateway can tell a repeat.
 */
export class Outbox {
  /** @type {OutboxItem[]} numbered, in the order of their numbers */
  #numbered = [];
  /** The number of items, from the front, that need not be sent on this socket (again). */
  #onSocket = 0;
  /** The number of items, from the front, that the session is known to hold. Each echo continues from here. */
  #acked = 0;
  /** The number of items, from the front, that the gateway has answered: accepted or refused. */
  #answered = 0;
  /** @type {OutboxItem[]} waiting for a number */
  #waiting = [];
  /** Under which keys something waits, or did since nothing waited at all. @type {Set<string | null | undefined>} */
  #keys = new Set();
  #nextSequence = 1;
  /** The highest number sent in an earlier epoch. Others may have received these entries, so they keep their numbers. */
  #formerSequence = 0;

  /** Lowest client sequence that is still held, or will be used next: `next` of a resume. */
  get next() {
    return this.#numbered[0]?.clientSequence ?? this.#nextSequence;
  }

  get nextSequence() {
    return this.#nextSequence;
  }

  /** @returns {OutboxItem[]} everything the session may not hold yet, oldest first */
  get unsettled() {
    return [...this.#numbered, ...this.#waiting].filter((item) => item.sequence === 0 && item.entry !== REFUSED);
  }

  /** Whether there is something to put on the socket. */
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
    const item = { entry, clientSequence: 0, sequence: 0, settled: false };
    this.#waiting.push(item);
    this.#keys.add(entry.key);
    return item;
  }

  /**
   * Adds an entry that says all about its key, in place of what still waits for a number under that key: a thing that was
   * begun, added to and replaced is as well said at once.
   * @param {OutgoingEntry} entry a replace or a remove
   * @returns {{ item: OutboxItem, superseded: OutboxItem[] }} what waits now, and what no longer does
   */
  addInPlace(entry) {
    // Of thousands that are said in one go, each would be looked for among all.
    if (!this.#keys.has(entry.key)) return { item: this.add(entry), superseded: [] };
    const superseded = this.#waiting.filter((item) => item.entry.key === entry.key);
    if (superseded.length === 0) return { item: this.add(entry), superseded };
    this.#waiting = this.#waiting.filter((item) => item.entry.key !== entry.key);
    const decisive = superseded.findLast((item) => item.entry.retention === Retention.remove || !item.entry.existing);
    if (!decisive || !entry.existing) return { item: this.add(entry), superseded };
    // Removed, and then changed if it exists: it does not.
    if (decisive.entry.retention === Retention.remove) return { item: this.add(decisive.entry), superseded };
    return { item: this.add({ ...entry, existing: false }), superseded };
  }

  /** @returns {OutboxItem | null} what is due on the socket, numbered; `sent` says that it went */
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
   * Our own entry came back in order: so what we said before it is in the session too, though a snapshot left it out.
   * @param {number} clientSequence @param {number} sequence @returns {OutboxItem[]} what we learn by it to have been accepted
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
   * The gateway used the number up and took nothing. Should it come back from before that, no number may be missing.
   * @param {number} clientSequence @returns {OutboxItem | null}
   */
  refused(clientSequence) {
    const index = this.#numbered.findIndex((item) => item.clientSequence === clientSequence);
    if (index < 0 || this.#numbered[index].entry === REFUSED) return null;
    this.#acked = Math.min(this.#acked, index);
    return this.#numbered.splice(index, 1, { entry: REFUSED, clientSequence, sequence: 0, settled: true })[0];
  }

  /** Everything up to a place in the order is on disk. @param {number} sequence */
  committed(sequence) {
    let count = 0;
    while (count < this.#onSocket && this.#isCommitted(this.#numbered[count], sequence)) count += 1;
    if (count === 0) return;
    this.#numbered.splice(0, count);
    this.#onSocket -= count;
    this.#acked = Math.max(0, this.#acked - count);
    this.#answered = Math.max(0, this.#answered - count);
  }

  /** Looks at all items anew: their numbers or their sequences changed. */
  #recount() {
    this.#acked = this.#answered = 0;
  }

  /** @param {OutboxItem} item @param {number} sequence */
  #isCommitted(item, sequence) {
    return item.sequence > 0 && item.sequence <= sequence;
  }

  /**
   * The gateway will drop all from this one on until it comes: their numbers are free again.
   * @param {number} clientSequence @param {{ removesFirst?: boolean }} [options] removing passes even where the quota stops the rest
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

  /** Only what was retained before can be removed out of turn: not what else waits under the key. */
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
   * The socket is gone and a new one has resumed this participant.
   * @param {number} acknowledged highest client sequence the session holds
   * @param {number} sequence all of them are at or before it
   * @param {boolean} sameEpoch whether what was accepted before still counts
   * @returns {OutboxItem[]} what we learn by it to have been accepted, or to be lost: then it has no sequence
   */
  resume(acknowledged, sequence, sameEpoch) {
    const learned = [];
    if (!sameEpoch) this.#formerSequence = this.#nextSequence - 1;
    for (const item of this.#numbered) {
      if (item.clientSequence > acknowledged) {
        if (item.sequence > 0 && item.entry !== REFUSED) learned.push(item);
        item.sequence = 0;
      } else if (item.sequence === 0 || !sameEpoch) {
        if (!item.settled) learned.push(item);
        item.sequence = sequence;
      }
    }
    const again = this.#numbered.findIndex((item) => item.clientSequence > acknowledged);
    this.#onSocket = again < 0 ? this.#numbered.length : again;
    this.#recount();
    this.#nextSequence = Math.max(this.#nextSequence, acknowledged + 1);
    return learned;
  }

  /**
   * We are a new participant: what the session does not hold is numbered anew, in order.
   * @param {boolean} sameEpoch @returns {OutboxItem[]} what it held before
   */
  renumber(sameEpoch) {
    const kept = this.#numbered.filter((item) => !sameEpoch || item.sequence === 0);
    const lost = kept.filter(({ entry, sequence }) => sequence > 0 && entry !== REFUSED);
    this.#waitAgain(kept);
    this.#numbered = [];
    this.#onSocket = 0;
    this.#recount();
    this.#nextSequence = 1;
    this.#formerSequence = 0;
    return lost;
  }

  /** @param {OutboxItem[]} items that give their numbers up */
  #waitAgain(items) {
    for (const item of items) item.clientSequence = item.sequence = 0;
    this.#waiting = [...items.filter(({ entry }) => entry !== REFUSED), ...this.#waiting];
    for (const { entry } of this.#waiting) this.#keys.add(entry.key);
  }

  /** What a later page goes on with: the items themselves. @returns {{ next: number, items: OutboxItem[] }} */
  snapshot() {
    return { next: this.#nextSequence, items: [...this.#numbered, ...this.#waiting] };
  }

  /**
   * What waited has a number now: the one that the page before gave it, if it came to that, whether or not that was written
   * down. So how many the session took says which.
   * @param {{ next: number, items: OutboxItem[] }} snapshot
   */
  restore({ next, items }) {
    this.#nextSequence = next;
    for (const item of items) {
      const clientSequence = item.clientSequence || this.#nextSequence++;
      const settled = item.entry.type === '';
      const entry = settled ? REFUSED : item.entry;
      this.#numbered.push(Object.assign(item, { entry, clientSequence, sequence: 0, settled }));
    }
  }
}
