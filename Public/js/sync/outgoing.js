/** The outbox on a connection: sends what waits, and reports what became of it. */

import { number } from './json.js';
import { Outbox } from './outbox.js';
import { Sender } from './sender.js';
import { Retention } from './wire.js';

/**
 * @typedef {import('./control.js').Joined} Joined
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {import('./errors.js').GroupSessionError} GroupSessionError
 *
 * @typedef {object} OutgoingEvents
 * @property {(item: OutboxItem, refusal: GroupSessionError | null) => void} settled
 * @property {(item: OutboxItem) => void} unsettled it was settled, and the gateway has lost it: it is settled once more
 */

/** When the gateway refuses for now and does not say for how long. */
const PAUSE_MS = 1000;

/** What a participant says: kept in its outbox, put on the connection, and told when it is settled. */
export class Outgoing {
  #outbox = new Outbox();
  #connection;
  #sender;
  #events;
  /** @type {OutboxItem[]} found to be accepted while we were away; told when their effect is seen */
  #learned = [];

  /**
   * @param {import('./connection.js').Connection} connection
   * @param {import('./environment.js').Environment} env
   * @param {OutgoingEvents} events
   */
  constructor(connection, env, events) {
    this.#connection = connection;
    this.#sender = new Sender(this.#outbox, connection, env);
    this.#events = events;
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
    const told = joined.resumed
      ? this.#outbox.resume(acknowledged, sequence, sameEpoch)
      : this.#outbox.renumber(sameEpoch);
    this.#learned.push(...told);
    for (const item of told) if (item.sequence === 0) this.#unsettle(item);
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
      case 'sequence-gap': {
        // Ours and the gateway's counts differ. It holds nothing from the expected one on: those numbers are free.
        const expected = number(body.expected);
        if (expected === 0 || expected > clientSequence) return this.#connection.restart();
        this.#outbox.rewind(expected);
        return this.#sender.flush();
      }
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
    this.#events.settled(item, refusal);
  }

  /** @param {OutboxItem} item */
  #unsettle(item) {
    if (!item.settled) return;
    item.settled = false;
    this.#events.unsettled(item);
  }
}
