/** Alignment and distribution: of boxes, and of a selection as one undo step. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrange } from '../../Public/js/edit/arrangement.js';
import { readCommands, storeCommands } from '../../Public/js/edit/storedCommands.js';
import { de } from '../../Public/js/i18n/later/de.js';
import { en } from '../../Public/js/i18n/later/en.js';
import { alignOffsets, distributeOffsets } from '../../Public/js/model/alignment.js';
import { openPage, sides } from './transformSupport.js';

const BOXES = [box(10, 0, 20, 40), box(50, 10, 90, 20), box(-10, 100, 0, 130)];

/** @type {[import('../../Public/js/model/alignment.js').Alignment, number[]][]} */
const ALIGNED = [
  ['left', [-20, -60, 0]],
  ['center', [25, -30, 45]],
  ['right', [70, 0, 90]],
  ['top', [0, -10, -100]],
  ['middle', [45, 50, -50]],
  ['bottom', [90, 110, 0]],
];

for (const [alignment, expected] of ALIGNED) {
  test(`boxes are aligned: ${alignment}`, () => {
    const isAcross = ['left', 'center', 'right'].includes(alignment);
    assert.deepEqual(alignOffsets(BOXES, alignment), expected.map((one) => isAcross ? [one, 0] : [0, one]));
  });
}

test('boxes are distributed with equal gaps, in their order; the outer ones stay', () => {
  const row = [box(200, 0, 220, 9), box(0, 0, 10, 9), box(100, 0, 150, 9), box(20, 0, 40, 9)];
  const offsets = distributeOffsets(row, 'horizontal');
  const moved = row.map(({ left, right }, at) => [left + offsets[at][0], right + offsets[at][0]]).toSorted((a, b) =>
    a[0] - b[0]
  );
  assert.deepEqual(moved, [[0, 10], [50, 70], [110, 160], [200, 220]]);
  assert.deepEqual(distributeOffsets(BOXES, 'vertical'), [[0, 40], [0, 0], [0, 0]]);
});

test('boxes without enough room overlap equally', () => {
  const offsets = distributeOffsets([box(0, 0, 40, 1), box(5, 0, 45, 1), box(20, 0, 60, 1)], 'horizontal');
  assert.deepEqual(offsets.map(([x]) => x), [0, 5, 0]);
});

test('a selection of shapes, a text and a picture is aligned as one undo step', () => {
  const page = openPage();
  const ids = [
    page.draw('rectangle', [100, 100, 160, 140]),
    page.write('Hello', 300, 200),
    page.addPicture(50, 400, 40, 40),
  ];
  const before = ids.map((id) => sides(page.find(id).extent));
  assert.equal(arrange(page.parts, ids, 'left'), true);
  assert.deepEqual(ids.map((id) => sides(page.find(id).extent)[0]), [30, 30, 30]);
  const after = ids.map((id) => sides(page.find(id).extent));
  assert.deepEqual(after.map(([, top]) => top), before.map(([, top]) => top));
  page.drawing.undo();
  assert.deepEqual(ids.map((id) => sides(page.find(id).extent)), before);
  page.drawing.redo();
  assert.deepEqual(ids.map((id) => sides(page.find(id).extent)), after);
  assert.equal(arrange(page.parts, ids, 'left'), false, 'they are aligned already');
});

test('line widths do not count: the edges of shapes with different line widths are aligned', () => {
  const page = openPage();
  const thin = page.draw('rectangle', [100, 100, 160, 140]);
  const broad = page.draw('rectangle', [300, 300, 360, 340]);
  page.commands.restyle(new Set([broad]), () => ({ width: 20 }));
  arrange(page.parts, [thin, broad], 'bottom');
  assert.deepEqual([thin, broad].map((id) => page.find(id).points[5]), [340, 340]);
});

test('two objects are not distributed, and one is not aligned', () => {
  const page = openPage();
  const ids = [page.draw('pen', [0, 0, 10, 10]), page.draw('pen', [50, 50, 60, 60])];
  assert.equal(arrange(page.parts, ids, 'horizontal'), false);
  assert.equal(arrange(page.parts, ids.slice(1), 'left'), false);
});

test('after others moved an object, undo moves it back only by the offset of the alignment', () => {
  const page = openPage();
  const ids = [page.draw('pen', [0, 0, 10, 10]), page.draw('pen', [50, 50, 60, 60])];
  arrange(page.parts, ids, 'right');
  page.drawing.update([page.find(ids[0]).moved({ factor: 1, x: 0, y: 7 })]);
  page.drawing.undo();
  assert.deepEqual(ids.map((id) => page.find(id).points), [[0, 7, 10, 17], [50, 50, 60, 60]]);
});

test('an alignment is undone and redone after a reload', () => {
  const page = openPage();
  const ids = [page.draw('pen', [0, 0, 10, 10]), page.draw('pen', [50, 50, 60, 60]), page.addPicture(50, 400, 40, 40)];
  arrange(page.parts, ids, 'left');
  const read = () => {
    const { done, undone } = readCommands(
      JSON.parse(JSON.stringify(storeCommands(page.history, page.parts, 100_000))),
      page.parts,
    );
    page.history.clear();
    page.history.restore(done, undone);
  };
  const lefts = () => ids.map((id) => sides(page.find(id).extent)[0]);
  assert.deepEqual(lefts(), [0, 0, 0]);
  read();
  page.drawing.undo();
  assert.deepEqual(lefts(), [0, 50, 30]);
  read();
  page.drawing.redo();
  assert.deepEqual(lefts(), [0, 0, 0]);
});

test('the texts are there in both languages', () => {
  assert.deepEqual(Object.keys(de), Object.keys(en));
  assert.deepEqual([en, de].map(({ arrangements }) => new Set(arrangements).size), [8, 8]);
});

/** @param {number} left @param {number} top @param {number} right @param {number} bottom */
function box(left, top, right, bottom) {
  return { left, top, right, bottom };
}
