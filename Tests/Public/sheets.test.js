/** The sheets of a page: their areas on the plane, their entries in a session, and the commands that change them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SheetCommands } from '../../Public/js/edit/sheetCommands.js';
import { readCommands, storeCommands } from '../../Public/js/edit/storedCommands.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { MAX_SHEETS, offsetBetween, originOf, sheetAt, sheetOf, viewOn } from '../../Public/js/model/sheets.js';
import { PLANE } from '../../Public/js/model/stroke.js';
import { cleanName, keyOf, numberOf, SHEET_TYPE, Sheets } from '../../Public/js/protocol/sheetSync.js';
import { stateHash } from '../../Public/js/sync/stateHash.js';
import { ADA, BEN, catchUp, caughtUp, fakeSession, gatewayEntry, joined, welcome } from './support.js';

const [APPEND, REPLACE, REMOVE] = [1 | 1 << 1, 1 | 2 << 1, 1 | 3 << 1];

// Areas.

test('sheets lie around the first one in a spiral, within the plane', () => {
  const places = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => originOf(number).map((value) => value / 100_000));
  // Columns and rows.
  const around = [[0, 0], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [2, -1], [2, 0]];
  assert.deepEqual(places, around);
  assert.equal(MAX_SHEETS, 361);
  const seen = new Set();
  for (let number = 1; number <= MAX_SHEETS; number += 1) {
    const [x, y] = originOf(number);
    assert.ok(Math.max(Math.abs(x), Math.abs(y)) + 50_000 <= PLANE);
    assert.equal(sheetAt(x, y), number);
    seen.add(`${x} ${y}`);
  }
  assert.equal(seen.size, MAX_SHEETS);
});

test('each point of the plane belongs to a sheet', () => {
  assert.equal(sheetAt(49_999, -49_999), 1);
  assert.equal(sheetAt(50_001, 0), 2);
  assert.equal(sheetAt(PLANE, PLANE), sheetAt(900_000, 900_000));
  assert.equal(sheetAt(NaN, Infinity), sheetAt(0, 900_000));
  // An object across a border belongs to the sheet with its center.
  assert.equal(sheetOf({ left: 40_000, top: 0, right: 59_000, bottom: 10 }), 1);
  assert.equal(sheetOf({ left: 42_000, top: 0, right: 59_000, bottom: 10 }), 2);
  assert.deepEqual(offsetBetween(3, 2), [0, -100_000]);
});

test('a view stays on its sheet, with its center as far as possible', () => {
  const seen = { x: 100_500, y: -300, scale: 2 };
  assert.deepEqual(viewOn(seen, 2, 1000, 800), seen);
  assert.deepEqual(viewOn({ x: 10, y: -300, scale: 2 }, 2, 1000, 800), { x: 51_000, y: -300, scale: 2 });
  assert.deepEqual(viewOn({ x: 10, y: 90_000, scale: 2 }, 1, 1000, 800), { x: 10, y: 49_000 - 400, scale: 2 });
  // A view that is larger than the sheet is enlarged.
  const { x, y, scale } = viewOn({ x: -60_000, y: -40_000, scale: 0.01 }, 1, 1000, 800);
  assert.deepEqual([Math.round(x), Math.round(y), Math.round(1 / scale)], [-49_000, -39_200, 98]);
});

// Entries.

test('a sheet is sent to the session under its key', () => {
  const { sheets, last } = attached();
  sheets.set(2, { name: 'Plans', order: 2, isRemoved: false });
  sheets.set(2, { name: '', order: 0.5, isRemoved: true });
  sheets.set(2, null);
  const said = last().said.map(({ flags, type, payload }) => [flags & 7, type, payload]);
  const id = '73686565-7400-8000-8000-000000000002';
  assert.equal(keyOf(2), id);
  assert.deepEqual(said, [
    [REPLACE, SHEET_TYPE, `{"id":"${id}","name":"Plans","order":2}`],
    [REPLACE, SHEET_TYPE, `{"id":"${id}","order":0.5,"removed":true}`],
    [REMOVE, SHEET_TYPE, ''],
  ]);
});

test('keys outside of the range are no sheets', () => {
  assert.deepEqual([1, 361].map((number) => numberOf(keyOf(number))), [1, 361]);
  for (const key of [keyOf(0), keyOf(362), keyOf(2 ** 40), ADA.id, '', null, undefined]) assert.equal(numberOf(key), 0);
});

test('sheets are shown in their order, and those with the same place by number', async () => {
  const { sheets, last, changes } = attached();
  assert.deepEqual([sheets.isDivided, sheets.shown(), sheets.shown([7])], [false, [1], [1]]);
  last().entries(entry(1, 2, { order: 9 }), entry(2, 3, { order: -1 }), entry(3, 4, { order: 9 }));
  await Promise.resolve();
  assert.deepEqual(sheets.shown(), [3, 1, 2, 4]);
  // Objects without an entry of their sheet are not lost, wherever an earlier page has drawn them.
  assert.deepEqual(sheets.shown([7, 1]), [3, 1, 7, 2, 4]);
  assert.equal(changes.length, 1);
});

test('a removed sheet is not shown, and one sheet always is', () => {
  const { sheets, last } = attached();
  last().entries(entry(1, 2), entry(2, 1, { removed: true }));
  assert.deepEqual([sheets.shown([1]), sheets.removed], [[2], [1]]);
  last().entries(entry(3, 2, { removed: true }));
  assert.deepEqual([sheets.shown([1, 2]), sheets.removed], [[1], [1, 2]]);
});

/** Entries under the key of sheet 2, as a snapshot or live, and what both show. @type {[string, Uint8Array[], object | null][]} */
const SEQUENCES = [
  ['nothing', [], null],
  ['a sheet', [entry(1, 2, { name: 'A', order: 4 })], { name: 'A', order: 4, isRemoved: false }],
  ['two versions', [entry(1, 2, { name: 'A' }), entry(2, 2, { name: 'B' })], { name: 'B', order: 2, isRemoved: false }],
  ['a removed entry', [entry(1, 2), raw(2, REMOVE, SHEET_TYPE, '')], null],
  ['another type', [entry(1, 2), raw(2, REPLACE, 'UpsertStrokeMessage', '{"point":[1,2]}')], null],
  ['an append of another type', [entry(1, 2), raw(2, APPEND, 'Other', '{}')], { name: '', order: 2, isRemoved: false }],
  ['damaged JSON', [raw(1, REPLACE, SHEET_TYPE, '{"name":')], null],
  ['null', [raw(1, REPLACE, SHEET_TYPE, 'null')], null],
  ['a string', [raw(1, REPLACE, SHEET_TYPE, '"A"')], { name: '', order: 2, isRemoved: false }],
  ['bytes', [raw(1, REPLACE, SHEET_TYPE, Uint8Array.of(255, 0, 128))], null],
  [
    'members of wrong types',
    [entry(1, 2, { name: ['A'], order: '4', removed: 'yes' })],
    { name: '', order: 2, isRemoved: false },
  ],
  ['a place that is too far', [entry(1, 2, { order: 1e300 })], { name: '', order: 2, isRemoved: false }],
  ['a long name', [entry(1, 2, { name: '𝒳'.repeat(100_000) })], { name: '𝒳'.repeat(40), order: 2, isRemoved: false }],
];

