import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PastScene } from '../../Public/js/edit/pastScene.js';
import { returning, returnSheets } from '../../Public/js/edit/returning.js';
import { keyOf as keyOfSheet, Sheets } from '../../Public/js/protocol/sheetSync.js';
import { GroupSessionError } from '../../Public/js/sync/errors.js';
import { Breaks } from '../../Public/js/sync/history/breaks.js';
import { readHistory } from '../../Public/js/sync/history/historyEntries.js';
import { HistoryState } from '../../Public/js/sync/history/historyState.js';
import { readAttachment } from '../../Public/js/sync/journal/attachment.js';
import {
  APPEND,
  bytesOf,
  FakeHistory,
  foldOf,
  joinBytes,
  mark,
  noBreaks,
  randomEvents,
  REMOVE,
  REPLACE,
  strokeMessage,
} from './historySupport.js';
import { page } from './objectSupport.js';
import { keyOf } from './support.js';

const STROKE = 'UpsertStrokeMessage';
const TEXT = 'UpsertTextMessage';

/** @typedef {import('./historySupport.js').Event} Event */

/** @param {object} [parts] */
function pastScene(parts = {}) {
  const attachment = (/** @type {any} */ facts, /** @type {number} */ sequence) => ({
    ...facts,
    sequence,
    isReady: true,
    load: () => Promise.reject(new Error('gone')),
  });
  const nameOf = (/** @type {number} */ number) => ['', 'Ada', 'Ben'][number] ?? '';
  return new PastScene({
    sheets: new Sheets(),
    readAttachment,
    attachment: /** @type {any} */ (attachment),
    blobOf: () => null,
    nameOf,
    ...parts,
  });
}

/** @param {readonly Event[]} events */
async function entriesOf(events) {
  const bytes = joinBytes([mark({ from: 1, to: 1_000_000, time: 1 }), ...events.map(bytesOf)]);
  const { entries } = await readHistory(bytes, /** @type {any} */ (noBreaks));
  const state = new HistoryState();
  state.advance(entries, 1_000_000);
  return state.entries;
}

/** @param {PastScene} past @param {readonly Event[]} events */
async function show(past, events) {
  await past.show(await entriesOf(events), noBreaks);
}

/** @param {number} sequence @param {number} key @param {object} more @param {number} [retention] @returns {Event} */
function stroke(sequence, key, more, retention = REPLACE) {
  const payload = { ...strokeMessage(keyOf(key), sequence, [[0, 0], [10, 10]]), ...more };
  return { sequence, sender: 1, retention, key: keyOf(key), type: STROKE, payload };
}

/** @param {number} sequence @param {string} key @param {object} payload @returns {Event} the entry of an attachment */
function attached(sequence, key, payload) {
  return { sequence, sender: 0, retention: REPLACE, key, type: 'attachment', payload, isSystem: true };
}

/** @param {PastScene} past */
const drawn = (past) => past.scene.all.map((one) => [one.id, one.z, 'points' in one ? one.points.join() : '']);

test('each moment is shown as if it were the first one', async () => {
  const history = new FakeHistory(randomEvents(90));
  const reader = history.reader;
  await reader.open();
  const past = pastScene();
  for (const sequence of [90, 0, 45, 44, 46, 88, 12, 13, 14, 90]) {
    const state = await reader.stateAt(sequence);
    if (!state) return assert.fail();
    await past.show(state.entries, noBreaks);
    const fresh = pastScene();
    await show(fresh, history.events.filter((event) => event.sequence <= sequence));
    assert.deepEqual(drawn(past), drawn(fresh), `at ${sequence}`);
    assert.equal(past.shapes.size, foldOf(history.events.slice(0, sequence)).size);
    assert.equal(past.isChanging, false);
  }
});

test('an unchanged object stays the same, so that it is not painted again', async () => {
  const past = pastScene();
  const events = [stroke(1, 1, {}), stroke(2, 2, {})];
  await show(past, events);
  const [first, second] = past.shapes.all;
  await show(past, [...events, stroke(3, 2, { width: 9 })]);
  assert.equal(past.shapes.find(first.id), first);
  assert.notEqual(past.shapes.find(second.id), second);
});

