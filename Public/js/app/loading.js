/** Loads the parts of the page that are not needed at first. */

import { strings } from '../i18n/i18n.js';

/** @typedef {typeof import('./deferred.js')} Deferred */

/** The pause before the next attempt, which doubles after each failure. */
const RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;

/** @type {Promise<Deferred> | null} the attempt that is running or has succeeded */
let loading = null;
/** The address for the next attempt. */
let address = '';
let failures = 0;

/** @returns {Promise<Deferred>} @throws {Error} with a text for the user */
export function loadDeferred() {
  return loading ??= load().catch((cause) => {
    loading = null;
    failures += 1;
    // Chromium does not fetch a failed address again, so the next attempt uses another one. Its error names the failed address.
    const [failed] = /https?:\S+?\.js/.exec(String(cause)) ?? [];
    if (failed) address = `${failed}?${failures}`;
    throw new Error(strings.notLoaded, { cause });
  });
}

/**
 * Repeats the attempts until the parts are loaded.
 * @template [T=Deferred]
 * @param {(error: Error) => void} [failed] called for the first failure
 * @param {() => Promise<T>} [load] @param {(failures: number) => Promise<unknown>} [pause] before the next attempt
 * @returns {Promise<T>}
 */
export async function loadAtLast(failed = () => {}, load = /** @type {any} */ (loadDeferred), pause = untilNextTry) {
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

/** Waits until the pause is over or the network is available again. @param {number} failures */
function untilNextTry(failures) {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS));
    signal.onabort = resolve;
    addEventListener('online', resolve, { signal, once: true });
  });
}
