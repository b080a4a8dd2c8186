/** Notices that the page comes back: into sight, from a freeze, or with the machine from its sleep. */

const TICK_MS = 10_000;
/** A page out of sight has its timers run once a minute; one that hears nothing for longer slept. */
const SLEEP_MS = 75_000;

/** @param {(slept: boolean) => void} woke `slept`: what the network did meanwhile, the page was not told */
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
