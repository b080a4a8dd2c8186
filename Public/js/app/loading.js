/** Loads the parts of the page that are not needed at first. */

import { strings } from '../i18n/i18n.js';

/** @typedef {typeof import('./deferred.js')} Deferred */

/** The pause before the next try, which doubles with each. */
const RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;

/** @type {Promise<Deferred> | null} the try that is under way, or has succeeded */
let loading = null;
/** The address for the next try. */
let address = '';
let failures = 0;

/** @returns {Promise<Deferred>} @throws {Error} with a text for people */
export function loadDeferred() {
  return loading ??= load().catch((cause) => {
    loading = null;
    failures += 1;
    // Chromium remembers which address has failed, and names it in the error: only another one is fetched again.
    const [failed] = /https?:\S+?\.js/.exec(String(cause)) ?? [];
    if (failed) address = `${failed}?${failures}`;
    throw new Error(strings.notLoaded, { cause });
  });
}

/**
 * Tries until the parts are loaded.
 * @param {(error: Error) => void} [failed] called for the first failure
 * @param {() => Promise<Deferred>} [load] @param {(failures: number) => Promise<unknown>} [pause] before the next try
 */
export async function loadAtLast(failed = () => {}, load = loadDeferred, pause = untilNextTry) {
  for (let count = 0;; count += 1) {
    try {
      return await load();
    } catch (error) {
      if (count === 0) failed(/** @type {Error} */ (error));
      await pause(count);
    }
  }
}

/** @returns {Promise<Deferred>} */
async function load() {
  return await (address ? import(address) : import('./deferred.js'));
}

/** Waits for a while, or until the network is back. @param {number} failures */
function untilNextTry(failures) {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS));
    signal.onabort = resolve;
    addEventListener('online', resolve, { signal, once: true });
  });
}
