import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outbox } from '../../Public/js/sync/outbox.js';
import { EntryRate } from '../../Public/js/sync/entryRate.js';
import { TokenBucket } from '../../Public/js/sync/rateLimit.js';
import { Retention } from '../../Public/js/sync/wire.js';

const { append, replace, remove } = Retention;

/**
 * Unnumbered entries under one key, and the merged ones. B: the first append, A: an append, W: a replace, R: a remove, X: a
 * replace with `existing`.
 */
const FOLDS = [
  { said: 'B', left: 'B' },
  { said: 'BA', left: 'BA' },
  { said: 'BAAX', left: 'W' },
  { said: 'BX', left: 'W' },
  { said: 'W', left: 'W' },
  { said: 'WX', left: 'W' },
  { said: 'BAR', left: 'R' },
  { said: 'BARW', left: 'W' },
  { said: 'RX', left: 'R' },
  { said: 'WRX', left: 'R' },
  { said: 'AX', left: 'X' },
  { said: 'XR', left: 'R' },
  { said: 'RWX', left: 'W' },
];
const KINDS = {
  B: { retention: append, existing: false },
  A: { retention: append, existing: true },
  W: { retention: replace, existing: false },
  X: { retention: replace, existing: true },
  R: { retention: remove, existing: false },
};

for (const { said, left } of FOLDS) {
  test(`offline, ${said} is reduced to ${left}`, () => {
    const outbox = new Outbox();
    let superseded = 0;
    for (const kind of /** @type {Iterable<keyof typeof KINDS>} */ (said)) {
      const entry = entryOf(KINDS[kind]);
      if (entry.retention === append) outbox.add(entry);
      else superseded += outbox.addInPlace(entry).superseded.length;
    }
    assert.equal(outbox.pending.map(({ entry }) => letter(entry)).join(''), left);
    assert.equal(superseded, said.length - left.length);
  });
}

test('numbered entries are not merged: the gateway may have them', () => {
  const outbox = new Outbox();
  outbox.add(entryOf(KINDS.B));
  put(outbox);
  assert.deepEqual(outbox.addInPlace(entryOf(KINDS.X)).superseded, []);
  assert.equal(outbox.pending.map(({ entry }) => letter(entry)).join(''), 'BX');
});

test('entries that lost their numbers can be merged', () => {
  const outbox = new Outbox();
  outbox.add(entryOf(KINDS.B));
  put(outbox);
  outbox.rewind(1);
  outbox.addInPlace(entryOf(KINDS.X));
  assert.equal(outbox.pending.map(({ entry }) => letter(entry)).join(''), 'W');
});

test('merging many entries takes linear time', () => {
  const outbox = new Outbox();
  const begun = process.cpuUsage();
  for (let at = 0; at < 50_000; at += 1) outbox.addInPlace(entryOf({ ...KINDS.W, key: `K${at}` }));
  const { user } = process.cpuUsage(begun);
  assert.ok(user < 3_000_000, `${user} µs of CPU`);
});

test('acknowledging takes constant time per echo, with nothing committed', () => {
  const [few, many] = [4000, 16_000].map(readsOfEchoes);
  assert.ok(many <= 4.1 * few, `${few} reads for 4,000 echoes, ${many} for 16,000`);
  assert.ok(many <= 10 * 16_000, `${many} reads`);
});

test('entries of other keys keep their places', () => {
  const outbox = new Outbox();
  outbox.add(entryOf({ ...KINDS.B, key: 'K2' }));
  outbox.add(entryOf(KINDS.B));
  outbox.addInPlace(entryOf(KINDS.X));
  assert.deepEqual(outbox.pending.map(({ entry }) => entry.key), ['K2', 'K1']);
});

test('numbers are assigned on the first send, from 1 on', () => {
  const outbox = new Outbox();
  const items = [1, 2].map(() => outbox.add(entryOf(KINDS.B)));
  assert.deepEqual(items.map(({ clientSequence }) => clientSequence), [0, 0]);
  put(outbox);
  assert.deepEqual(items.map(({ clientSequence }) => clientSequence), [1, 2]);
  assert.equal(outbox.hasMore, false);
  assert.equal(outbox.isAwaited, true);
});

