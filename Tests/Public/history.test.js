import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { test } from 'node:test';
import { Breaks } from '../../Public/js/sync/history/breaks.js';
import { readHistory } from '../../Public/js/sync/history/historyEntries.js';
import { readOverview } from '../../Public/js/sync/history/historyOverview.js';
import { HistoryRequests } from '../../Public/js/sync/history/historyRequests.js';
import {
  APPEND,
  bytesOf,
  FakeHistory,
  foldOf,
  joinBytes,
  mark,
  noBreaks,
  problem,
  randomEvents,
  REMOVE,
  REPLACE,
  timeOf,
} from './historySupport.js';
import { gatewayEntry, keyOf, until } from './support.js';

const TYPE = 'UpsertStrokeMessage';
/** @param {number} sequence @param {number} [retention] @param {number} [key] */
const entry = (sequence, retention = REPLACE, key = 1) =>
  bytesOf({ sequence, sender: 1, retention, key: keyOf(key), type: TYPE, payload: { a: 1 } });
/** @param {...Uint8Array} parts */
const read = (...parts) => readHistory(joinBytes(parts), /** @type {any} */ (noBreaks));
/** @param {number} from @param {number} to */
const range = (from, to) => mark({ from, to, time: 5 });

test('a part has its entries with their times, and the last sequence that it covers', async () => {
  const later = mark({ from: 5, to: 9, time: null });
  const part = await read(range(3, 4), entry(4), later, entry(6, APPEND), entry(7, REMOVE, 2));
  assert.deepEqual(part.entries.map(({ sequence, time, key }) => [sequence, time, key]), [
    [4, 5, keyOf(1)],
    [6, null, keyOf(1)],
    [7, null, keyOf(2)],
  ]);
  assert.equal(part.to, 9);
  const begin = mark({ state: 20, time: 7 });
  const state = await read(begin, entry(12), entry(3, REPLACE, 2), begin, entry(20));
  assert.deepEqual([state.state, state.time, state.entries.length], [20, 7, 3]);
});

test('entries that change nothing are left out, and unknown system entries are ignored', async () => {
  const unreliable = gatewayEntry({ flags: REPLACE << 1, sequence: 1, key: 1, type: TYPE });
  const existing = gatewayEntry({ flags: 1 | (REPLACE << 1) | 32, sequence: 2, key: 1, type: TYPE });
  const targeted = gatewayEntry({ flags: 1 | (REPLACE << 1) | 8, sequence: 3, key: 1, type: TYPE });
  const plain = gatewayEntry({ flags: 0x81, sequence: 4, type: 'participants', payload: {} });
  const later = gatewayEntry({ flags: 0x81, type: 'somethingNew', payload: {} });
  const part = await read(range(1, 9), unreliable, existing, targeted, later, plain, entry(5));
  assert.deepEqual(part.entries.map(({ sequence }) => sequence), [5]);
});

for (
  const [name, parts] of /** @type {[string, Uint8Array[]][]} */ ([
    ['a cut entry', [range(1, 5), entry(2).subarray(0, 30)]],
    ['a cut length', [range(1, 5), Uint8Array.of(0, 0)]],
    ['a length beyond the end', [range(1, 5), Uint8Array.of(255, 255, 255, 255, 1)]],
    ['an entry too short for its head', [Uint8Array.of(0, 0, 0, 2, 1, 1)]],
    ['an entry too short for its key', [range(1, 5), gatewayEntry({ flags: 5, sequence: 2, type: 'a' })]],
    ['an entry before any mark', [entry(1)]],
    ['an entry outside of its range', [range(1, 5), entry(6)]],
    ['entries in falling sequence', [range(1, 5), entry(3), entry(2)]],
    ['an entry after its state', [mark({ state: 4, time: 1 }), entry(5)]],
    ['ranges that overlap', [range(1, 5), range(5, 6)]],
    ['a range without numbers', [mark({ from: 'x', to: {} })]],
    ['two states', [mark({ state: 4, time: 1 }), mark({ state: 5, time: 1 })]],
    ['a state behind a range', [range(1, 5), mark({ state: 4, time: 1 })]],
  ])
) {
  test(`${name} is an error, not an exception of another kind`, async () => {
    await assert.rejects(read(...parts), { name: 'GroupSessionError', code: 'damaged' });
  });
}

