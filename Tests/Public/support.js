/** Fake sockets, a fake clock, and a separate implementation of the gateway's side of the wire. */

import { GroupSession } from '../../Public/js/sync/groupSession.js';

/** The time after which a probe without an answer ends. */
const PROBE_MS = 12_000;

/** A clock that advances on request. */
export class FakeClock {
  time = 0;
  /** The reaction of the line to probes. @type {'answers' | 'refuses' | 'swallows'} */
  line = 'answers';
  probes = 0;
  /** @type {{ at: number, run: () => void, id: number }[]} */
  #timers = [];
  #id = 0;

  now = () => this.time;

  /** @param {() => void} run @param {number} ms */
  setTimeout = (run, ms) => {
    this.#id += 1;
    this.#timers.push({ at: this.time + ms, run, id: this.#id });
    return this.#id;
  };

  /** @param {string} _url @param {(isAnswered: boolean) => void} ended */
  probe = (_url, ended) => {
    this.probes += 1;
    const isAnswered = this.line === 'answers';
    const timer = this.setTimeout(() => ended(isAnswered), this.line === 'swallows' ? PROBE_MS : 0);
    return () => this.clearTimeout(timer);
  };

  /** @param {number} id */
  clearTimeout = (id) => {
    this.#timers = this.#timers.filter((timer) => timer.id !== id);
  };

  /** @param {number} ms */
  pass(ms) {
    const end = this.time + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0];
      if (!due) break;
      this.time = due.at;
      this.clearTimeout(due.id);
      due.run();
    }
    this.time = end;
  }

  get waiting() {
    return this.#timers.length;
  }
}

export class FakeSocket {
  readyState = 0;
  bufferedAmount = 0;
  binaryType = 'blob';
  /** @type {(string | Uint8Array)[]} */
  sent = [];
  closedWith = 0;
  /** True once the client has joined. The gateway then sends heartbeats. */
  isMember = false;
  /** @type {any} */
  onopen = null;
  /** @type {any} */
  onmessage = null;
  /** @type {any} */
  onclose = null;

  /** @param {string} url */
  constructor(url) {
    this.url = url;
  }

  /** @param {string | Uint8Array} data */
  send(data) {
    this.sent.push(data);
  }

  /** @param {number} [code] */
  close(code = 1000) {
    this.readyState = 3;
    this.closedWith = code;
  }

  // Actions of the gateway.

  open() {
    this.readyState = 1;
    this.onopen?.({});
  }

  /** @param {object} control */
  tell(control) {
    if ('joined' in control) this.isMember = true;
    this.onmessage?.({ data: JSON.stringify(control) });
  }

  /** @param {...Uint8Array} entries */
  entries(...entries) {
    this.onmessage?.({ data: concatenated(entries).buffer });
  }

  /** A binary message without entries. */
  heartbeat() {
    this.entries();
  }

