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