test('random bytes never cause another error', async () => {
  const whole = joinBytes([range(1, 9), entry(1), entry(2), entry(5, APPEND), entry(9, REMOVE)]);
  for (let at = 0; at < whole.length; at += 1) {
    for (const value of [0, 1, 127, 255]) {
      const bytes = whole.slice();
      bytes[at] = value;
      await readHistory(bytes, /** @type {any} */ (noBreaks)).catch(({ code }) => assert.equal(code, 'damaged'));
    }
  }
});

test('long work takes breaks', async () => {
  let [time, taken] = [0, 0];
  const breaks = new Breaks(() => time += 1, async () => taken += 1);
  const entries = Array.from({ length: 2000 }, (_, at) => entry(at + 1));
  await readHistory(joinBytes([range(1, 2000), ...entries]), breaks);
  assert.ok(taken > 1, `${taken} breaks`);
  await new Breaks().take();
});

test('an overview is checked', () => {
  const good = new FakeHistory(randomEvents(60)).overview;
  const overview = readOverview(good);
  assert.deepEqual([overview?.first, overview?.through, overview?.stored], [0, 60, 55]);
  assert.deepEqual(overview?.states[0], { sequence: 0, tag: null });
  assert.equal(overview?.participants.get(2)?.name, 'Ben');
  const [chunk] = good.chunks;
  for (
    const wrong of [
      null,
      [],
      { ...good, states: 'x' },
      { ...good, states: [[1, null, 0]] },
      { ...good, states: [[-1, 'aaaaaaaa', 0]] },
      { ...good, chunks: [[1, 2, '../../etc', 3]] },
      { ...good, chunks: [[2, 1, 'aaaaaaaa', 3]] },
      { ...good, chunks: [chunk, chunk] },
      { ...good, buckets: [[1, 1e300, 1, 1, 1, []]] },
      { ...good, buckets: Array.from({ length: 5000 }, (_, at) => [at + 1, at + 1, 1, 1, 1, []]) },
      { ...good, buckets: [[1, 2, 1, 1, 1, Array.from({ length: 1000 }, () => 1)]] },
      { ...good, participants: [1] },
    ]
  ) assert.equal(readOverview(wrong), null, JSON.stringify(wrong)?.slice(0, 80));
  // A history with unknown or wrong times is still shown.
  assert.equal(readOverview({ ...good, buckets: [[1, 60, null, -5, 1, []]] })?.buckets[0].to, null);
});

test('a short history has no pieces, and one without its beginning cannot be shown', () => {
  const short = new FakeHistory(randomEvents(4)).overview;
  assert.deepEqual([short.chunks, readOverview(short)?.first, readOverview(short)?.through], [[], 0, 4]);
  const late = { ...short, states: [], buckets: [[3, 4, 1, 1, 2, []]] };
  assert.deepEqual([readOverview(late)?.first, readOverview(late)?.through], [4, 4]);
  const none = { through: 9, stored: 0, states: [], chunks: [], buckets: [], participants: [] };
  assert.deepEqual([readOverview(none)?.first, readOverview(none)?.through], [0, 0]);
});

/** @param {import('../../Public/js/sync/history/historyState.js').HistoryState | null} state */
const sequencesOf = (state) =>
  [...state?.entries ?? []].map(([key, list]) => [key, ...list.map(({ sequence }) => sequence)]).toSorted();
/** @param {FakeHistory} history @param {number} sequence */
const expected = (history, sequence) =>
  [...foldOf(history.events.filter((event) => event.sequence <= sequence))]
    .map(([key, list]) => [key, ...list.map((event) => event.sequence)]).toSorted();

