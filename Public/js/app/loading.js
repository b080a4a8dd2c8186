/** Loads the parts of the page that are not needed at first. */

import { strings } from '../i18n/i18n.js';

/** The pause before the second attempt. It doubles after each failure. */
const RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;

/** Loads the parts that a session needs. @throws {Error} with a text for the user */
export const loadSession = loaderOf(() => import('./session.js'));

/** Loads the other parts that the first stroke does not need. @throws {Error} with a text for the user */
export const loadDeferred = loaderOf(() => import('./deferred.js'));

/**
 * Returns a function that loads a module once. After a failure, the next call tries again.
 * @template T
 * @param {() => Promise<T>} load for the first attempt
 * @param {(address: string) => Promise<T>} [loadFrom] for the others @returns {() => Promise<T>}
 */
export function loaderOf(load, loadFrom = (address) => import(address)) {
  /** @type {Promise<T> | null} the attempt that is running or has succeeded */
  let loading = null;
  /** The address for the next attempt. */
  let address = '';
  let failures = 0;
  return () => {
    loading ??= (address ? loadFrom(address) : load()).catch((cause) => {
      loading = null;
      failures += 1;
      // Chromium does not fetch a failed address again, so the next attempt uses another one. Its error names the failed address.
      const [failed] = /https?:\S+?\.js/.exec(String(cause)) ?? [];
      if (failed) address = `${failed}?${failures}`;
      throw new Error(strings.notLoaded, { cause });
    });
    return loading;
  };
}

/**
 * Repeats the attempts until the parts are loaded.
 * @template T
 * @param {() => Promise<T>} load @param {(error: Error) => void} [failed] called for the first failure
 * @param {(failures: number) => Promise<unknown>} [pause] before the next attempt
 * @returns {Promise<T>}
 */
export async function loadAtLast(load, failed = () => {}, pause = untilNextTry) {
  for (let count = 0;; count += 1) {
    try {
      return await load();
    } catch (error) {
      if (count === 0) failed(/** @type {Error} */ (error));
      await pause(count);
    }
  }
}

/** Waits until the pause is over or the network is available again. @param {number} failures */
function untilNextTry(failures) {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS));
    signal.onabort = resolve;
    addEventListener('online', resolve, { signal, once: true });
  });
}
