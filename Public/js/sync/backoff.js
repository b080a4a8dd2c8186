/** The delays before attempts to connect and before retries of requests. The Swift client has the same rule and constants. */

/** The bound of the first delay that is not zero. Each following bound is twice as large, up to the longest. */
const FIRST_MS = 100;
const MAX_MS = 10_000;
/** The longest bound while the gateway cannot be reached. It is short, so that the client is back soon after an outage. */
const MAX_UNREACHABLE_MS = 4000;
/** The minimum working time of a socket. A socket that works for a shorter time counts as short-lived. */
const STABLE_MS = 5000;
/** The maximum jitter that is added to a delay that the gateway asks for, because it asks all clients for the same delay. */
const MAX_ADDED_JITTER_MS = 500;
/** The longest delay for which the gateway may ask. */
export const MAX_ASKED_MS = 60_000;
/** The maximum number of doublings. More of them do not change the delay. */
const MAX_ATTEMPT = 30;

/**
 * The delay before each attempt to connect. There is none before the first attempt, and none before the first one after a stable
 * connection. Later delays grow exponentially, with jitter, so that clients that lost their connections together do not return
 * together.
 */
export class ReconnectBackoff {
  #attempt = 0;
  /** The time at which the current socket began to work. @type {number | null} */
  #worksSince = null;
  /** The number of short-lived sockets in a row. */
  #shortLived = 0;

  /** Records that the current socket works, because the client is caught up. @param {number} now milliseconds */
  recordSuccess(now) {
    this.#worksSince = now;
  }

  /**
   * Records that the current socket has closed. If this socket and the one before it were short-lived, the delays continue to
   * grow. Otherwise a gateway that accepts each connection and closes it soon would get attempts without a pause.
   * @param {number} now
   */
  recordLoss(now) {
    if (this.#worksSince === null) return;
    const isStable = now - this.#worksSince >= STABLE_MS;
    this.#worksSince = null;
    this.#shortLived = isStable ? 0 : this.#shortLived + 1;
    if (this.#shortLived <= 1) this.#attempt = 0;
  }

  /**
   * Returns the delay before the next attempt.
   * @param {number} askedMs the delay for which the gateway has asked; 0: none
   * @param {() => number} random in [0, 1)
   * @param {{ isReachable?: boolean }} [options] `isReachable`: false if the last attempt or probe got no answer
   * @returns {number} milliseconds
   */
  nextDelay(askedMs, random, { isReachable = true } = {}) {
    const attempt = this.#attempt;
    this.#attempt = Math.min(attempt + 1, MAX_ATTEMPT);
    if (attempt > 0) return askedMs + retryDelay(attempt - 1, random, isReachable ? MAX_MS : MAX_UNREACHABLE_MS);
    return askedMs + Math.floor(Math.min(MAX_ADDED_JITTER_MS, askedMs) * jitter(random));
  }
}

/**
 * Returns the delay before a retry: exponential, with jitter.
 * @param {number} attempt 0 for the first retry after a success
 * @param {() => number} [random] in [0, 1)
 * @param {number} [longestMs] the longest bound
 * @returns {number} milliseconds
 */
export function retryDelay(attempt, random = Math.random, longestMs = MAX_MS) {
  return Math.floor(Math.min(longestMs, FIRST_MS * 2 ** Math.min(attempt, MAX_ATTEMPT)) * jitter(random));
}

/** @param {() => number} random @returns {number} from a half to one */
function jitter(random) {
  return 0.5 + random() / 2;
}