test('a stroke grows with its appends, and shrinks on the way back', async () => {
  const past = pastScene();
  const events = [
    stroke(1, 1, { points: [[0, 0]] }, APPEND),
    stroke(2, 1, { points: [[5, 5]] }, APPEND),
    stroke(3, 1, { points: [[9, 9]] }, APPEND),
  ];
  const lengths = [];
  for (const count of [1, 3, 2, 0, 3]) {
    await show(past, events.slice(0, count));
    lengths.push(past.shapes.all[0]?.points.length ?? 0);
  }
  assert.deepEqual(lengths, [2, 6, 4, 0, 6]);
});

test('damaged payloads show nothing, and nothing is thrown', async () => {
  const past = pastScene();
  const wrong = [null, 5, 'x', [], {}, { points: 'x' }, { points: [[1e300, 0]] }, { point: [NaN, 1] }];
  const events = wrong.flatMap((payload, at) => [
    { ...stroke(3 * at + 1, at + 1, {}), payload },
    { ...stroke(3 * at + 2, at + 40, {}), type: TEXT, payload },
    { ...stroke(3 * at + 3, at + 80, {}), type: 'attachment', payload, isSystem: true },
  ]);
  await show(past, events);
  assert.equal(past.scene.isEmpty, true);
  await show(past, []);
});

test('pictures lie where they were, and keep their object when they are moved', async () => {
  const past = pastScene();
  const id = keyOf(7);
  const facts = { id, name: 'a.png', contentType: 'image/png', size: 3, state: 'ready', participant: 2 };
  const metadata = { location: [100, 100], width: 40, height: 20, z: 5 };
  const added = attached(1, id, { ...facts, metadata });
  const payload = { id, location: [300, 50], width: 80, height: 40, z: 9, angle: 90 };
  /** @type {Event} */
  const moved = { sequence: 2, sender: 1, retention: REPLACE, key: id, type: 'ImagePlacementMessage', payload };
  await show(past, [added, moved]);
  const item = past.items.find(id);
  assert.deepEqual(item?.place, { x: 300, y: 50, width: 80, height: 40, z: 9, angle: 90 });
  assert.deepEqual([item?.by, item?.name, item?.canLoad], ['Ben', 'a.png', true]);
  await show(past, [added]);
  assert.equal(past.items.find(id), item);
  assert.deepEqual(item?.place, { x: 100, y: 100, width: 40, height: 20, z: 5 });
  await show(past, [added, moved, { ...added, sequence: 3, retention: REMOVE }]);
  assert.equal(past.items.size, 0);
});

test('lines end at the objects to which they are attached', async () => {
  const past = pastScene();
  const box = stroke(1, 1, { tool: 'rectangle', points: [[0, 0], [100, 0], [100, 100], [0, 100], [0, 0]] });
  const line = stroke(2, 2, { tool: 'line', points: [[100, 50], [300, 50]], from: { id: keyOf(1), anchor: [1, 0.5] } });
  const moved = stroke(3, 1, { tool: 'rectangle', points: [[0, 80], [100, 80], [100, 180], [0, 180], [0, 80]] });
  const ends = () => {
    const shape = past.shapes.find(keyOf(2));
    return shape && 'points' in shape ? shape.points.slice(0, 2) : null;
  };
  await show(past, [box, line]);
  assert.deepEqual(ends(), [100, 50]);
  await show(past, [box, line, moved]);
  assert.deepEqual(ends(), [100, 130]);
  await show(past, [box, line]);
  assert.deepEqual(ends(), [100, 50]);
});

test('the sheets are those of the moment', async () => {
  const past = pastScene();
  const sheet = (/** @type {number} */ sequence, /** @type {object} */ payload) => ({
    sequence,
    sender: 1,
    retention: REPLACE,
    key: keyOfSheet(2),
    type: 'SheetMessage',
    payload,
  });
  await show(past, [sheet(1, { name: 'Plan', order: 2 })]);
  assert.deepEqual([past.sheets.shown(), past.sheets.find(2)?.name], [[1, 2], 'Plan']);
  await show(past, [sheet(1, { name: 'Plan', order: 2 }), sheet(2, { name: 'Plan', order: 2, removed: true })]);
  assert.deepEqual(past.sheets.shown(), [1]);
  await show(past, []);
  assert.equal(past.sheets.isDivided, false);
});

