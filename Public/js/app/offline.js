/** Registers the service worker, with which the page opens without a server. */

import { deletePageCaches } from '../persist/pageCache.js';

const WORKER = '/service-worker.js';
/** The name of this module in the sources; a release has bundles with other names. */
const SOURCE = 'js/app/offline.js';

/**
 * @typedef {object} Surroundings
 * @property {ServiceWorkerContainer | undefined} workers in secure contexts only
 * @property {CacheStorage | undefined} caches
 * @property {string} module the address of this module
 */

/** @returns {Surroundings} */
function browserSurroundings() {
  const { navigator, caches } = globalThis;
  return { workers: navigator.serviceWorker, caches, module: import.meta.url };
}

/**
 * Stores a release for offline use. A page that is served from the sources is not stored, and removes the worker of an earlier
 * release.
 * @param {() => Surroundings} [surroundings] may throw: the browser may refuse access
 */
export async function keepOffline(surroundings = browserSurroundings) {
  try {
    const { workers, caches, module } = surroundings();
    if (!workers) return;
    if (!new URL(module).pathname.endsWith(SOURCE)) {
      return void await workers.register(WORKER, { updateViaCache: 'none' });
    }
    const ours = (await workers.getRegistrations()).filter(({ active, waiting, installing }) =>
      [active, waiting, installing].some((worker) => worker && new URL(worker.scriptURL).pathname === WORKER)
    );
    if (ours.length === 0) return;
    await Promise.all(ours.map((registration) => registration.unregister()));
    if (caches) await deletePageCaches(caches);
  } catch {
    // A private window refuses workers, and a full disk refuses their files. The page then needs its server.
  }
}

/** Calls a function once the page has nothing more urgent to do. @param {() => void} run */
export function whenIdle(run) {
  const begin = () => {
    // Not every browser has `requestIdleCallback`.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => run(), { timeout: 10_000 });
    else setTimeout(run, 200);
  };
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
