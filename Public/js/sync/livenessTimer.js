/** Detects a dead connection: nothing has been received for too long. */

/** The limit while the gateway owes a reply. */
export const REPLY_MS = 12_000;
/** The limit for a participant: the gateway sends a heartbeat at least every 20 s, so one may be late or lost. */
export const HEARTBEAT_MS = 35_000;

/** Calls back when nothing has been received within the limit; the callback stops or touches it. One timer, which is set anew only when it fires or must be earlier. */
export class LivenessTimer {
  #env;
  #silent;
  #touchedAt = 0;
  /** The time since when a reply is awaited. @type {number | null} */
  #awaitsSince = null;
  #replyMs = REPLY_MS;
  #expectsHeartbeats = false;
  /** @type {unknown} */
  #timer = null;
  #firesAt = Infinity;

  /** @param {Pick<import('./environment.js').Environment, 'now' | 'setTimeout' | 'clearTimeout'>} env @param {() => void} silent */
  constructor(env, silent) {
    this.#env = env;
    this.#silent = silent;
  }

  /** A new socket awaits its handshake. @param {number} limitMs */
  start(limitMs) {
    this.stop();
    this.#replyMs = limitMs;
    this.awaitReply(true);
  }

  stop() {
    this.#env.clearTimeout(this.#timer);
    this.#timer = this.#awaitsSince = null;
    this.#firesAt = Infinity;
    this.#expectsHeartbeats = false;
  }

  /** The socket is open: from now on the usual limit applies. */
  opened() {
    this.#replyMs = REPLY_MS;
    this.touch();
  }

  /** Something was received. */
  touch() {
    this.#touchedAt = this.#env.now();
  }

  /** @param {boolean} isAwaited */
  awaitReply(isAwaited) {
    if (!isAwaited) this.#awaitsSince = null;
    else this.#awaitsSince ??= this.#env.now();
    this.#schedule();
  }

  /** The gateway sends heartbeats from now on: this client is a participant. */
  expectHeartbeats() {
    this.#expectsHeartbeats = true;
    this.#schedule();
  }

  /** Calls back now if the limit has passed: timers do not run while the machine sleeps. */
  check() {
    if (this.#deadline <= this.#env.now()) this.#silent();
  }

  get #deadline() {
    const reply = this.#awaitsSince === null ? Infinity : Math.max(this.#awaitsSince, this.#touchedAt) + this.#replyMs;
    return Math.min(reply, this.#expectsHeartbeats ? this.#touchedAt + HEARTBEAT_MS : Infinity);
  }

  #schedule() {
    const deadline = this.#deadline;
    if (deadline >= this.#firesAt) return;
    this.#env.clearTimeout(this.#timer);
    this.#firesAt = deadline;
    this.#timer = this.#env.setTimeout(() => {
      this.#timer = null;
      this.#firesAt = Infinity;
      if (this.#deadline <= this.#env.now()) this.#silent();
      this.#schedule();
    }, deadline - this.#env.now());
  }
}
