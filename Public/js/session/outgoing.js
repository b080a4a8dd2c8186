/** What a participant says: kept in its outbox, put on the connection, and told when it is settled. */

import { number } from './control.js';
import { Outbox } from './outbox.js';
import { Sender } from './sender.js';
import { Retention } from './wire.js';

/**
 * @typedef {import('./control.js').Joined} Joined
 * @typedef {import('./errors.js').GroupSessionError} GroupSessionError
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {(item: OutboxItem, refusal: GroupSessionError | null) => void} Settled
 */

/** When the gateway refuses for now and does not say for how long. */
const PAUSE_MS = 1000;

export class Outgoing {
  #outbox = new Outbox();
  #connection;
  #sender;
  #settled;
  /** @type {OutboxItem[]} found to be accepted while we were away; told when their effect is seen */
  #learned = [];

  /**
   * @param {import('./connection.js').Connection} connection
   * @param {import('./connection.js').Surroundings} around
   * @param {Settled} settled is told once of each entry
   */
  constructor(connection, around, settled) {
    this.#connection = connection;
    this.#sender = new Sender(this.#outbox, connection, around);
    this.#settled = settled;
  }

  get next() {
    return this.#outbox.next;
  }

  get isAwaited() {
    return this.#outbox.isAwaited;
  }

  get unsettled() {
    return this.#outbox.unsettled;
  }

  /** @param {OutgoingEntry} entry @returns {OutboxItem | null} null for what is not reliable */
  send(entry) {
    if (!entry.reliable) {
      this.#sender.sendUnreliable(entry);
      return null;
    }
    const item = this.#add(entry);
    this.#sender.flush();
    return item;
  }

  /** The gateway knows us. @param {Joined} joined @param {boolean} sameEpoch */
  joined(joined, sameEpoch) {
    const { acknowledged, sequence, committed } = joined;
    if (joined.resumed) this.#learned.push(...this.#outbox.resume(acknowledged, sequence, sameEpoch));
    else this.#outbox.renumber(sameEpoch);
    this.#outbox.committed(committed);
  }

  /** What we learned by joining is now seen by all. */
  caughtUp() {
    for (const item of this.#learned.splice(0)) if (item.sequence > 0) this.#settle(item, null);
  }

  /** @param {import('./control.js').Limits} limits */
  start(limits) {
    this.#sender.start(limits);
  }

  stop() {
    this.#sender.stop();
  }

  /** Our own entry came back. @param {import('./wire.js').Entry} entry @param {{ isSeen: boolean }} options whether its effect is seen already */
  echoed({ clientSequence, sequence }, { isSeen }) {
    const accepted = this.#outbox.accepted(clientSequence, sequence);
    if (isSeen) { for (const item of accepted) this.#settle(item, null); }
    else this.#learned.push(...accepted);
  }

  /** @param {number} sequence */
  committed(sequence) {
    this.#outbox.committed(sequence);
  }

  /** @param {number} clientSequence @param {GroupSessionError} error @param {Record<string, unknown>} body of the `error` */
  refused(clientSequence, error, body) {
    switch (error.code) {
      case 'rate-limited':
      case 'session-quota':
      case 'storage-full':
        this.#outbox.rewind(clientSequence, { removesFirst: error.code !== 'rate-limited' });
        return this.#sender.pause(number(body.retryAfterMs) || PAUSE_MS);
      case 'sequence-gap':
        // Ours and the gateway's counts differ: it tells its own when we resume.
        return this.#connection.restart();
      default: {
        const item = this.#outbox.refused(clientSequence);
        if (item) this.#settle(item, error);
      }
    }
  }

  save() {
    return this.#outbox.snapshot();
  }

  /** @param {ReturnType<Outbox['snapshot']>} saved */
  restore(saved) {
    this.#outbox.restore(saved);
  }

  /** @param {OutgoingEntry} entry @returns {OutboxItem} */
  #add(entry) {
    const saysAll = entry.retention === Retention.replace || entry.retention === Retention.remove;
    if (!saysAll) return this.#outbox.add(entry);
    const { item, superseded } = this.#outbox.addInPlace(entry);
    for (const old of superseded) this.#settle(old, null);
    return item;
  }

  /** @param {OutboxItem} item @param {GroupSessionError | null} refusal */
  #settle(item, refusal) {
    if (item.settled) return;
    item.settled = true;
    this.#settled(item, refusal);
  }
}
