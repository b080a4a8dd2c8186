/** The reload of a copy of the page whose files are gone, with a fake browser. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { quiet } from './support.js';

const EARLY = readFileSync(new URL('../../Public/js/app/early.js', import.meta.url), 'utf8').replaceAll(
  'import(',
  'load(',
);
const COPY = { type: 'navigate', encodedBodySize: 100, transferSize: 0 };
const isThere = async () => ({ status: 200 });

for (
  const { what, loading = [COPY], answer = isThere, reloads = 0 } of [
    { what: 'a copy', reloads: 1 },
    { what: 'a copy behind a login', answer: async () => ({ status: 0 }), reloads: 1 },
    { what: 'a copy without a server', answer: () => Promise.reject(new TypeError('Failed to fetch.')) },
    { what: 'a copy whose proxy answers with an error', answer: async () => ({ status: 502 }) },
    { what: 'a copy after a reload', loading: [{ ...COPY, type: 'reload' }] },
    { what: 'a page from the server', loading: [{ ...COPY, transferSize: 400 }] },
    { what: 'a page in a browser without this information', loading: [] },
  ]
) {
  test(`if a file is gone, ${what} is ${reloads ? '' : 'not '}reloaded`, async () => {
    let count = 0;
    /** @type {any[]} */
    const requests = [];
    runInNewContext(EARLY, {
      document: Object.assign(new EventTarget(), {
        documentElement: { dataset: {}, toggleAttribute: () => {} },
        querySelector: () => null,
      }),
      navigator: { languages: [] },
      localStorage: { getItem: () => null },
      matchMedia: () => Object.assign(new EventTarget(), { matches: false }),
      addEventListener: () => {},
      Event,
      location: { pathname: '/s/A', href: 'https://draw.example/s/A', reload: () => (count += 1) },
      performance: { getEntriesByType: () => loading },
      load: () => Promise.reject(new TypeError('404')),
      fetch: (/** @type {any[]} */ ...request) => {
        requests.push(request);
        return answer();
      },
    });
    await quiet();
    assert.equal(count, reloads);
    for (const [address, { method }] of requests) {
      assert.deepEqual([address, method], ['https://draw.example/s/A', 'HEAD']);
    }
  });
}
