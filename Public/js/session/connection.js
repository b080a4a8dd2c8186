/** A WebSocket that comes back: it is opened again, later and later, until somebody says stop. */

import { reconnectDelay } from './reconnecting.js';

/**
 * What a connection needs of its surroundings; tests bring their own.
 * @typedef {object} Surroundings
 * @property {(url: string) => WebSocket} openSocket
 * @property {() => number} now milliseconds
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random in [0, 1)
 *
 * @typedef {object} ConnectionEvents
 * @property {() => void} opened
 * @property {(text: string) => void} text
 * @property {(bytes: Uint8Array) => void} binary
 * @property {(code: number, reason: string) => number | null} closed how long to wait at least before the next try; null: no more
 */

/** The subprotocol that this client speaks. */
export const SUBPROTOCOL = 'drawtogether.v1';

/** A socket that should have said something and has been silent this long is taken for dead. */
const SILENCE_MS = 12_000;

/** @type {Surroundings} */
export const browserSurroundings = {
  openSocket: (url) => new WebSocket(url, SUBPROTOCOL),
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  random: Math.random,
};

export class Connection {
  #url;
  #events;
  #around;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {unknown} */
  #retry = null;
  /** @type {unknown} */
  #silence = null;
  #expects = false;
  #attempt = 0;
  #heardAt = 0;

  /** @param {string} url @param {ConnectionEvents} events @param {Surroundings} [around] */
  constructor(url, events, around = browserSurroundings) {
    this.#url = url;
    this.#events = events;
    this.#around = around;
  }

  /** Bytes that we gave to the socket and it has not given to the network. */
  get bufferedAmount() {
    return this.#socket?.bufferedAmount ?? 0;
  }

  get isOpen() {
    return this.#socket?.readyState === 1;
  }

  open() {
    this.#around.clearTimeout(this.#retry);
    this.#retry = null;
    const socket = this.#around.openSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.#heard();
      this.#events.opened();
    };
    socket.onmessage = ({ data }) => {
      this.#heard();
      if (typeof data === 'string') this.#events.text(data);
      else this.#events.binary(new Uint8Array(data));
    };
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    this.#socket = socket;
    this.expect(true);
  }

  /** @param {string | Uint8Array<ArrayBuffer>} data */
  send(data) {
    if (this.isOpen) this.#socket?.send(data);
  }

  /** The connection works: the next trouble is the first again. */
  works() {
    this.#attempt = 0;
  }

  /** Whether the other side owes us something; while it does, silence means that the socket is dead. @param {boolean} expects */
  expect(expects) {
    if (expects && !this.#expects) this.#heardAt = this.#around.now();
    this.#expects = expects;
    if (expects && this.#silence === null) this.#watch(SILENCE_MS);
  }

  /** Tries now rather than later, if a try is waited for. @returns {boolean} whether it did */
  retryNow() {
    if (this.#retry === null) return false;
    this.open();
    return true;
  }

  /** Leaves this socket for a new one. */
  restart() {
    this.#drop(1000);
    this.#closed(1006, '');
  }

  /** @param {number} [code] */
  stop(code = 1000) {
    this.#around.clearTimeout(this.#retry);
    this.#retry = null;
    this.#drop(code);
  }

  #heard() {
    this.#heardAt = this.#around.now();
  }

  /** @param {number} ms */
  #watch(ms) {
    this.#silence = this.#around.setTimeout(() => {
      this.#silence = null;
      if (!this.#expects || !this.#socket) return;
      const left = this.#heardAt + SILENCE_MS - this.#around.now();
      if (left > 0) this.#watch(left);
      else this.restart();
    }, ms);
  }

  /** Forgets the socket at once: the handshake of a dead one takes minutes. @param {number} code */
  #drop(code) {
    const socket = this.#socket;
    this.#socket = null;
    this.#around.clearTimeout(this.#silence);
    this.#silence = null;
    this.#expects = false;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(code);
  }

  /** @param {number} code @param {string} reason */
  #closed(code, reason) {
    this.#drop(1000);
    const atLeast = this.#events.closed(code, reason);
    if (atLeast === null) return;
    const delay = atLeast + reconnectDelay(this.#attempt, this.#around.random);
    this.#attempt += 1;
    this.#retry = this.#around.setTimeout(() => this.open(), delay);
  }
}