for (const [what, entries, shown] of SEQUENCES) {
  test(`live and in a snapshot: ${what}`, () => {
    const live = attached();
    live.last().entries(...entries);
    const late = fakeSession();
    const sheets = new Sheets();
    sheets.attach(late.session, { bringsPicture: false, stored: [stored(2, 'Old')] });
    assert.equal(sheets.find(2)?.name, 'Old');
    late.session.join();
    late.last().open();
    late.last().tell(joined({ sequence: 2 }));
    late.last().tell(catchUp('snapshot', 2));
    // A retained state has no entry before the last `replace` or `remove`.
    late.last().entries(...entries.slice(what.startsWith('an append') ? 0 : -1));
    late.last().tell(caughtUp(2));
    assert.deepEqual([live.sheets.find(2), sheets.find(2)], [shown, shown]);
  });
}

test('a refused change is undone, and a change by this person is shown until the session confirms it', () => {
  const { sheets, last } = attached();
  last().entries(entry(1, 2, { name: 'Hers' }));
  sheets.set(2, { name: 'Mine', order: 2, isRemoved: false });
  last().entries(entry(2, 2, { name: 'Hers again' }));
  assert.equal(sheets.find(2)?.name, 'Mine');
  last().tell({ error: { code: 'bad-entry', detail: 'No.', clientSequence: 1 } });
  assert.equal(sheets.find(2)?.name, 'Hers again');
});

