/** Leases among the tabs of a browser: each stored record belongs to at most one open tab. */

/** The maximum number of attempts. A page that is being reloaded may hold its lock for a moment after it is closed. */
const MAX_LOCK_TRIES = 4;
const LOCK_RETRY_MS = 120;
/** The time in which other tabs can object. */
const ANSWER_MS = 200;

/**
 * @typedef {object} TabEnvironment
 * @property {LockManager | undefined} locks in secure contexts only
 * @property {(name: string) => BroadcastChannel} openChannel
 * @property {(ms: number) => Promise<void>} wait
 *
 * Returns false if another tab holds the lease. `isPatient`: the holder may be this tab's own previous page, which is closing.
 * @typedef {(lease: string, options?: { isPatient?: boolean }) => Promise<boolean>} AcquireLease
 */

/** @type {TabEnvironment} */
export const browserTabs = {
  locks: globalThis.navigator?.locks,
  openChannel: (name) => new BroadcastChannel(name),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Never fulfilled: by default, a lease lasts until the page ends. @type {Promise<void>} */
const NEVER = new Promise(() => {});

/**
 * Acquires a lease for the lifetime of the page, or until it is released.
 * @param {string} lease the random name of the lease, from the stored record
 * @param {string} page a random name of this page
 * @param {TabEnvironment} [tabs]
 * @param {{ isPatient?: boolean, released?: Promise<void> }} [options] `isPatient`: the holder may be this tab's own previous page,
 *   which is about to close; `released`: ends the lease
 * @returns {Promise<boolean>} false: another tab holds it
 */
export async function acquireLease(lease, page, tabs = browserTabs, { isPatient = true, released = NEVER } = {}) {
  if (!tabs.locks) return await askOtherTabs(lease, page, tabs, released);
  for (let tries = 0; tries < (isPatient ? MAX_LOCK_TRIES : 1); tries += 1) {
    if (tries > 0) await tabs.wait(LOCK_RETRY_MS);
    if (await acquireLock(tabs.locks, `drawtogether:${lease}`, released)) return true;
  }
  return false;
}

/** @param {LockManager} locks @param {string} name @param {Promise<void>} released @returns {Promise<boolean>} */
function acquireLock(locks, name, released) {
  return new Promise((resolve) => {
    const held = locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      // The lock is held until this promise is fulfilled or the page ends.
      return lock === null ? undefined : released;
    });
    held.catch(() => resolve(true));
  });
}

/**
 * Without locks, asks all tabs and waits for an objection.
 * @param {string} claim @param {string} page @param {TabEnvironment} tabs @param {Promise<void>} released
 */
async function askOtherTabs(claim, page, tabs, released) {
  const channel = tabs.openChannel('drawtogether');
  let isMine = true;
  let isHeld = false;
  channel.onmessage = ({ data }) => {
    if (data?.claim !== claim || data.page === page) return;
    if (data.kind === 'mine') isMine = false;
    else if (data.kind === 'ask') {
      // If two tabs ask at the same time, the tab with the lower page name gives way to the other one.
      if (isHeld || data.page < page) channel.postMessage({ kind: 'mine', claim, page });
      else isMine = false;
    }
  };
  channel.postMessage({ kind: 'ask', claim, page });
  await tabs.wait(ANSWER_MS);
  isHeld = isMine;
  if (isMine) released.then(() => channel.close());
  else channel.close();
  return isMine;
}
