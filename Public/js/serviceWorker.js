/**
 * The service worker: opens the page without a server. The build serves it as `/service-worker.js`, at the top, because it controls
 * only addresses below its own, and puts the description of the release in the place of `RELEASE`.
 *
 * A new version is fetched while the page is used, and waits: this worker stays in charge until all its pages are closed.
 */

import { PageCache } from './persist/pageCache.js';

/** @type {any} */
const worker = globalThis;

const cache = new PageCache(
  // @ts-expect-error: the build defines it
  RELEASE,
  {
    caches: worker.caches,
    fetch: (request, init) => fetch(request, init),
    openPages: () => worker.clients.matchAll({ type: 'window', includeUncontrolled: true }),
    setTimeout: (run, ms) => setTimeout(run, ms),
    origin: worker.location.origin,
  },
);

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(cache.install()));

// Without navigation preload: when that fails in Firefox 153, so does the navigation, whatever this worker answers.
worker.addEventListener('activate', (/** @type {any} */ event) => {
  // The page of the first visit gets its later files from the cache, too.
  event.waitUntil(Promise.allSettled([worker.clients.claim(), cache.deleteEarlier()]));
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const answer = cache.route(event.request);
  if (!answer) return;
  if (event.request.mode === 'navigate') event.waitUntil(cache.deleteEarlier().catch(() => {}));
  event.respondWith(answer());
});
