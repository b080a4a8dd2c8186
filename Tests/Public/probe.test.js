/** The requests with which the browser checks if the gateway can be reached. */

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { browserEnvironment } from '../../Public/js/sync/environment.js';
import { quiet } from './support.js';

const { fetch } = globalThis;

afterEach(() => Object.assign(globalThis, { fetch }));

/** Sends a probe. @param {() => Promise<object>} answer */
function probe(answer) {
  /** @type {boolean[]} */
  const ended = [];
  /** @type {any} */
  let request;
  Object.assign(globalThis, {
    fetch: (/** @type {string} */ url, /** @type {any} */ options) => {
      request = { url, ...options };
      return new Promise((resolve, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
        answer().then(resolve, reject);
      });
    },
  });
  const cancel = browserEnvironment.probe('https://draw.example/healthz', (isAnswered) => ended.push(isAnswered));
  return { ended, cancel, request };
}

for (
  const [name, answer, isAnswered] of /** @type {[string, () => Promise<object>, boolean][]} */ ([
    ['200', async () => ({ type: 'basic', status: 200 }), true],
    ['404', async () => ({ type: 'cors', status: 404 }), true],
    ['502', async () => ({ type: 'basic', status: 502 }), false],
    ['a redirect', async () => ({ type: 'opaqueredirect', status: 0 }), false],
    ['an error', () => Promise.reject(new TypeError()), false],
  ])
) {
  test(`a probe that gets ${name} counts as ${isAnswered ? 'answered' : 'failed'}`, async () => {
    const { ended, request } = probe(answer);
    await quiet();
    assert.deepEqual(ended, [isAnswered]);
    assert.deepEqual([request.method, request.cache, request.mode], ['HEAD', 'no-store', undefined]);
  });
}

test('a probe ends after 12 s without an answer', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { ended } = probe(() => new Promise(() => {}));
  context.mock.timers.tick(11_999);
  await quiet();
  assert.deepEqual(ended, []);
  context.mock.timers.tick(1);
  await quiet();
  assert.deepEqual(ended, [false]);
});

test('a cancelled probe aborts its request and reports nothing', async () => {
  const { ended, cancel, request } = probe(() => new Promise(() => {}));
  cancel();
  await quiet();
  assert.deepEqual([ended, request.signal.aborted], [[], true]);
});
