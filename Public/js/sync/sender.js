/** Sends the items of an outbox on a connection, several in a message and within the rate limits. */

import { EntryRate } from './entryRate.js';
import { encodedLength, encodeEntry } from './wire.js';

/**
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./environment.js').Environment} Environment
 * @typedef {import('./outbox.js').Outbox} Outbox
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 */

/**
 * The size up to which entries share a message. The protocol allows 1 MiB, but on a slow network, only small messages are
 * answered before the connection would count as dead.
 */
const MESSAGE_BYTES = 64 * 1024;
/** The bytes in the socket's own buffer above which reliable entries wait and unreliable ones are dropped. */
const SOCKET_BYTES = 1024 * 1024;
const UNRELIABLE_SOCKET_BYTES = 32 * 1024;
/**
 * The burst of this client, as seconds of the average rate. The gateway accepts two, so nothing is refused if the network delivers the
 * messages of half a second together.
 */
const BURST_SECONDS = 1.5;
const SOCKET_FULL_MS = 50;

export class Sender {
  #outbox;
  #connection;
  #env;
  /** @type {EntryRate | null} null while nothing may be sent */
  #rate = null;
  /** @type {unknown} */
  #timer = null;

  /** @param {Outbox} outbox @param {Connection} connection @param {Environment} env */
  constructor(outbox, connection, env) {
    this.#outbox = outbox;
    this.#connection = connection;
    this.#env = env;
  }

  /** @param {import('./control.js').Limits} limits */
  start(limits) {
    this.#rate = new EntryRate(limits, BURST_SECONDS, this.#env.now());
    this.flush();
  }

  stop() {
    this.#rate = null;
    this.#env.clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Pauses, because the gateway asks for it. @param {number} ms */
  pause(ms) {
    this.#env.clearTimeout(this.#timer);
    this.#later(ms);
  }

  /** Sends all due items, except during a pause. */
  flush() {
    if (!this.#rate || this.#timer !== null) return;
    while (this.#outbox.hasMore) {
      if (this.#connection.bufferedAmount > SOCKET_BYTES) return this.#later(SOCKET_FULL_MS);
      const wait = this.#sendMessage(this.#rate);
      if (wait > 0) return this.#later(wait);
    }
  }

  /** Sends an unreliable entry at once or drops it. @param {OutgoingEntry} entry @returns {boolean} true if it was sent */
  sendUnreliable(entry) {
    if (!this.#rate || this.#timer !== null || this.#connection.bufferedAmount > UNRELIABLE_SOCKET_BYTES) return false;
    if (this.#rate.take(encodedLength(entry), this.#env.now()) > 0) return false;
    this.#connection.send(encodeEntry(entry, 0));
    return true;
  }

  /** @param {EntryRate} rate @returns {number} 0, or the milliseconds until the rate limits let the rest pass */
  #sendMessage(rate) {
    /** @type {Uint8Array[]} */
    const parts = [];
    let length = 0;
    let wait = 0;
    for (;;) {
      const item = this.#outbox.peek();
      if (!item) break;
      const next = encodedLength(item.entry);
      if (length > 0 && length + next > MESSAGE_BYTES) break;
      wait = rate.take(next, this.#env.now());
      if (wait > 0) break;
      const bytes = encodeEntry(item.entry, item.clientSequence);
      parts.push(bytes);
      length += bytes.length;
      this.#outbox.sent();
    }
    if (length > 0) {
      this.#connection.send(joined(parts, length));
      this.#connection.awaitReply(true);
    }
    return wait;
  }

  /** @param {number} ms */
  #later(ms) {
    this.#timer = this.#env.setTimeout(() => {
      this.#timer = null;
      this.flush();
    }, ms);
  }
}

/** @param {Uint8Array[]} parts @param {number} length @returns {Uint8Array<ArrayBuffer>} */
function joined(parts, length) {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
