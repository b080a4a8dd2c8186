/** Pings and reactions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MAX_PINGS,
  MAX_REACTIONS,
  MAX_REACTIONS_EACH,
  PING_MS,
  Pings,
  REACTION_MS,
  REACTIONS,
  Reactions,
} from '../../Public/js/protocol/moments.js';
import { SenderLimit } from '../../Public/js/protocol/senderLimit.js';

const SECOND = 1000;

test('a ping is shown for a moment, and a later one of the same participant replaces it', () => {
  const pings = new Pings();
  assert.equal(pings.receive(2, { point: [1, 2] }, 0), true);
  assert.equal(pings.receive(2, { point: [3, 4] }, SECOND), true);
  assert.deepEqual([...pings.all.values()], [{ number: 2, x: 3, y: 4, at: SECOND }]);
  assert.equal(pings.frame(PING_MS), true);
  assert.equal(pings.frame(SECOND + PING_MS), false);
  assert.equal(pings.all.size, 0);
});

for (const point of [undefined, null, [1], [1, 2, 3], ['1', '2'], [1e9, 0], [null, null], { x: 1, y: 1 }]) {
  test(`no ping: ${JSON.stringify(point)}`, () => {
    assert.equal(new Pings().receive(2, { point }, 0), false);
  });
}

test('a flood of pings from one participant is one ping, and others are still seen', () => {
  const pings = new Pings();
  let shown = 0;
  for (let at = 0; at < 1000; at += 1) shown += Number(pings.receive(2, { point: [at, 0] }, at));
  assert.ok(shown <= 4, `${shown} shown`);
  assert.equal(pings.all.size, 1);
  assert.equal(pings.receive(3, { point: [0, 0] }, SECOND), true);
});

test('the number of pings is bounded, and participants who left have none', () => {
  const pings = new Pings();
  for (let number = 1; number <= 100; number += 1) pings.receive(number, { point: [0, 0] }, 0);
  assert.equal(pings.all.size, MAX_PINGS);
  pings.keepOnly((number) => number === 1);
  pings.remove(1);
  assert.equal(pings.all.size, 0);
});

test('a reaction is shown for a moment', () => {
  const reactions = new Reactions();
  assert.equal(reactions.receive(2, { emoji: REACTIONS[1] }, 0), true);
  assert.equal(reactions.frame(REACTION_MS - 1), true);
  assert.equal(reactions.frame(REACTION_MS), false);
});

for (const emoji of [undefined, '', '💩', REACTIONS.join(''), 0, ['👍']]) {
  test(`no reaction: ${JSON.stringify(emoji)}`, () => {
    assert.equal(new Reactions().receive(2, { emoji }, 0), false);
  });
}

test('a flood of reactions from one participant is bounded, and others are still seen', () => {
  const reactions = new Reactions();
  for (let at = 0; at < 2000; at += 1) {
    reactions.receive(2, { emoji: REACTIONS[0] }, at);
    reactions.frame(at);
    assert.ok(reactions.all.size <= MAX_REACTIONS_EACH);
  }
  assert.equal(reactions.receive(3, { emoji: REACTIONS[2] }, 2000), true);
});

test('the number of reactions of many participants is bounded, and each has its own place', () => {
  const reactions = new Reactions();
  for (let number = 1; number <= 200; number += 1) reactions.receive(number, { emoji: REACTIONS[number % 6] }, 0);
  assert.equal(reactions.all.size, MAX_REACTIONS);
  assert.equal(new Set([...reactions.all].map(({ slot }) => slot)).size, MAX_REACTIONS);
  reactions.keepOnly(() => false);
  assert.equal(reactions.all.size, 0);
});

test('a limit counts each sender separately, and forgets participants who left', () => {
  const limit = new SenderLimit(1, 2);
  const allowed = (/** @type {number} */ sender, /** @type {number} */ now) =>
    Array.from({ length: 5 }, () => limit.allows(sender, now)).filter(Boolean).length;
  assert.deepEqual([allowed(1, 0), allowed(2, 0), allowed(1, SECOND), allowed(1, 9 * SECOND)], [2, 2, 1, 2]);
  limit.keepOnly((number) => number === 2);
  assert.deepEqual([allowed(1, 9 * SECOND), allowed(2, 0)], [2, 0]);
});