test('long changes take breaks', async () => {
  const past = pastScene();
  const entries = await entriesOf(randomEvents(200, 90));
  let [time, taken] = [0, 0];
  await past.show(entries, new Breaks(() => time += 1, async () => taken += 1));
  assert.ok(taken > 5, `${taken} breaks`);
});

/** A page and the picture that it had before everything was removed. @param {number} count */
async function wiped(count) {
  const now = page();
  /** @type {import('../../Public/js/sync/wire.js').OutgoingEntry[]} */
  const sent = [];
  now.drawing.addEventListener('localchange', (event) => sent.push(/** @type {CustomEvent} */ (event).detail));
  const past = pastScene();
  const events = Array.from({ length: count }, (_, at) => {
    const key = `${(count - at).toString(16).padStart(8, '0').toUpperCase()}-0000-4000-8000-000000000000`;
    return { ...stroke(at + 1, 1, {}), key, payload: strokeMessage(key, at + 1, [[at % 100, at], [at % 100 + 5, at]]) };
  });
  await show(past, events);
  const run = () => {
    while (now.commands.tasks.isBusy) now.commands.frame();
  };
  return { now, past, sent, run };
}

test('5,000 removed objects come back under their keys, in the order of drawing, as one step', async () => {
  const { now, past, sent, run } = await wiped(5000);
  const plan = await returning(past.scene.all, now);
  assert.deepEqual([plan.shapes.length, plan.copies, plan.lost], [5000, 0, 0]);
  const inserted = now.commands.insert(plan.shapes, plan.placed);
  run();
  assert.equal((await inserted).length, 5000);
  assert.deepEqual(sent.map(({ key }) => key), past.scene.all.map(({ id }) => id));
  assert.deepEqual(now.shapes.all.map(({ id, z }) => [id, z]), past.shapes.all.map(({ id, z }) => [id, z]));
  assert.deepEqual((await returning(past.scene.all, now)).shapes, []);
  now.drawing.undo();
  run();
  assert.equal(now.shapes.size, 0);
  assert.equal(now.drawing.canUndo, false);
  now.drawing.redo();
  run();
  assert.equal(now.shapes.size, 5000);
});

test('an object that was changed since comes back beside its present version', async () => {
  const { now, past } = await wiped(3);
  const all = past.shapes.all;
  now.drawing.add([all[0].moved({ factor: 1, x: 0, y: 0 }), all[1].moved({ factor: 1, x: 50, y: 0 })]);
  let keys = 0;
  const plan = await returning(past.scene.all, { ...now, key: () => keyOf(200 + (keys += 1)) });
  assert.deepEqual(plan.shapes.map(({ id, z }) => [id, z]), [[keyOf(201), 2], [all[2].id, 3]]);
  assert.equal(plan.copies, 1);
  // The objects of the past picture are not the new ones.
  assert.equal(past.shapes.all[1].id, all[1].id);
});

test('a line between two former versions connects these versions', async () => {
  const { now, past } = await wiped(0);
  const box = stroke(1, 1, { tool: 'rectangle', points: [[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]] });
  const other = stroke(2, 2, { tool: 'rectangle', points: [[50, 0], [59, 0], [59, 9], [50, 9], [50, 0]] });
  const ends = { from: { id: keyOf(1), anchor: [1, 0.5] }, to: { id: keyOf(2), anchor: [0, 0.5] } };
  await show(past, [box, other, stroke(3, 3, { tool: 'line', points: [[9, 5], [50, 5]], ...ends })]);
  now.drawing.add([past.shapes.all[0].moved({ factor: 1, x: 0, y: 99 })]);
  const plan = await returning(past.scene.all, { ...now, key: () => keyOf(201) });
  const line = plan.shapes.find(({ id }) => id === keyOf(3));
  assert.deepEqual(line && 'from' in line ? [line.from?.id, line.to?.id] : null, [keyOf(201), keyOf(2)]);
});

