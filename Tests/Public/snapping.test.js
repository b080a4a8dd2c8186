/** Snapping: moved, resized and new objects come to the edges and centers of others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShapeTool } from '../../Public/js/tools/shapeTool.js';
import { LOOK, openPage } from './transformSupport.js';
import { keyOf } from './support.js';

/** Rectangles of 60 × 40 at (100, 100), and of 20 × 20 at (300, 300), which is selected. */
function twoRectangles() {
  const page = openPage();
  const other = page.draw('rectangle', [100, 100, 160, 140]);
  const id = page.draw('rectangle', [300, 300, 320, 320]);
  page.selection.choose([id]);
  const corner = () => page.find(id).points.slice(0, 2);
  /** Moves the selection to a corner, and returns the guides before the end. @param {number} x @param {number} y @param {object} [keys] */
  const moveTo = (x, y, keys = {}) => {
    const [fromX, fromY] = corner();
    const begin = { x: fromX + 10, y: fromY, pressure: null };
    page.selectTool.begin(begin);
    page.selectTool.move([{ x: begin.x + 50, y: begin.y + 50, pressure: null }]);
    page.selectTool.move([{ x: x + 10, y, pressure: null, ...keys }]);
    const { guides } = page.snapping;
    page.selectTool.end();
    return guides;
  };
  return { ...page, id, other, corner, moveTo };
}

/** @type {[string, number[], number[]][]} */
const MOVES = [
  ['left to left', [103, 300], [100, 300]],
  ['left to right', [157, 300], [160, 300]],
  ['right to left', [84.5, 300], [80, 300]],
  ['center to center', [114, 300], [110, 300]],
  ['the nearest one of several', [106, 300], [110, 300]],
  ['top to bottom', [400, 136], [400, 140]],
  ['middle to middle', [400, 113], [400, 110]],
  ['both directions', [163, 143], [160, 140]],
  ['none beyond six pixels', [173, 300], [173, 300]],
];

for (const [what, to, expected] of MOVES) {
  test(`a moved object snaps: ${what}`, () => {
    const { moveTo, corner } = twoRectangles();
    moveTo(to[0], to[1]);
    assert.deepEqual(corner(), expected);
  });
}

test('guides run through edges and centers that coincide, and disappear at the end', () => {
  const { moveTo, snapping } = twoRectangles();
  assert.deepEqual(moveTo(103, 300), [{ from: [100, 100], to: [100, 320] }]);
  assert.deepEqual(snapping.guides, []);
});

test('with Alt, or when it is switched off, nothing snaps', () => {
  const { moveTo, corner, snapping } = twoRectangles();
  assert.deepEqual(moveTo(103, 300, { alt: true }), []);
  assert.deepEqual(corner(), [103, 300]);
  snapping.isOn = false;
  assert.deepEqual(moveTo(98, 300), []);
  assert.deepEqual(corner(), [98, 300]);
});

test('the reach is measured on the screen', () => {
  const { moveTo, corner, camera } = twoRectangles();
  camera.zoom(4, 0, 0);
  moveTo(103, 170);
  assert.deepEqual(corner(), [103, 170]);
  moveTo(101, 170);
  assert.deepEqual(corner(), [100, 170]);
});

test('nothing snaps to objects that move too, to objects out of view, or to small freehand lines', () => {
  const { moveTo, corner, other, id, draw, selection } = twoRectangles();
  selection.choose([id, other]);
  moveTo(304, 304);
  assert.deepEqual(corner(), [304, 304]);
  selection.choose([id]);
  draw('pen', [500, 500, 520, 540]);
  draw('rectangle', [2000, 500, 2020, 540]);
  moveTo(503, 503);
  assert.deepEqual(corner(), [503, 503]);
});

test('objects also snap to long freehand lines, texts and pictures', () => {
  for (const add of ['pen', 'text', 'picture']) {
    const { moveTo, corner, draw, write, addPicture } = twoRectangles();
    if (add === 'pen') draw('pen', [500, 500, 700, 510]);
    if (add === 'text') write('Hello', 500, 500);
    if (add === 'picture') addPicture(550, 550, 100, 100);
    moveTo(502, 700);
    assert.deepEqual(corner(), [500, 700], add);
  }
});

test('a resized object snaps with the dragged corner only', () => {
  const { drag, find, id, other, selection } = twoRectangles();
  selection.choose([other]);
  // The box is seven points larger than the rectangle: its line is six points wide.
  drag([[167, 147], [250, 200], [322, 261]]);
  const [left, top, right, , , bottom] = find(other).points;
  assert.equal(right, 300);
  assert.ok(Math.abs((right - left) / (bottom - top) - 1.5) < 0.01);
  selection.choose([id]);
  drag([[293, 293], [270, 270], [160 - 7, 160 - 7]], { alt: true });
  assert.ok(find(id).points[0] < 300 && find(id).points[0] !== 160);
  assert.ok(top > 90);
});

test('a new rectangle snaps with both corners; with Alt or Shift it does not', () => {
  const { shapes, drawing, snapping } = twoRectangles();
  let keys = 0x80;
  const style = { ...LOOK, tool: 'rectangle' };
  const tool = new ShapeTool(drawing, () => style, () => 1, () => keyOf(keys += 1));
  tool.snapping = snapping;
  const draw = (/** @type {number[]} */ [x, y, toX, toY], modifiers = {}) => {
    tool.begin({ x, y, pressure: null, ...modifiers });
    tool.move([{ x: (x + toX) / 2, y: (y + toY) / 2, pressure: null, ...modifiers }]);
    tool.move([{ x: toX, y: toY, pressure: null, ...modifiers }]);
    tool.end();
    return /** @type {any} */ (shapes.find(keyOf(keys))).points;
  };
  assert.deepEqual(draw([162, 400, 302, 450]).slice(0, 6), [160, 400, 300, 400, 300, 450]);
  assert.deepEqual(draw([164, 500, 296, 520], { alt: true }).slice(2, 4), [296, 480]);
  assert.deepEqual(draw([600, 604, 612, 610], { shift: true }).slice(2, 4), [612, 604]);
  assert.deepEqual(snapping.guides, []);
});

test('with very many objects in view, the nearest ones attract', () => {
  const page = openPage();
  for (let at = 0; at < 900; at += 1) {
    const [x, y] = [5 + (at % 30) * 33, 5 + Math.floor(at / 30) * 26];
    page.draw('rectangle', [x, y, x + 8, y + 8]);
  }
  const id = page.draw('rectangle', [900, 700, 908, 708]);
  page.selection.choose([id]);
  page.selectTool.begin({ x: 904, y: 700, pressure: null });
  page.selectTool.move([{ x: 600, y: 500, pressure: null }]);
  // Far from where the movement began: the corner is at (31, 25), beside that of the box at (38, 31).
  page.selectTool.move([{ x: 40, y: 29, pressure: null }]);
  page.selectTool.end();
  assert.deepEqual(page.find(id).points.slice(0, 2), [38, 31]);
});