test('changes by others are reported with their author', () => {
  const { sheets, last } = attached();
  /** @type {any[]} */
  const reports = [];
  sheets.addEventListener('remotechange', (event) => reports.push(/** @type {CustomEvent} */ (event).detail));
  last().entries(entry(1, 2), entry(2, 2, { removed: true }), entry(3, 2, { removed: true }));
  assert.deepEqual(reports.map(({ number, before, after, by }) => [number, before?.isRemoved, after.isRemoved, by]), [
    [2, undefined, false, BEN.number],
    [2, false, true, BEN.number],
  ]);
});

test('a page that is shared brings its sheets, and keeps them when it leaves', async () => {
  const sheets = new Sheets();
  /** @type {any[]} */
  const local = [];
  sheets.addEventListener('localchange', (event) => local.push(/** @type {CustomEvent} */ (event).detail));
  sheets.set(2, { name: 'Plans', order: 2, isRemoved: false });
  assert.deepEqual(local.map(({ type, key }) => [type, key]), [[SHEET_TYPE, keyOf(2)]]);
  const { session, last } = fakeSession();
  sheets.attach(session, { bringsPicture: true });
  session.join();
  welcome(last());
  assert.deepEqual(last().said.map(({ payload }) => JSON.parse(payload).name), ['Plans']);
  sheets.detach();
  assert.equal(sheets.find(2)?.name, 'Plans');
  const [entryToStore] = sheets.stored;
  sheets.clear();
  assert.equal(sheets.isDivided, false);
  sheets.restore([entryToStore, { ...entryToStore, key: ADA.id }]);
  assert.deepEqual([sheets.shown(), sheets.find(2)?.name], [[1, 2], 'Plans']);
});

test('the sheets are a part of the state that participants compare', async () => {
  const [one, other] = [attached(), attached()];
  one.last().entries(entry(1, 2, { name: 'A' }));
  other.last().entries(entry(1, 2, { name: 'A' }));
  assert.equal(await stateHash(one.session.retained), await stateHash(other.session.retained));
  other.last().entries(entry(2, 2, { name: 'B' }));
  assert.notEqual(await stateHash(one.session.retained), await stateHash(other.session.retained));
});

test('names are one line without characters that change the direction of text', () => {
  assert.equal(cleanName('  One\n two‮ '), 'One two');
  assert.equal(cleanName('​ ‏'), '');
  assert.equal([...cleanName('a'.repeat(100))].length, 40);
});

// Commands.

test('people who add sheets at the same time get different ones', () => {
  const [ada, ben] = [attached(ADA), attached(BEN)].map(({ sheets }) =>
    new SheetCommands(sheets, new UndoHistory(), () => [])
  );
  assert.deepEqual([ada.add(), ben.add()], [2, 3]);
});

test('a new sheet is the last one, and takes no area with objects', () => {
  const { commands, sheets } = alone([2, 4]);
  assert.equal(commands.add('Plans'), 3);
  assert.deepEqual([sheets.shown(), sheets.find(3)?.name], [[1, 3], 'Plans']);
  assert.equal(commands.add(), 5);
  assert.deepEqual(sheets.shown(), [1, 3, 5]);
});

test('there are no more sheets than areas', () => {
  const { commands } = alone();
  const numbers = Array.from({ length: MAX_SHEETS }, () => commands.add());
  assert.deepEqual([new Set(numbers).size, numbers.at(-2), numbers.at(-1)], [MAX_SHEETS, MAX_SHEETS, 0]);
});

test('each command can be undone and redone', () => {
  const { commands, sheets, history } = alone();
  const states = [JSON.stringify(sheets.shown())];
  const state = () => JSON.stringify([sheets.shown(), sheets.shown().map((number) => sheets.find(number)?.name ?? '')]);
  states[0] = state();
  const acts = [
    () => commands.add(),
    () => commands.add('Third'),
    () => commands.rename(1, 'First'),
    () => commands.move(3, 0),
    () => commands.move(1, 2),
    () => commands.remove(2),
    () => commands.restore(2),
  ];
  for (const act of acts) {
    act();
    states.push(state());
  }
  assert.equal(states[4], JSON.stringify([[3, 1, 2], ['Third', 'First', '']]));
  assert.equal(states[5], JSON.stringify([[3, 2, 1], ['Third', '', 'First']]));
  for (const expected of states.slice(0, -1).toReversed()) {
    assert.equal(history.undo()?.undo(), true);
    assert.equal(state(), expected);
  }
  for (const expected of states.slice(1)) {
    assert.equal(history.redo()?.redo(), true);
    assert.equal(state(), expected);
  }
});

