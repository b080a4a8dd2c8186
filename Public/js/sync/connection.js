/** A WebSocket that reconnects. */

import { ReconnectBackoff } from './backoff.js';
import { browserEnvironment } from './environment.js';
import { LivenessTimer, REPLY_MS } from './livenessTimer.js';

/**
 * @typedef {object} ConnectionEvents
 * @property {() => void} opened
 * @property {(text: string) => void} text
 * @property {(bytes: Uint8Array) => void} binary
 * @property {(code: number, reason: string) => number | null} closed returns the delay for which the gateway has asked; null:
 *   stop
 */

/**
 * The time limit of a handshake after the socket became silent, and the number of such handshakes. Short attempts soon detect
 * that a dead line works again. The longer attempts after them succeed on a slow line.
 */
const SHORT_HANDSHAKE_MS = 4000;
const MAX_SHORT_HANDSHAKES = 6;

/** Opens a new socket after each loss, with growing delays, until it is stopped. */
export class Connection {
  #url;
  #events;
  #env;
  #backoff = new ReconnectBackoff();
  #liveness;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {unknown} */
  #retry = null;
  #attemptedAt = 0;
  /** The remaining number of short handshakes. */
  #shortHandshakes = 0;
  /** The `bufferedAmount` after the last sent message, or when the limit was last reached. */
  #buffered = 0;

  /** @param {string} url @param {ConnectionEvents} events @param {import('./environment.js').Environment} [env] */
  constructor(url, events, env = browserEnvironment) {
    this.#url = url;
    this.#events = events;
    this.#env = env;
    this.#liveness = new LivenessTimer(env, () => this.#silent());
  }

  /** The bytes that the socket has not passed to the network yet. */
  get bufferedAmount() {
    return this.#socket?.bufferedAmount ?? 0;
  }

  get isOpen() {
    return this.#socket?.readyState === 1;
  }

  /** Begins the first attempt. */
  start() {
    this.#backoff.nextDelay(0, this.#env.random);
    this.#open();
  }

  /** @param {string | Uint8Array<ArrayBuffer>} data */
  send(data) {
    if (!this.isOpen) return;
    this.#socket?.send(data);
    this.#buffered = this.bufferedAmount;
  }

  /** Records that the connection works, because the client is caught up. */
  recordSuccess() {
    this.#backoff.recordSuccess(this.#env.now());
  }

  /**
   * Starts or ends the wait for a reply. During the wait, a short silence already means that the socket is dead.
   * @param {boolean} isAwaited
   */
  awaitReply(isAwaited) {
    if (this.#socket) this.#liveness.awaitReply(isAwaited);
  }

  /** Expects heartbeats from now on, so that a long silence means that the socket is dead. */
  expectHeartbeats() {
    if (this.#socket) this.#liveness.expectHeartbeats();
  }

  /** Begins the pending attempt now. @returns {boolean} false if none is pending */
  retryNow() {
    if (this.#retry === null) return false;
    this.#open();
    return true;
  }

  /**
   * Checks at once if the socket is dead. Begins a pending attempt now.
   * @param {{ isDoubtful: boolean }} options `isDoubtful`: the network changed or the machine slept, so the socket is replaced
   */
  check({ isDoubtful }) {
    if (this.retryNow()) return;
    if (!isDoubtful) return this.#liveness.check();
    if (!this.#socket) return;
    this.restart();
    this.#shortHandshakes = MAX_SHORT_HANDSHAKES;
    this.retryNow();
  }

  /** Replaces the socket by a new one. */
  restart() {
    const isOpening = this.#socket?.readyState === 0;
    if (!isOpening) this.#shortHandshakes = MAX_SHORT_HANDSHAKES;
    // The time that an unanswered attempt took counts as a part of the delay.
    const spentMs = isOpening ? this.#env.now() - this.#attemptedAt : 0;
    this.#drop(1000);
    this.#closed(1006, '', spentMs);
  }

  /** @param {number} [code] */
  stop(code = 1000) {
    this.#env.clearTimeout(this.#retry);
    this.#retry = null;
    this.#drop(code);
  }

  #open() {
    this.#env.clearTimeout(this.#retry);
    this.#retry = null;
    const socket = this.#env.openSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.#liveness.opened();
      this.#events.opened();
    };
    socket.onmessage = ({ data }) => {
      this.#liveness.touch();
      if (typeof data === 'string') this.#events.text(data);
      else this.#events.binary(new Uint8Array(data));
    };
    socket.onclose = ({ code, reason }) => {
      this.#shortHandshakes = 0;
      this.#drop(1000);
      this.#closed(code, reason);
    };
    this.#socket = socket;
    this.#attemptedAt = this.#env.now();
    this.#liveness.start(this.#shortHandshakes > 0 ? SHORT_HANDSHAKE_MS : REPLY_MS);
    this.#shortHandshakes = Math.max(0, this.#shortHandshakes - 1);
  }

  /** Nothing was received for too long. The connection stays if the network still accepts bytes of a long message. */
  #silent() {
    const { bufferedAmount } = this;
    const isSending = bufferedAmount > 0 && bufferedAmount < this.#buffered;
    this.#buffered = bufferedAmount;
    if (isSending) this.#liveness.touch();
    else this.restart();
  }

  /** Drops the socket at once, because the closing handshake of a dead socket takes minutes. @param {number} code */
  #drop(code) {
    const socket = this.#socket;
    this.#socket = null;
    this.#liveness.stop();
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(code);
  }

  /** @param {number} code @param {string} reason @param {number} [spentMs] the part of the delay that has passed */
  #closed(code, reason, spentMs = 0) {
    this.#backoff.recordLoss(this.#env.now());
    const asked = this.#events.closed(code, reason);
    if (asked === null) return;
    const delay = this.#backoff.nextDelay(asked, this.#env.random);
    this.#retry = this.#env.setTimeout(() => this.#open(), Math.max(0, delay - spentMs));
  }
}
