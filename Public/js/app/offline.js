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
 * Keeps a release for offline use. Served from the sources, there is nothing to be kept, and a worker of an earlier release goes.
 * @param {() => Surroundings} [surroundings] may throw: a browser may refuse
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
    // Private windows refuse workers, and full disks their files: then the page needs its server.
  }
}

/** Calls a function once the page has nothing more urgent to do. @param {() => void} run */
export function whenIdle(run) {
  const begin = () => {
    // Not every browser has it.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => run(), { timeout: 10_000 });
    else setTimeout(run, 200);
  };
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