  /** @param {number} [code] @param {string} [reason] */
  cut(code = 1006, reason = '') {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  /** @returns {any[]} the control messages that the client sent */
  get controls() {
    return this.sent.filter((data) => typeof data === 'string').map((text) => JSON.parse(/** @type {string} */ (text)));
  }

  /** @returns {ReturnType<typeof readClientEntries>} */
  get said() {
    return this.sent.flatMap((data) => typeof data === 'string' ? [] : readClientEntries(data));
  }
}

/** The longest time without a message to a member. */
const HEARTBEAT_MS = 20_000;

/**
 * A session over fake sockets. While the clock advances, the gateway sends heartbeats to a member, unless `isSilent` is true.
 * @param {Partial<ConstructorParameters<typeof GroupSession>[0]> & { isSilent?: boolean }} [options]
 */
export function fakeSession({ isSilent = false, ...options } = {}) {
  const clock = new FakeClock();
  const pass = clock.pass.bind(clock);
  let beatsAt = HEARTBEAT_MS;
  clock.pass = (ms) => {
    const end = clock.time + ms;
    for (; beatsAt <= end; beatsAt += HEARTBEAT_MS) {
      pass(beatsAt - clock.time);
      if (!isSilent && last()?.isMember && last().readyState === 1) last().heartbeat();
    }
    pass(end - clock.time);
  };
  /** @type {FakeSocket[]} */
  const sockets = [];
  const env = {
    openSocket: (/** @type {string} */ url) => {
      const socket = new FakeSocket(url);
      sockets.push(socket);
      return /** @type {any} */ (socket);
    },
    probe: clock.probe,
    now: clock.now,
    setTimeout: clock.setTimeout,
    clearTimeout: /** @type {any} */ (clock.clearTimeout),
    random: () => 0.5,
  };
  const session = new GroupSession({ id: 'AAAAAAAAAAAAAAAAAAAAAA', base: 'https://draw.example/', env, ...options });
  const last = () => sockets[sockets.length - 1];
  /** Lets the client reconnect, and the gateway accept the socket. */
  const reopen = () => {
    const before = sockets.length;
    for (let tries = 0; tries < 1000 && sockets.length === before; tries += 1) clock.pass(50);
    last().open();
  };
  return { session, clock, sockets, env, last, reopen };
}

export const ADA = { id: '11111111-1111-4111-8111-111111111111', number: 1, name: 'Ada', color: '#e5484d' };
export const BEN = { id: '22222222-2222-4222-8222-222222222222', number: 2, name: 'Ben', color: '#4f5fe8' };
export const LIMITS = { messageBytes: 262_144, entriesPerSecond: 1000, bytesPerSecond: 4_194_304 };

/** @param {object} [changes] */
export function joined(changes = {}) {
  const session = {
    id: 'AAAAAAAAAAAAAAAAAAAAAA',
    activity: { identifier: 'drawtogether', title: 'T', type: 'generic' },
  };
  return {
    joined: {
      participant: ADA,
      token: 'token-1',
      epoch: 'e1',
      sequence: 0,
      committed: 0,
      acknowledged: 0,
      resumed: false,
      session,
      limits: LIMITS,
      ...changes,
    },
  };
}

/** @param {'snapshot' | 'tail'} kind @param {number} sequence */
export function catchUp(kind, sequence) {
  return { catchUp: { kind, epoch: 'e1', sequence } };
}

/** @param {number} sequence */
export function caughtUp(sequence) {
  return { caughtUp: { sequence } };
}

/**
 * Opens the socket and answers the join, up to the end of an empty catch-up.
 * @param {FakeSocket} socket @param {object} [changes]
 */
export function welcome(socket, changes = {}) {
  socket.open();
  const message = joined(changes);
  socket.tell(message);
  socket.tell(catchUp('snapshot', message.joined.sequence));
  socket.entries(
    gatewayEntry({ flags: 0x81, type: 'participants', payload: { joined: [message.joined.participant] } }),
  );
  socket.tell(caughtUp(message.joined.sequence));
}

/**
 * Returns the bytes of an entry as the gateway sends it.
 * @param {{ flags: number, sequence?: number, sender?: number, clientSequence?: number, key?: number | string, type: string, payload?: unknown }} entry
 *   `key`: a UUID, or a byte that is repeated 16 times
 */
export function gatewayEntry({ flags, sequence = 0, sender = 0, clientSequence = 0, key, type, payload }) {
  const text = payload instanceof Uint8Array
    ? payload
    : new TextEncoder().encode(payload === undefined ? '' : JSON.stringify(payload));
  const name = new TextEncoder().encode(type);
  const keyBytes = typeof key === 'string'
    ? Buffer.from(key.replaceAll('-', ''), 'hex')
    : Array.from({ length: key === undefined ? 0 : 16 }, () => key ?? 0);
  const rest = [
    flags,
    name.length,
    0,
    0,
    0,
    0,
    ...u32(sequence),
    ...u32(sender),
    ...u32(clientSequence),
    ...keyBytes,
    ...name,
    ...text,
  ];
  return Uint8Array.from([...u32(rest.length), ...rest]);
}

/** Returns the key with 16 times the same byte. @param {number} byte */
export function keyOf(byte) {
  const hex = byte.toString(16).padStart(2, '0').toUpperCase();
  return [4, 2, 2, 2, 6].map((count) => hex.repeat(count)).join('-');
}

/** @param {Uint8Array} bytes */
export function readClientEntries(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + view.getUint32(at);
    const flags = view.getUint8(at + 4);
    const typeLength = view.getUint8(at + 5);
    let next = at + 10;
    const key = flags & 6 ? bytes.slice(next, next += 16) : null;
    const targets = [];
    if (flags & 8) {
      const count = view.getUint16(next);
      next += 2;
      for (let one = 0; one < count; one += 1, next += 4) targets.push(view.getUint32(next));
    }
    const type = new TextDecoder().decode(bytes.subarray(next, next + typeLength));
    const payload = new TextDecoder().decode(bytes.subarray(next + typeLength, end));
    entries.push({ flags, clientSequence: view.getUint32(at + 6), keyByte: key?.[0], targets, type, payload });
    at = end;
  }
  return entries;
}

/** @param {string} type @param {object} [more] */
export function reliable(type, more = {}) {
  return { type, payload: new TextEncoder().encode('{}'), reliable: true, ...more };
}

/** @param {number} value */
function u32(value) {
  return [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

/** @param {Uint8Array[]} parts */
function concatenated(parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/**
 * Runs the event loop until a condition is true. @param {() => unknown} condition @param {() => void} [meanwhile] called in each
 *   iteration
 */
export async function until(condition, meanwhile = () => {}) {
  for (let turn = 0; turn < 5000; turn += 1) {
    if (condition()) return;
    meanwhile();
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`The condition was never true: ${condition}.`);
}

/** Waits until all pending work that needs no event is done. */
export async function quiet() {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
