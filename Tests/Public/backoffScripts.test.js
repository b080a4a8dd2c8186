import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeSession, welcome } from './support.js';
import { vectors } from './vectors.js';

const { growth, scripts } = vectors('backoff');

for (const { name, steps } of scripts) {
  test(`the delay before a reconnect: ${name}`, () => {
    const fake = fakeSession();
    fake.session.join();
    for (const { works, passMs, lost, unreachable, askedMs = 0, delayMs } of steps) {
      fake.clock.line = unreachable ? 'refuses' : 'answers';
      if (works) welcome(fake.last(), { resumed: true });
      if (passMs) fake.clock.pass(passMs);
      if (!lost) continue;
      // Only an open socket can receive the delay for which the gateway asks.
      if (askedMs > 0 && fake.last().readyState === 0) fake.last().open();
      // If the socket is closed already, the attempt was a probe.
      if (fake.last().readyState !== 3) {
        fake.last().cut(1012, askedMs > 0 ? JSON.stringify({ retryAfterMs: askedMs }) : '');
      }
      assert.equal(delayOf(fake, { isUnreachable: unreachable }), delayMs);
    }
  });
}

for (const [random, bound] of /** @type {[number, string][]} */ ([[0, 'leastMs'], [1 - 2 ** -20, 'mostMs']])) {
  test(`the delay grows with each attempt: ${bound}`, () => {
    const fake = fakeSession();
    fake.env.random = () => random;
    fake.session.join();
    welcome(fake.last());
    fake.clock.pass(5000);
    for (let attempt = 0; attempt <= growth.at(-1).attempt; attempt += 1) {
      fake.last().cut();
      const delay = delayOf(fake);
      const expected = growth.find((/** @type {{ attempt: number }} */ one) => one.attempt === attempt);
      // A delay is a whole number of milliseconds, and the random number is below 1.
      if (expected) assert.ok(Math.abs(delay - expected[bound]) <= 1, `attempt ${attempt}: ${delay} ms`);
    }
  });
}

/**
 * Lets time pass until the next socket is opened, or until the next probe is sent.
 * @param {ReturnType<typeof fakeSession>} fake @param {{ isUnreachable?: boolean }} [options] @returns {number} milliseconds
 */
function delayOf({ clock, sockets }, { isUnreachable = false } = {}) {
  const attempts = () => isUnreachable ? clock.probes : sockets.length;
  const begun = clock.time;
  // Lets the first probe after the failed attempt end.
  if (isUnreachable) clock.pass(0);
  const before = attempts();
  clock.pass(0);
  while (attempts() === before && clock.time - begun < 120_000) clock.pass(1);
  return clock.time - begun;
}
