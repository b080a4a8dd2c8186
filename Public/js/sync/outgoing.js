/** The outbox on a connection: sends its items, and reports the results. */

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
 * @property {(item: OutboxItem, refusal: GroupSessionError | null) => void} acked the session has the item, or the gateway
 *   refused it
 * @property {(item: OutboxItem) => void} reopened the gateway has lost an acknowledged item: it is sent again, and acknowledged
 *   once more
 */

/** The pause after a temporary refusal that names no time. */
const PAUSE_MS = 1000;

export class Outgoing {
  #outbox = new Outbox();
  #connection;
  #sender;
  #events;
  /**
   * Items that are known to be accepted but whose effect is not visible yet: they are reported at `caughtUp`.
   * @type {OutboxItem[]}
   */
  #unseen = [];
  /** The sequence, in this epoch, up to which all entries are known to be on disk. */
  #committed = 0;

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

  get pending() {
    return this.#outbox.pending;
  }

  /** @param {OutgoingEntry} entry @returns {OutboxItem | null} null for an unreliable entry */
  send(entry) {
    if (!entry.reliable) {
      this.#sender.sendUnreliable(entry);
      return null;
    }
    const item = this.#add(entry);
    this.#sender.flush();
    return item;
  }

  /** Continues after the gateway accepted the join. @param {Joined} joined @param {boolean} sameEpoch */
  joined(joined, sameEpoch) {
    const { acknowledged, sequence, committed } = joined;
    const changed = joined.resumed
      ? this.#outbox.resume(acknowledged, sequence, sameEpoch)
      : this.#outbox.beginNumberChange(sameEpoch);
    this.#unseen.push(...changed);
    for (const item of changed) if (item.sequence === 0) this.#reopen(item);
    this.#committed = committed;
    this.#outbox.committed(committed);
  }

  /** Reports all accepted items, because their effects are visible now. */
  caughtUp() {
    this.#outbox.endNumberChange();
    for (const item of this.#unseen.splice(0)) if (item.sequence > 0) this.#ack(item, null);
  }

  /** @param {import('./control.js').Limits} limits */
  start(limits) {
    this.#sender.start(limits);
  }

  stop() {
    this.#sender.stop();
  }

  /**
   * Handles an own entry that came back.
   * @param {import('./wire.js').Entry} entry @param {{ isSeen: boolean }} options `isSeen`: its effect is visible
   */
  echoed({ clientSequence, sequence }, { isSeen }) {
    const accepted = this.#outbox.accepted(clientSequence, sequence);
    // `committed` may arrive before the entries that it covers.
    this.#outbox.committed(this.#committed);
    if (isSeen) { for (const item of accepted) this.#ack(item, null); }
    else this.#unseen.push(...accepted);
  }

  /** Handles an entry that this client sent as another participant. @param {import('./wire.js').Entry} entry */
  echoedBefore(entry) {
    this.#unseen.push(...this.#outbox.acceptedBefore(entry));
  }

  /** @param {number} sequence */
  committed(sequence) {
    this.#committed = Math.max(this.#committed, sequence);
    this.#outbox.committed(this.#committed);
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
        // The gateway has no entry from the expected number on, so these numbers are free.
        const expected = number(body.expected);
        if (expected === 0 || expected > clientSequence) return this.#connection.restart();
        this.#outbox.rewind(expected);
        return this.#sender.flush();
      }
      default: {
        const item = this.#outbox.refused(clientSequence);
        if (item) this.#ack(item, error);
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
    for (const old of superseded) this.#ack(old, null);
    return item;
  }

  /** @param {OutboxItem} item @param {GroupSessionError | null} refusal */
  #ack(item, refusal) {
    if (item.isAcked) return;
    item.isAcked = true;
    this.#events.acked(item, refusal);
  }

  /** @param {OutboxItem} item */
  #reopen(item) {
    if (!item.isAcked) return;
    item.isAcked = false;
    this.#events.reopened(item);
  }
}
