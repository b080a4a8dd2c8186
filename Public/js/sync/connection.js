/** A connection that comes back: how long it waits before a try, and what says that it is time. */

/**
 * The browser as a connection uses it; tests pass their own.
 * @typedef {object} Environment
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

/** @type {Environment} */
export const browserEnvironment = {
  openSocket: (url) => new WebSocket(url, SUBPROTOCOL),
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  random: Math.random,
};

/** A WebSocket that comes back: it is opened again, later and later, until somebody says stop. */
export class Connection {
  #url;
  #events;
  #env;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {unknown} */
  #retry = null;
  /** @type {unknown} */
  #silence = null;
  #expects = false;
  #attempt = 0;
  #heardAt = 0;

  /** @param {string} url @param {ConnectionEvents} events @param {Environment} [env] */
  constructor(url, events, env = browserEnvironment) {
    this.#url = url;
    this.#events = events;
    this.#env = env;
  }

  /** Bytes that we gave to the socket and it has not given to the network. */
  get bufferedAmount() {
    return this.#socket?.bufferedAmount ?? 0;
  }

  get isOpen() {
    return this.#socket?.readyState === 1;
  }

  open() {
    this.#env.clearTimeout(this.#retry);
    this.#retry = null;
    const socket = this.#env.openSocket(this.#url);
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
    if (expects && !this.#expects) this.#heardAt = this.#env.now();
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
    this.#env.clearTimeout(this.#retry);
    this.#retry = null;
    this.#drop(code);
  }

  #heard() {
    this.#heardAt = this.#env.now();
  }

  /** @param {number} ms */
  #watch(ms) {
    this.#silence = this.#env.setTimeout(() => {
      this.#silence = null;
      if (!this.#expects || !this.#socket) return;
      const left = this.#heardAt + SILENCE_MS - this.#env.now();
      if (left > 0) this.#watch(left);
      else this.restart();
    }, ms);
  }

  /** Forgets the socket at once: the handshake of a dead one takes minutes. @param {number} code */
  #drop(code) {
    const socket = this.#socket;
    this.#socket = null;
    this.#env.clearTimeout(this.#silence);
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
    const delay = atLeast + reconnectDelay(this.#attempt, this.#env.random);
    this.#attempt += 1;
    this.#retry = this.#env.setTimeout(() => this.open(), delay);
  }
}

/** The first try comes soon: most cuts are short. */
const FIRST_MS = 500;
/** However long the gateway has been away, somebody looks for it this often. */
const LONGEST_MS = 15_000;

/**
 * How long to wait before a try to connect again: exponential, with full jitter, so that those who were cut together
 * do not come back together.
 * @param {number} attempt 0 for the first after a connection that worked
 * @param {() => number} [random] in [0, 1)
 * @returns {number} milliseconds
 */
export function reconnectDelay(attempt, random = Math.random) {
  return Math.floor(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16)));
}

const TICK_MS = 10_000;
/** A page out of sight has its timers run once a minute; one that hears nothing for longer slept. */
const SLEEP_MS = 75_000;

/**
 * Notices that the page comes back: into sight, from a freeze, or with the machine from its sleep.
 * @param {(slept: boolean) => void} woke `slept`: what the network did meanwhile, the page was not told
 */
export function watchWaking(woke) {
  let seenAt = Date.now();
  const look = () => {
    const slept = Date.now() - seenAt > SLEEP_MS;
    seenAt = Date.now();
    return slept;
  };
  setInterval(() => look() && woke(true), TICK_MS);
  document.addEventListener('visibilitychange', () => document.hidden || woke(look()));
  document.addEventListener('resume', () => woke(look()));
  addEventListener('pageshow', ({ persisted }) => persisted && woke(look()));
  addEventListener('online', () => woke(look()));
}