test('pictures come back if their contents are there', async () => {
  const { now } = await wiped(0);
  const [id, other] = [keyOf(7), keyOf(8)];
  const blob = new Blob(['abc']);
  const past = pastScene({ blobOf: (/** @type {string} */ one) => one === id ? blob : null });
  const facts = { name: 'a.txt', contentType: 'text/plain', size: 3, state: 'ready' };
  const metadata = { location: [9, 9], z: 4 };
  await show(past, [id, other].map((key, at) => attached(at + 1, key, { id: key, ...facts, metadata })));
  const plan = await returning(past.scene.all, now);
  // The first one's content is on this page: it was loaded with the past picture.
  assert.deepEqual([plan.placed.length, plan.lost], [1, 1]);
  assert.deepEqual(plan.placed[0].added.blob, blob);
  await now.commands.insert(plan.shapes, plan.placed);
  assert.deepEqual(now.items.all.map(({ name, place: { x, z } }) => [name, x, z]), [['a.txt', 9, 4]]);
});

test('lines come back attached to the pictures that come back', async () => {
  const { now } = await wiped(0);
  const id = keyOf(7);
  const past = pastScene({ blobOf: () => new Blob(['abc']) });
  const metadata = { location: [9, 9], z: 4 };
  const facts = { id, name: 'a.txt', contentType: 'text/plain', size: 3, state: 'ready', metadata };
  const line = { tool: 'line', points: [[9, 5], [50, 5]], from: { id, anchor: [1, 0.5] } };
  await show(past, [attached(1, id, facts), stroke(2, 3, line)]);
  const plan = await returning(past.scene.all, now);
  await now.commands.insert(plan.shapes, plan.placed);
  const [returned] = plan.shapes;
  assert.equal('from' in returned && returned.from?.id, now.items.all[0].id);
});

/** A page, and a past picture whose content is loaded by the test. */
async function loadable() {
  const { now } = await wiped(0);
  /** @type {(blob: Blob) => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  const content = new Promise((...ends) => [resolve, reject] = ends);
  const load = () => content;
  const past = pastScene({ attachment: () => /** @type {any} */ ({ isReady: true, load }) });
  const metadata = { location: [9, 9], z: 4 };
  const facts = { id: keyOf(7), name: 'a.txt', contentType: 'text/plain', size: 3, state: 'ready', metadata };
  await show(past, [attached(1, keyOf(7), facts), stroke(2, 1, {})]);
  return { now, past, resolve, reject };
}

test('the objects are compared with the page as it is when the contents are loaded', async () => {
  const { now, past, resolve } = await loadable();
  const [shape] = past.shapes.all;
  const update = () => now.drawing.add([shape.moved({ factor: 1, x: 0, y: 0 })]);
  const plan = returning(past.scene.all, { ...now, update });
  await show(past, []);
  resolve(new Blob(['abc']));
  const { shapes, placed, copies } = await plan;
  assert.deepEqual([shapes.length, placed.length, copies], [0, 1, 0]);
});

test('contents that cannot be loaded now are not reported as gone', async () => {
  const { now, past, reject } = await loadable();
  const plan = returning(past.scene.all, now);
  const error = new GroupSessionError('unavailable');
  reject(error);
  const { shapes, placed, lost, problem } = await plan;
  assert.deepEqual([shapes.length, placed.length, lost, problem], [1, 0, 0, error]);
});

test('the removed sheets of returning objects come back', async () => {
  const { past } = await wiped(0);
  const key = keyOfSheet(2);
  const payload = { name: 'Plan', order: 2 };
  /** @type {Event} */
  const sheet = { sequence: 1, sender: 1, retention: REPLACE, key, type: 'SheetMessage', payload };
  await show(past, [sheet, stroke(2, 1, { points: [[100_000, 0], [100_010, 0]] })]);
  const present = new Sheets();
  returnSheets(past.scene.all, past.sheets, present);
  assert.deepEqual(present.find(2), { name: 'Plan', order: 2, isRemoved: false });
  present.set(2, { name: 'Later', order: 3, isRemoved: true });
  returnSheets(past.scene.all, past.sheets, present);
  assert.deepEqual(present.find(2), { name: 'Later', order: 3, isRemoved: false });
  returnSheets(past.scene.all, past.sheets, present);
  assert.deepEqual(present.shown(), [1, 2]);
});
