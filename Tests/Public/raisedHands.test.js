/** Raised hands among several pages. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORGET_MS, MAX_HANDS, RaisedHands } from '../../Public/js/protocol/raisedHands.js';
import { FakeClock } from './support.js';

const SECOND = 1000;

test('hands are shown in the order of raising, on every page', () => {
  const { pages: [ana, ben, cem], run, orders } = meeting(3);
  cem.hands.raise();
  run(2 * SECOND);
  ana.hands.raise();
  run(SECOND);
  ben.hands.raise();
  run(60 * SECOND);
  assert.deepEqual(orders(), [[3, 1, 2], [3, 1, 2], [3, 1, 2]]);
  assert.deepEqual([ana.raised, ben.raised], [[3, 2], [3, 1]]);
  cem.hands.lower();
  run(SECOND);
  assert.deepEqual(orders(), [[1, 2], [1, 2], [1, 2]]);
  cem.hands.raise();
  run(SECOND);
  assert.deepEqual(orders(), [[1, 2, 3], [1, 2, 3], [1, 2, 3]]);
});

test('a newcomer learns of raised hands at once, with their order', () => {
  const { pages: [ana, ben, late], run, orders, net } = meeting(3);
  net.away.add(late);
  ben.hands.raise();
  run(5 * SECOND);
  ana.hands.raise();
  run(SECOND);
  net.away.delete(late);
  for (const { hands } of [ana, ben]) hands.participantsChanged(() => true, [/** @type {any} */ (late)]);
  run(2 * SECOND);
  assert.deepEqual(orders()[2], [2, 1]);
  // Only the newcomer got these messages.
  assert.deepEqual(net.sent.slice(-2).map(({ to }) => to), [[3], [3]]);
});

test('lost messages are compensated by repeated ones', () => {
  const { pages: [ana, ben], run, orders, net } = meeting(2);
  net.isLost = true;
  ana.hands.raise();
  run(SECOND);
  net.isLost = false;
  assert.deepEqual(orders()[1], []);
  run(20 * SECOND);
  assert.deepEqual(orders()[1], [1]);
  net.isLost = true;
  ana.hands.lower();
  run(500);
  net.isLost = false;
  run(5 * SECOND);
  assert.deepEqual(orders()[1], []);
  // A hand that was lowered without a received message, and raised again, is the later one.
  ana.hands.raise();
  run(SECOND);
  ben.hands.raise();
  run(10 * SECOND);
  net.isLost = true;
  ana.hands.lower();
  ana.hands.raise();
  run(8 * SECOND);
  net.isLost = false;
  run(20 * SECOND);
  assert.deepEqual(orders()[1], [2, 1]);
});

test('a hand of a page that is silent for long, or has left, is lowered', () => {
  const { pages: [ana, ben], run, orders, net } = meeting(2);
  ana.hands.raise();
  run(SECOND);
  net.away.add(ana);
  // A hidden page can send messages only once a minute.
  run(70 * SECOND);
  assert.deepEqual(orders()[1], [1]);
  run(FORGET_MS);
  assert.deepEqual(orders()[1], []);
  net.away.delete(ana);
  run(20 * SECOND);
  assert.deepEqual(orders()[1], [1]);
  ben.hands.participantsChanged((number) => number !== 1, []);
  assert.deepEqual(orders()[1], []);
});

test('one tab lowers the hand that another tab of the same person has raised', () => {
  const { pages: [tab, other, ben], run, orders } = meeting(3, { persons: [0, 0, 1] });
  tab.hands.raise();
  run(SECOND);
  assert.deepEqual([tab.hands.isRaised, other.hands.isRaised, ben.hands.isRaised], [true, true, false]);
  other.hands.raise();
  assert.deepEqual(orders()[2], [1]);
  other.hands.lower();
  run(10 * SECOND);
  assert.deepEqual([tab.hands.isRaised, orders()[2]], [false, []]);
  // Other participants cannot lower it.
  tab.hands.raise();
  run(SECOND);
  ben.hands.lower();
  ben.send({});
  run(10 * SECOND);
  assert.deepEqual([tab.hands.isRaised, orders()[2]], [true, [1]]);
});

test('leaving the session lowers the hand, and a new page for all keeps it raised', () => {
  const { pages: [ana, ben], run, orders } = meeting(2);
  ana.hands.raise();
  for (const { hands } of [ana, ben]) hands.sessionChanged(false);
  run(2 * SECOND);
  assert.deepEqual(orders()[1], [1]);
  ana.hands.sessionChanged(true);
  assert.equal(ana.hands.isRaised, false);
});

for (const raised of [undefined, null, true, '3', -1, 1e9, [], {}]) {
  test(`no raised hand: ${JSON.stringify(raised)}`, () => {
    const { pages: [, ben], orders } = meeting(2);
    ben.hands.receive(1, { raised });
    assert.deepEqual(orders()[1], []);
  });
}

test('a flood changes nothing but the hand of its sender', () => {
  const { pages: [ana, ben], orders } = meeting(2);
  for (let number = 3; number < 3000; number += 1) ben.hands.receive(number, { raised: 1 });
  assert.equal(orders()[1].length, MAX_HANDS);
  const before = ana.raised.length;
  ana.hands.receive(2, { raised: 0 });
  for (let at = 0; at < 1000; at += 1) ana.hands.receive(2, { raised: 0 });
  assert.equal(ana.raised.length, before + 1);
});

/** @param {number} count @param {{ persons?: number[] }} [options] the person of each page */
function meeting(count, { persons = [0, 1, 2] } = {}) {
  const clock = new FakeClock();
  const net = {
    isLost: false,
    /** @type {Set<Page>} */
    away: new Set(),
    /** @type {{ from: number, message: any, to: number[] | null }[]} */
    sent: [],
  };

  class Page {
    /** The numbers of the participants whose hands were reported. @type {number[]} */
    raised = [];

    /** @param {number} at */
    constructor(at) {
      this.number = at + 1;
      this.hands = new RaisedHands({
        send: (message, to) => this.send(message, to),
        isMine: (number) => persons[number - 1] === persons[at],
        now: clock.now,
        random: () => 0.5,
        after: (ms, call) => void clock.setTimeout(call, ms),
      });
      this.hands.addEventListener('change', (event) => {
        const { raised } = /** @type {CustomEvent} */ (event).detail;
        if (raised !== null) this.raised.push(raised);
      });
    }

    /** @param {object} message @param {number[] | null} [to] */
    send(message, to = null) {
      net.sent.push({ from: this.number, message, to });
      if (net.isLost || net.away.has(this)) return;
      for (const page of pages) {
        const isMeant = page !== this && !net.away.has(page) && (!to || to.includes(page.number));
        if (isMeant) page.hands.receive(this.number, JSON.parse(JSON.stringify(message)));
      }
    }
  }

  const pages = Array.from({ length: count }, (_, at) => new Page(at));
  const run = (/** @type {number} */ ms) => {
    for (const end = clock.time + ms; clock.time < end;) {
      clock.pass(500);
      for (const { hands } of pages) hands.tick();
    }
  };
  return { pages, run, net, orders: () => pages.map(({ hands, number }) => hands.order(number)) };
}
