/** Detects a dead connection: nothing has been received for too long. */

/** The limit while a reply of the gateway is awaited. */
const REPLY_MS = 12_000;
/** The limit for a participant. The gateway sends a heartbeat at least every 20 s, so a late one is tolerated. */
const HEARTBEAT_MS = 35_000;

/**
 * Calls back when nothing has been received within the limit; the callback must call `stop` or `touch`. Uses one timer, which is
 * set again only when it fires or must fire earlier.
 */
export class LivenessTimer {
  #env;
  #silent;
  #touchedAt = 0;
  /** The time at which the wait for a reply began. @type {number | null} */
  #awaitsSince = null;
  #expectsHeartbeats = false;
  /** @type {unknown} */
  #timer = null;
  #firesAt = Infinity;

  /**
   * @param {Pick<import('./environment.js').Environment, 'now' | 'setTimeout' | 'clearTimeout'>} env @param {() => void} silent
   */
  constructor(env, silent) {
    this.#env = env;
    this.#silent = silent;
  }

  /** Starts the timer for the handshake of a new socket. */
  start() {
    this.stop();
    this.awaitReply(true);
  }

  stop() {
    this.#env.clearTimeout(this.#timer);
    this.#timer = this.#awaitsSince = null;
    this.#firesAt = Infinity;
    this.#expectsHeartbeats = false;
  }

  /** Restarts the limit, because something was received. */
  touch() {
    this.#touchedAt = this.#env.now();
  }

  /** @param {boolean} isAwaited */
  awaitReply(isAwaited) {
    if (!isAwaited) this.#awaitsSince = null;
    else this.#awaitsSince ??= this.#env.now();
    this.#schedule();
  }

  /** Expects heartbeats from now on, because this client is a participant. */
  expectHeartbeats() {
    this.#expectsHeartbeats = true;
    this.#schedule();
  }

  /** Calls back now if the limit has passed. Timers do not run while the machine sleeps. */
  check() {
    if (this.#deadline <= this.#env.now()) this.#silent();
  }

  get #deadline() {
    const reply = this.#awaitsSince === null ? Infinity : Math.max(this.#awaitsSince, this.#touchedAt) + REPLY_MS;
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