test('the state at each sequence is that of all entries up to it, in any order of requests', async () => {
  const history = new FakeHistory(randomEvents(87));
  const reader = history.reader;
  const { first, through } = await reader.open();
  assert.deepEqual([first, through], [0, 87]);
  const order = Array.from({ length: 88 }, (_, at) => at);
  const mixed = order.map((at) => (at * 37) % 88);
  for (const sequence of [...order, ...order.toReversed(), ...mixed]) {
    const state = await reader.stateAt(sequence);
    assert.deepEqual(sequencesOf(state), expected(history, sequence), `at ${sequence}`);
    assert.equal(state?.sender, history.events[sequence - 1]?.sender ?? 0);
  }
  // Each piece was loaded once.
  assert.equal(new Set(history.asked).size, history.asked.length);
});

test('a moment needs one stored state and the chunks after it', async () => {
  const history = new FakeHistory(randomEvents(100), { chunksPerState: 3, tail: 0 });
  const reader = history.reader;
  await reader.open();
  const state = await reader.stateAt(75);
  assert.deepEqual(history.asked, [
    '',
    'state=60&tag=0000003c',
    'from=61&to=70&tag=00000046',
    'from=71&to=80&tag=00000050',
  ]);
  assert.equal(state?.time, timeOf(71));
});

test('a moment may need many small chunks, because a large state is not stored often', async () => {
  const history = new FakeHistory(randomEvents(300), { perChunk: 1, chunksPerState: 400, tail: 0 });
  const reader = history.reader;
  await reader.open();
  assert.deepEqual(sequencesOf(await reader.stateAt(299)), expected(history, 299));
});

test('a history whose beginning is gone begins with a stored state', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 0 });
  history.pieces = history.pieces.slice(2);
  const reader = history.reader;
  const { first } = await reader.open();
  assert.equal(first, 20);
  assert.deepEqual(sequencesOf(await reader.stateAt(20)), expected(history, 20));
  await assert.rejects(reader.stateAt(19), { code: 'not-found' });
});

test('only the last chosen moment counts: requests that it does not need are aborted', async () => {
  const history = new FakeHistory(randomEvents(100), { tail: 0 });
  const reader = history.reader;
  await reader.open();
  let open = () => {};
  history.gate = new Promise((resolve) => open = () => resolve(undefined));
  let wanted = 15;
  const first = reader.stateAt(15, () => wanted === 15);
  await until(() => history.asked.length === 3);
  // The same pieces are needed again.
  reader.want(wanted = 18);
  assert.deepEqual(history.aborted, []);
  reader.want(wanted = 95);
  assert.equal(history.aborted.length, 2);
  assert.equal(await first, null);
  const last = reader.stateAt(95, () => wanted === 95);
  open();
  assert.deepEqual(sequencesOf(await last), expected(history, 95));
});

test('closing aborts everything', async () => {
  const history = new FakeHistory(randomEvents(100), { tail: 0 });
  const reader = history.reader;
  await reader.open();
  history.gate = new Promise(() => {});
  const waiting = reader.stateAt(15, () => false);
  await until(() => history.asked.length === 3);
  reader.close();
  assert.equal(await waiting, null);
  assert.equal(history.aborted.length, 3);
});

test('the reader waits as long as the gateway asks, and reports other refusals', async () => {
  const history = new FakeHistory(randomEvents(30));
  const pauses = /** @type {number[]} */ ([]);
  const requests = new HistoryRequests({
    base: 'https://draw.example/',
    session: 'S',
    request: /** @type {any} */ (history.fetch),
    wait: async (ms) => void pauses.push(ms),
  });
  const { signal } = new AbortController();
  setMaxListeners(100, signal);
  history.answers = [problem(429, { code: 'rate-limited', retryAfterMs: 700 }), problem(503, { code: 'unavailable' })];
  assert.equal((await requests.overview(signal)).through, 30);
  assert.deepEqual(pauses, [700, 100]);
  history.answers = [problem(404, { code: 'not-found', detail: 'No history.' })];
  await assert.rejects(requests.overview(signal), { code: 'not-found' });
  history.answers = Array.from({ length: 20 }, () => problem(503, { code: 'unavailable' }));
  await assert.rejects(requests.overview(signal), { code: 'unavailable' });
  history.answers = [new Response('{"through":')];
  await assert.rejects(requests.overview(signal), { code: 'damaged' });
  const offline = new HistoryRequests({
    base: 'https://draw.example/',
    session: 'S',
    request: () => Promise.reject(new TypeError('Failed to fetch')),
  });
  await assert.rejects(offline.overview(signal), { code: 'unavailable' });
});

