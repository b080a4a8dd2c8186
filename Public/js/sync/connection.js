/** A WebSocket that reconnects. */

import { ReconnectBackoff } from './backoff.js';
import { browserEnvironment } from './environment.js';
import { LivenessTimer } from './livenessTimer.js';

/**
 * @typedef {object} ConnectionEvents
 * @property {() => void} opened
 * @property {(text: string) => void} text
 * @property {(bytes: Uint8Array) => void} binary
 * @property {(code: number, reason: string) => number | null} closed returns the delay that the gateway has asked for; null:
 *   the connection stops
 */

/** The interval of probes while it is unknown if the gateway can be reached. */
const PROBE_INTERVAL_MS = 4000;
/**
 * The interval of attempts to open a socket while no probe is answered. A proxy, a policy or a dead HTTP/2 connection can stop
 * all probes although a socket would open. Firefox forgets a failed socket after about 61 s, so these attempts do not delay later
 * ones.
 */
const SOCKET_INTERVAL_MS = 65_000;

/**
 * Opens a new socket after each loss, with growing delays, until it is stopped.
 *
 * While it is unknown if the gateway can be reached, the connection sends probes until one is answered, and then opens a socket.
 * Several probes run at the same time: a slow line has time to answer an early probe, and a new probe soon detects that a dead
 * line works again. Sockets cannot do this: a browser opens only one socket to a host at a time, and waits longer after each
 * failure.
 */
export class Connection {
  #url;
  #probeURL;
  #events;
  #env;
  #backoff = new ReconnectBackoff();
  #liveness;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {unknown} */
  #retry = null;
  /** The time of the last attempt to open a socket. */
  #attemptedAt = 0;
  #isStopped = false;
  /** False if the last socket did not open or became silent, and no probe has been answered since. */
  #isReachable = true;
  /** The running probes, as functions that cancel them. @type {Set<() => void>} */
  #probes = new Set();
  /** The `bufferedAmount` after the last sent message, or when the limit was last reached. */
  #buffered = 0;

  /**
   * @param {string} url of the socket @param {string} probeURL the address of the probes, at the gateway
   * @param {ConnectionEvents} events
   * @param {import('./environment.js').Environment} [env]
   */
  constructor(url, probeURL, events, env = browserEnvironment) {
    this.#url = url;
    this.#probeURL = probeURL;
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
    this.#isStopped = false;
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

  /** Begins the pending attempt now. @returns {boolean} false if none is pending, or a socket is opening */
  retryNow() {
    if (this.#retry === null || this.#socket) return false;
    this.#open();
    return true;
  }

  /**
   * Checks now if the socket is dead, and begins a pending attempt now.
   * @param {{ isDoubtful: boolean }} options `isDoubtful`: the network changed or the machine slept, so the socket is replaced
   */
  check({ isDoubtful }) {
    if (this.retryNow()) return;
    if (!isDoubtful) return this.#liveness.check();
    if (!this.#socket) return;
    this.#isReachable = false;
    this.#drop(1000);
    this.#closed(1006, '', { opensNow: true });
  }

  /** Replaces the socket by a new one. */
  restart() {
    this.#drop(1000);
    this.#closed(1006, '');
  }

  /** @param {number} [code] */
  stop(code = 1000) {
    this.#isStopped = true;
    this.#cancelAttempts();
    this.#drop(code);
  }

  /** Opens a socket. While it is unknown if the gateway can be reached, probes run at the same time. */
  #open() {
    if (this.#isReachable) this.#cancelAttempts();
    else if (this.#retry === null) this.#schedule(() => this.#probe(), PROBE_INTERVAL_MS);
    this.#drop(1000);
    this.#attemptedAt = this.#env.now();
    const socket = this.#env.openSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.#cancelAttempts();
      this.#isReachable = true;
      this.#liveness.touch();
      this.#events.opened();
    };
    socket.onmessage = ({ data }) => {
      this.#liveness.touch();
      if (typeof data === 'string') this.#events.text(data);
      else this.#events.binary(new Uint8Array(data));
    };
    socket.onclose = ({ code, reason }) => {
      this.#drop(1000);
      this.#closed(code, reason, { isRefused: !this.#isReachable });
    };
    this.#socket = socket;
    this.#liveness.start();
    this.#isReachable = false;
  }

  /**
   * Sends a probe. The next one follows 4 s later, or after a delay if no probe is running.
   * @param {{ isRefused?: boolean }} [options] `isRefused`: the last socket was closed before it opened. If the probe is answered,
   *   the gateway has refused that socket, so the next one waits.
   */
  #probe({ isRefused = false } = {}) {
    if (!this.#socket && this.#env.now() - this.#attemptedAt >= SOCKET_INTERVAL_MS) this.#open();
    const cancel = this.#env.probe(this.#probeURL, (isAnswered) => {
      if (!this.#probes.delete(cancel)) return;
      if (isAnswered) {
        this.#cancelAttempts();
        this.#isReachable = true;
        if (isRefused && !this.#socket) {
          this.#schedule(() => this.#open(), this.#backoff.nextDelay(0, this.#env.random));
        } else this.#open();
      } else if (this.#probes.size === 0) {
        this.#schedule(() => this.#probe(), this.#backoff.nextDelay(0, this.#env.random, { isReachable: false }));
      }
    });
    this.#probes.add(cancel);
    this.#schedule(() => this.#probe(), PROBE_INTERVAL_MS);
  }

  /** Sets the pending attempt. @param {() => void} attempt @param {number} ms */
  #schedule(attempt, ms) {
    this.#env.clearTimeout(this.#retry);
    this.#retry = this.#env.setTimeout(attempt, ms);
  }

  /** Cancels the pending attempt and the running probes. */
  #cancelAttempts() {
    this.#env.clearTimeout(this.#retry);
    this.#retry = null;
    for (const cancel of this.#probes) cancel();
    this.#probes.clear();
  }

  /** Handles that nothing was received for too long. The socket stays if the network still accepts bytes of a long message. */
  #silent() {
    const { bufferedAmount } = this;
    const isSending = bufferedAmount > 0 && bufferedAmount < this.#buffered;
    this.#buffered = bufferedAmount;
    if (isSending) return this.#liveness.touch();
    const wasOpen = this.isOpen;
    this.#isReachable = false;
    this.#drop(1000);
    // If only this connection is dead, a new socket opens at once. A probe could wait on a dead connection of the browser.
    this.#closed(1006, '', { opensNow: wasOpen });
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

  /** @param {number} code @param {string} reason @param {{ isRefused?: boolean, opensNow?: boolean }} [options] */
  #closed(code, reason, { isRefused = false, opensNow = false } = {}) {
    this.#backoff.recordLoss(this.#env.now());
    const asked = this.#events.closed(code, reason);
    // A listener of `closed` may have stopped this connection.
    if (asked === null || this.#isStopped) return;
    if (opensNow) this.#open();
    else if (this.#isReachable) this.#schedule(() => this.#open(), this.#backoff.nextDelay(asked, this.#env.random));
    else this.#probe({ isRefused });
  }
}
