/** The delays before attempts to connect: the rule and the constants of the Swift client's `ReconnectBackoff`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReconnectBackoff, retryDelay } from '../../Public/js/sync/backoff.js';
import { fakeSession, welcome } from './support.js';

const midpoint = () => 0.5;

test('the first attempt is immediate; later ones are delayed by up to 10 s', () => {
  const backoff = new ReconnectBackoff();
  const delays = Array.from({ length: 10 }, () => backoff.nextDelay(0, midpoint));
  assert.deepEqual(delays, [0, 75, 150, 300, 600, 1200, 2400, 4800, 7500, 7500]);
});

test('the jitter is a half: a delay is between a half and the whole of a bound that doubles up to 10 s', () => {
  const attempts = [0, 1, 2, 3, 4, 5, 6, 7, 50, 5000];
  const bounds = [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000];
  assert.deepEqual(attempts.map((attempt) => retryDelay(attempt, () => 0)), bounds.map((bound) => bound / 2));
  assert.deepEqual(attempts.map((attempt) => retryDelay(attempt, () => 1)), bounds);
});

test('reconnects immediately, unless the last two sockets were both short-lived', () => {
  const backoff = new ReconnectBackoff();
  const delayAfter = (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let count = 0; count < 3; count += 1) backoff.nextDelay(0, midpoint);
    backoff.recordSuccess(from);
    backoff.recordLoss(to);
    return backoff.nextDelay(0, midpoint);
  };
  assert.deepEqual([delayAfter(0, 1000), delayAfter(1000, 2000) > 0, delayAfter(2000, 6999) > 0], [0, true, true]);
  assert.equal(delayAfter(7000, 12_000), 0, 'a socket that works for 5 s is stable');
});

test('a delay for which the gateway asks gets up to half a second of jitter', () => {
  const delays = [100, 800, 60_000].map((asked) => new ReconnectBackoff().nextDelay(asked, midpoint));
  assert.deepEqual(delays, [175, 1175, 60_375]);
});

test('a page whose connections are accepted and closed at once opens few sockets in a minute', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  for (let ms = 0; ms < 60_000; ms += 10) {
    if (last().readyState === 0) {
      welcome(last());
      last().cut();
    }
    clock.pass(10);
  }
  assert.ok(sockets.length >= 8 && sockets.length <= 20, `${sockets.length} sockets`);
  while (last().readyState !== 0) clock.pass(1000);
  welcome(last());
  clock.pass(5000);
  const { length } = sockets;
  last().cut();
  clock.pass(1);
  assert.equal(sockets.length, length + 1, 'the connection was stable, so the next attempt is immediate');
});

test('a gateway that refuses each connection gets fewer and fewer attempts, but at least one in 10 s', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  /** @type {number[]} */
  const times = [];
  for (let ms = 0; ms < 120_000; ms += 10) {
    if (last().readyState === 0) {
      times.push(clock.time);
      last().cut();
    }
    clock.pass(10);
  }
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  assert.ok(gaps.every((gap, index) => index === 0 || gap >= gaps[index - 1] - 10), `${gaps}`);
  assert.ok(Math.max(...gaps) <= 10_010 && sockets.length < 30, `${gaps}`);
});