test('undo keeps the changes that others have made meanwhile', () => {
  const { commands, sheets, history } = alone();
  commands.add();
  commands.rename(2, 'Mine');
  sheets.set(2, { name: 'Hers', order: 2, isRemoved: false });
  assert.equal(history.undo()?.undo(), false);
  assert.equal(history.undo()?.undo(), false);
  assert.equal(sheets.find(2)?.name, 'Hers');
});

test('sheets can be added and moved beside those with places at the bounds, or with equal ones', () => {
  const { commands, sheets, history } = alone();
  sheets.set(2, { name: '', order: 1e9, isRemoved: false });
  sheets.set(3, { name: '', order: -1e9, isRemoved: false });
  assert.deepEqual(sheets.shown(), [3, 1, 2]);
  assert.equal(commands.add(), 4);
  assert.deepEqual(sheets.shown(), [3, 1, 2, 4]);
  for (const number of [1, 2, 3, 4]) sheets.set(number, { name: '', order: 7, isRemoved: false });
  commands.move(4, 1);
  assert.deepEqual(sheets.shown(), [1, 4, 2, 3]);
  history.undo()?.undo();
  assert.deepEqual(sheets.shown(), [1, 2, 3, 4]);
  sheets.set(4, { name: '', order: -1e9, isRemoved: false });
  commands.move(3, 0);
  assert.deepEqual(sheets.shown(), [3, 4, 1, 2]);
});

test('a sheet can be moved to the same place again and again', () => {
  const { commands, sheets } = alone();
  commands.add();
  commands.add();
  for (let time = 0; time < 200; time += 1) {
    commands.move(3, 1);
    assert.deepEqual(sheets.shown(), [1, 3, 2]);
    commands.move(2, 1);
    assert.deepEqual(sheets.shown(), [1, 2, 3]);
  }
});

test('commands continue after a reload', () => {
  const { commands, sheets, history } = alone();
  commands.add('Plans');
  commands.remove(2);
  const parts = /** @type {any} */ ({ sheets });
  const stored = JSON.parse(JSON.stringify(storeCommands(history, parts, 10_000)));
  const { done } = readCommands(stored, parts);
  assert.equal(done.length, 2);
  assert.equal(done[1].undo(), true);
  assert.deepEqual(sheets.shown(), [1, 2]);
  assert.equal(done[0].undo(), true);
  assert.deepEqual([sheets.shown(), sheets.isDivided], [[1], false]);
});

/** Sheets in a session. @param {typeof ADA} [me] */
function attached(me = ADA) {
  const { session, last } = fakeSession();
  const sheets = new Sheets();
  /** @type {string[]} */
  const changes = [];
  sheets.attach(session, { bringsPicture: false });
  sheets.addEventListener('change', () => changes.push('change'));
  session.join();
  welcome(last(), { participant: me });
  return { sheets, session, last, changes };
}

/** Sheets without a session. @param {number[]} [filled] the sheets with objects */
function alone(filled = []) {
  const [sheets, history] = [new Sheets(), new UndoHistory()];
  return { sheets, history, commands: new SheetCommands(sheets, history, () => filled) };
}

/** @param {number} number @param {string} name */
function stored(number, name) {
  return { type: SHEET_TYPE, key: keyOf(number), payload: new TextEncoder().encode(JSON.stringify({ name })) };
}

/** @param {number} sequence @param {number} number of the sheet @param {object} [message] */
function entry(sequence, number, message = {}) {
  return gatewayEntry({
    flags: REPLACE,
    sequence,
    sender: BEN.number,
    key: keyOf(number),
    type: SHEET_TYPE,
    payload: message,
  });
}

/** @param {number} sequence @param {number} flags @param {string} type @param {string | Uint8Array} payload under sheet 2's key */
function raw(sequence, flags, type, payload) {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  return gatewayEntry({ flags, sequence, sender: BEN.number, key: keyOf(2), type, payload: bytes });
}
