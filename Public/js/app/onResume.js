/** Detects that the page becomes visible again, that a freeze or the machine's sleep is over, and that the network is back. */

const TICK_MS = 10_000;
/** Hidden pages run their timers once a minute. If none ran for longer, the machine slept. */
const SLEEP_MS = 75_000;

/**
 * Calls back whenever the connection should be checked at once.
 * @param {(isDoubtful: boolean) => void} resumed `isDoubtful`: sockets may be dead without an event
 */
export function onResume(resumed) {
  let tickedAt = Date.now();
  const tick = () => {
    const slept = Date.now() - tickedAt > SLEEP_MS;
    tickedAt = Date.now();
    return slept;
  };
  setInterval(() => tick() && resumed(true), TICK_MS);
  document.addEventListener('visibilitychange', () => document.hidden || resumed(tick()));
  document.addEventListener('resume', () => resumed(tick()));
  addEventListener('pageshow', ({ persisted }) => persisted && resumed(tick()));
  addEventListener('online', () => {
    tick();
    resumed(true);
  });
}
