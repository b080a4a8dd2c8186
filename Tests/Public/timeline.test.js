import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Playback } from '../../Public/js/model/playback.js';
import { Timeline } from '../../Public/js/model/timeline.js';

const NIGHT = 8 * 3_600_000;

/**
 * @param {number} first @param {number} last @param {number | null} from @param {number | null} to
 * @param {[number, number][]} [senders]
 */
function bucket(first, last, from, to, senders = [[1, last - first + 1]]) {
  return { first, last, from, to, entries: last - first + 1, senders };
}

test('positions and sequences lead to each other', () => {
  const timeline = new Timeline([bucket(1, 100, 1000, 11_000), bucket(101, 300, 12_000, 32_000)], 0, 300);
  assert.equal(timeline.length, 31_000);
  const positions = [0, 5000, 10_000, 10_500, 21_000, 31_000];
  assert.deepEqual(positions.map((at) => timeline.sequenceAt(at)), [0, 50, 100, 100, 200, 300]);
  for (const sequence of [0, 1, 7, 99, 100, 101, 256, 299, 300]) {
    assert.equal(timeline.sequenceAt(timeline.positionOf(sequence)), sequence);
  }
  assert.deepEqual([timeline.sequenceAt(-1), timeline.sequenceAt(1e9), timeline.positionOf(1e9)], [0, 300, 31_000]);
});

test('pauses are short, whether between buckets or within one', () => {
  const between = new Timeline([bucket(1, 10, 0, 1000), bucket(11, 20, NIGHT, NIGHT + 1000)], 0, 20);
  assert.equal(between.length, 5000);
  const within = new Timeline([bucket(1, 10, 0, NIGHT)], 0, 10);
  assert.equal(within.length, 10_000);
});

test('unknown times, and times that go backward, do not change the order', () => {
  const timeline = new Timeline([bucket(1, 10, null, null), bucket(11, 20, NIGHT, NIGHT), bucket(21, 30, 5, 3)], 0, 30);
  const sequences = Array.from({ length: 11 }, (_, at) => timeline.sequenceAt((timeline.length * at) / 10));
  assert.deepEqual(sequences, sequences.toSorted((a, b) => a - b));
  assert.deepEqual([timeline.timeOf(5), timeline.timeOf(15)], [null, NIGHT]);
  assert.deepEqual([timeline.senderAround(5), timeline.senderAround(99)], [1, 1]);
});

test('a time is mapped to the last entry before it', () => {
  const timeline = new Timeline([bucket(1, 100, 1000, 11_000), bucket(101, 300, NIGHT, NIGHT + 1000)], 0, 300);
  const times = [0, 1000, 6000, 99_000, NIGHT + 500, NIGHT * 2];
  assert.deepEqual(times.map((time) => timeline.sequenceAtTime(time)), [0, 0, 50, 100, 200, 300]);
  assert.equal(timeline.timeOf(50), 6000);
});

test('an empty history has an axis', () => {
  const timeline = new Timeline([], 0, 0);
  assert.deepEqual([timeline.sequenceAt(0), timeline.positionOf(0)], [0, 1]);
  assert.deepEqual([timeline.timeOf(0), timeline.senderAround(0)], [null, 0]);
  assert.deepEqual(timeline.columns(2), [{ height: 0, shares: [] }, { height: 0, shares: [] }]);
});

test('columns show who was busy', () => {
  const timeline = new Timeline([
    bucket(1, 80, 0, 5000, [[1, 60], [2, 20]]),
    bucket(81, 100, 5000, 10_000, [[2, 20], [0, 5]]),
  ], 0, 100);
  assert.deepEqual(timeline.columns(2), [
    { height: 1, shares: [[1, 0.75], [2, 0.25]] },
    { height: 0.5, shares: [[2, 1]] },
  ]);
  assert.ok(timeline.columns(500).every(({ height, shares }) => height > 0 && height <= 1 && shares.length > 0));
});

test('the playback moves by time and speed, and pauses at the end', () => {
  const playback = new Playback();
  assert.equal(playback.next(5, 100, 0, false), 5);
  playback.speed = 10;
  playback.play();
  assert.equal(playback.next(0, 1000, 7000, false), 0);
  assert.equal(playback.next(0, 1000, 7016, false), 160);
  // The page was in the background.
  assert.equal(playback.next(160, 10_000, 99_000, false), 2660);
  assert.equal(playback.next(900, 1000, 99_016, false), 1000);
  assert.equal(playback.isPlaying, false);
  assert.equal(playback.next(1000, 1000, 99_032, false), 1000);
});

test('with reduced motion it jumps once a second', () => {
  const playback = new Playback();
  playback.speed = 3;
  playback.play();
  const positions = [];
  let position = 0;
  for (let now = 0; now <= 2000; now += 100) positions.push(position = playback.next(position, 1e6, now, true));
  assert.deepEqual([...new Set(positions)], [0, 3000, 6000]);
});
