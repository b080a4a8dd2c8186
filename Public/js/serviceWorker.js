/**
 * The service worker: opens the page without a server. It controls only addresses below its own, so a release has it at the top,
 * as `/service-worker.js`. The build replaces `RELEASE` with the description of the release.
 *
 * A new version is installed while the page is used, and waits until all pages of this worker are closed.
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
    sha256: (bytes) => crypto.subtle.digest('SHA-256', bytes),
    openPages: () => worker.clients.matchAll({ type: 'window', includeUncontrolled: true }),
    setTimeout: (run, ms) => setTimeout(run, ms),
    origin: worker.location.origin,
    languages: worker.navigator.languages,
  },
);

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(cache.install()));

// Navigation preload is off: if it fails in Firefox 153, the navigation fails too, whatever this worker answers.
worker.addEventListener('activate', (/** @type {any} */ event) => {
  // The page of the first visit gets its later files from the cache, too.
  event.waitUntil(Promise.allSettled([worker.clients.claim(), cache.deleteEarlier()]));
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const answer = cache.route(event.request);
  if (!answer) return;
  if (event.request.mode === 'navigate') event.waitUntil(cache.deleteEarlier().catch(() => {}));
  event.respondWith(answer((work) => event.waitUntil(work)));
});