test('few requests are sent at once, and those that are no longer needed are never sent', async () => {
  let [running, most] = [0, 0];
  let open = () => {};
  const gate = new Promise((resolve) => open = () => resolve(undefined));
  const asked = /** @type {string[]} */ ([]);
  const request = /** @type {any} */ (async (/** @type {URL} */ { search }) => {
    asked.push(search);
    running += 1;
    most = Math.max(most, running);
    await gate;
    running -= 1;
    return new Response('');
  });
  const requests = new HistoryRequests({ base: 'https://a.example/', session: 'S', request });
  const controllers = Array.from({ length: 40 }, () => new AbortController());
  const pieces = controllers.map(({ signal }, at) => requests.piece(`from=${at + 1}`, signal));
  const settled = Promise.allSettled(pieces);
  controllers[30].abort();
  open();
  const results = await settled;
  assert.deepEqual(results.map(({ status }) => status).indexOf('rejected'), 30);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 39);
  assert.ok(most > 1 && most <= 8, `${most} at once`);
  assert.equal(asked.includes('?from=31'), false);
});

test('an endless answer is not read to its end', async () => {
  const history = new FakeHistory(randomEvents(30));
  let [sent, isCancelled] = [0, false];
  const body = new ReadableStream({
    pull: (controller) => {
      sent += 2 ** 20;
      controller.enqueue(new Uint8Array(2 ** 20));
    },
    cancel: () => void (isCancelled = true),
  });
  history.answers = [new Response(body)];
  await assert.rejects(history.requests.piece('from=1&to=2', new AbortController().signal), { code: 'too-large' });
  assert.ok(isCancelled && sent <= 20 * 2 ** 20, `${sent} bytes`);
});

test('pieces that the gateway has replaced are found by reading the overview again', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 0 });
  const reader = history.reader;
  await reader.open();
  for (const piece of history.pieces) piece.tag = `ff${piece.tag.slice(2)}`;
  assert.deepEqual(sequencesOf(await reader.stateAt(33)), expected(history, 33));
  history.pieces = [];
  await assert.rejects(reader.stateAt(50), { code: 'not-found' });
});

test('entries that have left the log since the overview was read are found by another overview', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 20 });
  const reader = history.reader;
  await reader.open();
  // The gateway has extended the history meanwhile, and has removed its oldest pieces.
  const later = new FakeHistory(history.events, { tail: 0 });
  history.pieces = later.pieces.filter(({ state, range }) => (state ?? range?.[0] ?? 0) >= 40);
  history.stored = later.stored;
  history.answers = [null, new Response(joinBytes([range(51, 60), entry(55)]))];
  assert.deepEqual(sequencesOf(await reader.stateAt(58)), expected(history, 58));
  assert.deepEqual(history.asked.filter((query) => query === ''), ['', '']);
});

test('later moments can be shown although the gateway has lost an earlier part of the history', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 20 });
  history.events = history.events.filter(({ sequence }) => sequence <= 40 || sequence > 45);
  const { fetch } = history;
  history.fetch = (url, options) => fetch(String(url).replace('from=41', 'from=46'), options);
  const reader = history.reader;
  await reader.open();
  assert.deepEqual(sequencesOf(await reader.stateAt(58)), expected(history, 58));
});

test('damaged pieces are reported, and the next moment can be read', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 0 });
  const reader = history.reader;
  await reader.open();
  history.answers = [null, new Response(Uint8Array.of(9, 9, 9))];
  await assert.rejects(reader.stateAt(33), { code: 'damaged' });
  assert.deepEqual(sequencesOf(await reader.stateAt(33)), expected(history, 33));
  // A state of another moment.
  const other = history.reader;
  await other.open();
  history.answers = [new Response(history.pieces[2].bytes.slice())];
  await assert.rejects(other.stateAt(55), { code: 'damaged' });
});