test('`committed` removes only entries with known sequences up to it', () => {
  const outbox = new Outbox();
  for (let count = 0; count < 3; count += 1) outbox.add(entryOf(KINDS.B));
  put(outbox);
  outbox.accepted(1, 10);
  outbox.accepted(2, 20);
  outbox.committed(15);
  assert.equal(outbox.next, 2);
  outbox.committed(20);
  assert.equal(outbox.next, 3);
  outbox.committed(99);
  assert.equal(outbox.next, 3);
});

test('a refused entry keeps its number over a reload, and is not sent', () => {
  const before = new Outbox();
  for (let count = 0; count < 3; count += 1) before.add(entryOf(KINDS.B));
  put(before);
  before.refused(2);
  const outbox = new Outbox();
  outbox.restore(structuredClone(before.snapshot()));
  assert.equal(outbox.pending.length, 2);
  assert.deepEqual(outbox.resume(0, 0, false), []);
  put(outbox);
  assert.equal(outbox.nextSequence, 4);
  assert.equal(outbox.refused(2), null);
  outbox.accepted(3, 9);
  outbox.committed(9);
  assert.equal(outbox.next, 4);
});

test('a numbered entry that was not sent is sent on the next socket', () => {
  const outbox = new Outbox();
  outbox.add(entryOf(KINDS.B));
  outbox.peek();
  assert.deepEqual(outbox.resume(0, 0, true), []);
  assert.equal(outbox.peek()?.clientSequence, 1);
});

test('a token bucket returns the wait for missing tokens', () => {
  const bucket = new TokenBucket(10, 20, 0);
  assert.equal(bucket.waitFor(20, 0), 0);
  bucket.take(20, 0);
  assert.equal(bucket.waitFor(5, 0), 500);
  assert.equal(bucket.waitFor(5, 400), 100);
  assert.equal(bucket.waitFor(5, 500), 0);
  assert.equal(bucket.waitFor(100, 3000), 0);
});

test('a clock that jumps back adds no tokens', () => {
  const bucket = new TokenBucket(10, 10, 1000);
  bucket.take(10, 1000);
  assert.equal(bucket.waitFor(1, 0), 100);
});

test('entries and bytes are both limited', () => {
  const rate = new EntryRate({ entriesPerSecond: 2, bytesPerSecond: 100 }, 1, 0);
  assert.equal(rate.take(90, 0), 0);
  assert.equal(rate.take(20, 0), 100);
  assert.equal(rate.take(10, 0), 0);
  assert.equal(rate.take(0, 0), 500);
});

/** @param {{ retention: number, existing: boolean, key?: string }} kind */
function entryOf({ key = 'K1', ...kind }) {
  return { type: 'T', payload: new Uint8Array(0), reliable: true, key, ...kind };
}

/** @param {any} entry */
function letter({ retention, existing }) {
  const found = Object.entries(KINDS).find(([, kind]) =>
    kind.retention === retention && kind.existing === Boolean(existing)
  );
  return found?.[0] ?? '?';
}

/** Accepts each item by its own echo. @param {number} count @returns {number} the number of reads of sequences of items */
function readsOfEchoes(count) {
  const outbox = new Outbox();
  let reads = 0;
  for (let at = 0; at < count; at += 1) {
    let sequence = 0;
    Object.defineProperty(outbox.add(entryOf({ ...KINDS.B, key: `K${at}` })), 'sequence', {
      get: () => (reads += 1, sequence),
      set: (value) => {
        sequence = value;
      },
    });
  }
  put(outbox);
  for (let at = 1; at <= count; at += 1) {
    assert.equal(outbox.isAwaited, true);
    assert.deepEqual(outbox.accepted(at, at).map(({ clientSequence }) => clientSequence), [at]);
  }
  assert.equal(outbox.isAwaited, false);
  return reads;
}

/** Sends everything. @param {Outbox} outbox */
function put(outbox) {
  while (outbox.hasMore) {
    outbox.peek();
    outbox.sent();
  }
}
