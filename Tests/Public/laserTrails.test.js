import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FADE_MS,
  LaserSender,
  LaserTrails,
  MAX_MESSAGE_POINTS,
  MAX_POINTS,
  MAX_TRAILS,
} from '../../Public/js/protocol/laserTrails.js';
import { LaserTool } from '../../Public/js/tools/laserTool.js';

test('points are collected and sent 30 times a second', () => {
  const { sender, sent, frames } = sending();
  sender.begin([0.123, 0]);
  // A mouse with 1,000 events a second.
  frames(1000, (at) => sender.move(Array.from({ length: 16 }, (_, index) => [at + index, 0])));
  assert.ok(sent.length <= 31 && sent.length >= 20, `${sent.length} messages`);
  assert.deepEqual(sent[0].points[0], [0.1, 0]);
  assert.deepEqual(sent.map(({ first }) => first === true), sent.map((_, at) => at === 0));
});

test('a message has few points, of which the last is the newest', () => {
  const { sender, sent } = sending();
  sender.begin([0, 0]);
  sender.move(Array.from({ length: 500 }, (_, at) => [at, 1]));
  sender.frame(0);
  assert.ok(sent[0].points.length <= MAX_MESSAGE_POINTS);
  assert.deepEqual([sent[0].points[0], sent[0].points.at(-1)], [[0, 0], [499, 1]]);
});

test('a laser that is held still stays visible, and is not sent after its end', () => {
  const { sender, sent, frames } = sending();
  sender.begin([5, 5]);
  frames(3000);
  assert.ok(sent.length > 5 && sent.length <= 11, `${sent.length} messages`);
  assert.deepEqual(sent.at(-1)?.points, [[5, 5]]);
  sender.end();
  const { length } = sent;
  frames(3000);
  assert.equal(sent.length, length);
  assert.equal(sender.frame(99_999), false);
});

test('what the tool shows here is sent to the others', () => {
  const { sender, sent } = sending();
  /** @type {unknown[]} */
  const shown = [];
  const tool = new LaserTool(sender, (points, isFirst) => shown.push([points, isFirst]));
  tool.begin({ x: 1, y: 2, pressure: null });
  tool.move([{ x: 3, y: 4, pressure: 0.5 }, { x: 5, y: 6, pressure: 0.5 }]);
  tool.end();
  sender.frame(0);
  assert.deepEqual(shown, [[[[1, 2]], true], [[[3, 4], [5, 6]], false]]);
  assert.deepEqual(sent, [{ points: [[1, 2], [3, 4], [5, 6]], first: true }]);
});

test('a trail fades within a second', () => {
  const trails = new LaserTrails();
  trails.receive(2, { points: [[0, 0], [10, 0]], first: true }, 1000);
  assert.equal(trails.frame(1000), true);
  trails.receive(2, { points: [[20, 0]] }, 1500);
  trails.frame(1000 + FADE_MS);
  assert.deepEqual(trails.all.get(2)?.map(({ x }) => x), [20]);
  assert.equal(trails.frame(1500 + FADE_MS), false);
  assert.equal(trails.all.size, 0);
  assert.ok(FADE_MS <= 1000);
});

test('a new line is not connected with the previous one', () => {
  const trails = new LaserTrails();
  trails.receive(2, { points: [[0, 0], [1, 0]], first: true }, 0);
  trails.receive(2, { points: [[500, 0], [501, 0]], first: true }, 50);
  trails.receive(2, { points: [[502, 0]] }, 90);
  assert.deepEqual(trails.all.get(2)?.map(({ isFirst }) => isFirst), [true, false, true, false, false]);
});

test('a line does not lead from one sheet to another, although its beginning was lost', () => {
  const trails = new LaserTrails();
  trails.receive(2, { points: [[0, 0], [1, 0]], first: true }, 0);
  trails.receive(2, { points: [[100_000, 0], [100_001, 0]] }, 50);
  assert.deepEqual(trails.all.get(2)?.map(({ isFirst }) => isFirst), [true, false, true, false]);
});

/** @type {[unknown, number][]} the points of a message, and how many of them are shown */
const POINTS = [
  [undefined, 0],
  [{}, 0],
  ['[[0,0]]', 0],
  [[], 0],
  [[0, 0], 0],
  [[[0, 0], [1], [1, 2, 3], [null, 1], ['1', 1], [1e9, 0], [3, 4]], 2],
  [Array.from({ length: 1000 }, () => [0, 0]), MAX_MESSAGE_POINTS],
];

for (const [points, count] of POINTS) {
  test(`of the points ${JSON.stringify(points)?.slice(0, 60)}, ${count} are shown`, () => {
    const trails = new LaserTrails();
    trails.receive(2, { points }, 0);
    assert.equal(trails.all.get(2)?.length ?? 0, count);
  });
}

test('a flood fills no more than the bounds', () => {
  const trails = new LaserTrails();
  const points = Array.from({ length: MAX_MESSAGE_POINTS }, (_, at) => [at, 0]);
  for (let at = 0; at < 50_000; at += 1) trails.receive(1 + at % 50, { points }, at / 500);
  assert.equal(trails.all.size, MAX_TRAILS);
  for (const trail of trails.all.values()) assert.equal(trail.length, MAX_POINTS);
  trails.keepOnly((number) => number === 3);
  assert.deepEqual([...trails.all.keys()], [3]);
});

function sending() {
  /** @type {{ points: [number, number][], first?: boolean }[]} */
  const sent = [];
  const sender = new LaserSender((message) => sent.push(message));
  let now = 0;
  const frames = (/** @type {number} */ ms, /** @type {(now: number) => void} */ each = () => {}) => {
    for (const end = now + ms; now < end; now += 16) {
      each(now);
      sender.frame(now);
    }
  };
  return { sender, sent, frames };
}
