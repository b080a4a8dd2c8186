/** Messages of any kind between the participants of a session. */

import { AsyncQueue } from './asyncQueue.js';
import { MessageTooLargeError, NotJoinedError, RateLimitedError } from './errors.js';
import { EntryRate } from './entryRate.js';
import { encodedLength, Retention } from './wire.js';

/**
 * @typedef {import('./groupSession.js').GroupSession} GroupSession
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./participants.js').Participant} Participant
 * @typedef {import('./wire.js').Entry} Entry
 *
 * A kind of message: a class, or the name of the message type. The type of a class is its `messageIdentifier`, or else its name.
 * `Uint8Array` is the kind of plain bytes.
 * @typedef {(new (...parts: any[]) => object) & { messageIdentifier?: string } | string} MessageKind
 *
 * @typedef {object} MessageContext
 * @property {Participant | null} source the sender; null if the participant is no longer known
 * @property {number} sequence its position in the session's order; 0 if unreliable
 * @property {string | null} key
 * @property {number} retention
 */

/** The message type of plain bytes. */
const DATA = 'Data';
/** The maximum number of unread unreliable messages. The oldest are dropped. */
const UNREAD_LIMIT = 1000;
/** The burst that the gateway accepts, as seconds of the average rate. */
const BURST_SECONDS = 2;

export class GroupSessionMessenger {
  #session;
  #isReliable;
  #now;
  /** @type {EntryRate | null} */
  #rate = null;
  /** @type {Map<OutboxItem, { resolve: () => void, reject: (error: Error) => void }>} */
  #sending = new Map();

  /**
   * @param {GroupSession} session waiting or joined
   * @param {{ deliveryMode?: 'reliable' | 'unreliable', now?: () => number }} [options]
   */
  constructor(session, { deliveryMode = 'reliable', now = () => performance.now() } = {}) {
    if (session.state === 'invalidated') throw new NotJoinedError();
    this.#session = session;
    this.#isReliable = deliveryMode === 'reliable';
    this.#now = now;
    session.observe({ acked: (item, refusal) => this.#acked(item, refusal) });
    session.addEventListener('statechange', () => this.#stateChanged());
  }

  get deliveryMode() {
    return this.#isReliable ? 'reliable' : 'unreliable';
  }

  /**
   * Sends a message to all participants, or to some. Messages keep the order of the calls. The promise of a reliable message
   * resolves when the session has the message. Before the join and while the connection is lost, the message waits.
   * @param {object} message an instance of a class, bytes, or any object with the option `type`
   * @param {object} [options]
   * @param {Participant | Iterable<Participant> | null} [options.to] an empty list is allowed
   * @param {string} [options.type] instead of the message's class
   * @param {string} [options.key] the message is retained under this key for later participants
   * @param {'append' | 'replace' | 'remove'} [options.retention] its effect on the retained entries of the key
   * @param {boolean} [options.existing] only if the key has retained entries
   * @returns {Promise<void>} @throws {MessageTooLargeError | RateLimitedError | NotJoinedError} nothing was sent then
   */
  async send(message, { to = null, type, key, retention = 'append', existing = false } = {}) {
    const targets = to === null ? null : numbers(to);
    if (targets?.length === 0) return;
    const kept = key !== undefined && this.#isReliable && targets === null;
    const removes = kept && retention === 'remove';
    const entry = {
      type: type ?? kindName(message.constructor),
      payload: removes ? new Uint8Array(0) : encode(message),
      reliable: this.#isReliable,
      retention: kept ? Retention[retention] : Retention.none,
      key: kept ? key : null,
      existing: kept && !removes && existing,
      targets,
    };
    this.#checkSize(entry.payload.length);
    this.#checkRate(encodedLength(entry));
    const item = this.#session.send(entry);
    if (!item) return;
    await new Promise((resolve, reject) => this.#sending.set(item, { resolve: () => resolve(undefined), reject }));
  }

  /**
   * Returns the messages of a kind, from now on. A catch-up by a snapshot delivers the retained messages first.
   * @param {MessageKind} kind @returns {AsyncQueue<{ message: any, context: MessageContext }>} ends with the session
   */
  messages(kind) {
    const name = typeof kind === 'string' ? kind : kindName(kind);
    const lifetime = new AbortController();
    const queue = new AsyncQueue({
      limit: this.#isReliable ? Infinity : UNREAD_LIMIT,
      stopped: () => lifetime.abort(),
    });
    this.#session.observe({
      entry: (entry) => {
        if (entry.type !== name || entry.system || entry.unchanged || entry.reliable !== this.#isReliable) return;
        // Messages without retention are delivered once; retained ones are delivered again with each snapshot.
        if (entry.isRepeat && entry.retention === Retention.none) return;
        const message = decode(entry);
        if (message !== undefined) queue.put({ message, context: this.#context(entry) });
      },
    }, lifetime);
    this.#session.addEventListener('statechange', () => {
      if (this.#session.state === 'invalidated') queue.finish();
    }, lifetime);
    if (this.#session.state === 'invalidated') queue.return();
    return queue;
  }

  /** @param {Entry} entry @returns {MessageContext} */
  #context({ sender, sequence, key, retention }) {
    return { source: this.#session.participant(sender), sequence, key, retention };
  }

  /** @param {number} bytes */
  #checkSize(bytes) {
    const { messageBytes } = this.#session.limits;
    if (bytes > messageBytes) throw new MessageTooLargeError(messageBytes, bytes);
  }

  /** Messages that wait for a connection are not counted: they are sent within the rate limits later. @param {number} bytes */
  #checkRate(bytes) {
    if (this.#session.state === 'invalidated') throw new NotJoinedError();
    if (!this.#session.isConnected) return;
    this.#rate ??= new EntryRate(this.#session.limits, BURST_SECONDS, this.#now());
    const wait = this.#rate.take(bytes, this.#now());
    if (wait > 0) throw new RateLimitedError(wait);
  }

  /** @param {OutboxItem} item @param {Error | null} refusal */
  #acked(item, refusal) {
    const sending = this.#sending.get(item);
    if (!sending) return;
    this.#sending.delete(item);
    if (refusal) sending.reject(refusal);
    else sending.resolve();
  }

  #stateChanged() {
    if (this.#session.state !== 'invalidated') return;
    for (const { reject } of this.#sending.values()) reject(this.#session.reason ?? new NotJoinedError());
    this.#sending.clear();
  }
}

/** @param {Participant | Iterable<Participant>} to @returns {number[]} */
function numbers(to) {
  const all = Symbol.iterator in to ? [...to] : [to];
  return all.map((participant) => participant.number);
}

/** @param {any} kind @returns {string} */
function kindName(kind) {
  if (kind === Uint8Array) return DATA;
  if (kind === Object) throw new TypeError('A plain object needs the option `type`.');
  return kind.messageIdentifier ?? kind.name;
}

/** @param {object} message @returns {Uint8Array} */
function encode(message) {
  return message instanceof Uint8Array ? message : new TextEncoder().encode(JSON.stringify(message));
}

/** @param {Entry} entry @returns {unknown} undefined if it cannot be read */
function decode({ type, payload, retention }) {
  if (type === DATA) return payload;
  if (retention === Retention.remove) return null;
  try {
    return JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return undefined;
  }
}
