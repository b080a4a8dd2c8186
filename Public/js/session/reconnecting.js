/** When to come back: how long to wait before a try, and what says that it is time. */

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
