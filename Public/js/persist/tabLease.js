/** Which tab has what: of what a browser keeps, another tab that still lives may hold some. */

import { newKey } from '../sync/key.js';

/** A page that is being reloaded may hold its lock a little longer than it lives. */
const LOCK_TRIES = 4;
const LOCK_RETRY_MS = 120;
/** How long a tab has to say that a claim is its own. */
const ANSWER_MS = 200;

/**
 * @typedef {object} ClaimSurroundings
 * @property {LockManager | undefined} locks in secure contexts only
 * @property {(name: string) => BroadcastChannel} openChannel
 * @property {(ms: number) => Promise<void>} wait
 *
 * False: another tab has it. `isPatient`: it may be this tab's own, of a page that is just going.
 * @typedef {(claim: string, options?: { isPatient?: boolean }) => Promise<boolean>} Take
 */

/** @type {ClaimSurroundings} */
export const browserTabs = {
  locks: globalThis.navigator?.locks,
  openChannel: (name) => new BroadcastChannel(name),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Holds a claim as long as the page lives.
 * @param {string} claim random, of the record in question
 * @param {string} page random, of this page
 * @param {ClaimSurroundings} [tabs]
 * @param {{ isPatient?: boolean }} [options] `isPatient`: it may be this tab's own, of a page that is just going
 * @returns {Promise<boolean>} false: another tab holds it
 */
export async function takeClaim(claim, page, tabs = browserTabs, { isPatient = true } = {}) {
  if (!tabs.locks) return await askOthers(claim, page, tabs);
  for (let tries = 0; tries < (isPatient ? LOCK_TRIES : 1); tries += 1) {
    if (tries > 0) await tabs.wait(LOCK_RETRY_MS);
    if (await takeLock(tabs.locks, `drawtogether:${claim}`)) return true;
  }
  return false;
}

/** @param {LockManager} locks @param {string} name @returns {Promise<boolean>} */
function takeLock(locks, name) {
  return new Promise((resolve) => {
    const held = locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      // Never done: the lock goes when the page does.
      return lock === null ? undefined : new Promise(() => {});
    });
    held.catch(() => resolve(true));
  });
}

/** Without locks: asks aloud, and waits whether a tab objects. @param {string} claim @param {string} page @param {ClaimSurroundings} tabs */
async function askOthers(claim, page, tabs) {
  const channel = tabs.openChannel('drawtogether');
  let isMine = true;
  let isHeld = false;
  channel.onmessage = ({ data }) => {
    if (data?.claim !== claim || data.page === page) return;
    if (data.kind === 'mine') isMine = false;
    else if (data.kind === 'ask') {
      // Of two that ask at once, the lesser name yields.
      if (isHeld || data.page < page) channel.postMessage({ kind: 'mine', claim, page });
      else isMine = false;
    }
  };
  channel.postMessage({ kind: 'ask', claim, page });
  await tabs.wait(ANSWER_MS);
  isHeld = isMine;
  if (!isMine) channel.close();
  return isMine;
}

/** Which uploads are this page's: of those that a browser keeps, other tabs may be running some. */
export class UploadClaims {
  #page = newKey();
  #tabs;
  /** @type {string | null} */
  #own = null;
  /** @type {Map<string, Promise<boolean>>} */
  #asked = new Map();

  /** @param {ClaimSurroundings} [tabs] */
  constructor(tabs = browserTabs) {
    this.#tabs = tabs;
  }

  /** What this page's uploads bear. It is made when first wanted, and nobody else's: there is nothing to wait for. */
  get own() {
    if (!this.#own) {
      this.#own = newKey();
      this.take(this.#own);
    }
    return this.#own;
  }

  /** @param {string} claim @returns {Promise<boolean>} false: the page whose it is lives */
  async take(claim) {
    // Where tabs cannot be asked, nothing is taken from one that may live.
    const asked = this.#asked.get(claim) ?? takeClaim(claim, this.#page, this.#tabs).catch(() => false);
    this.#asked.set(claim, asked);
    const isTaken = await asked;
    if (!isTaken) this.#asked.delete(claim);
    return isTaken;
  }
}
