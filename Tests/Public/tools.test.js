import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../../Public/js/model/camera.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { MarkIndex } from '../../Public/js/model/spatialIndex.js';
import { Marks } from '../../Public/js/model/shapes.js';
import { Eraser, ERASER_REACH, Pen, Shaper } from '../../Public/js/tools/pen.js';
import { Writer } from '../../Public/js/tools/writer.js';

const INK = { rgb: '#e5484d', color: 0 };
const TYPE = { ...INK, size: 20 };

test('a shape begins at the pointer’s first point; a tap draws nothing', () => {
  const { shaper, marks, drawing } = tools('rectangle');
  tap(shaper, 50, 50);
  assert.equal(marks.size, 0);
  assert.equal(drawing.canUndo, false);
  drag(shaper, [[10, 20], [12, 21], [40, 60]]);
  assert.deepEqual(pointsOf(marks), [[10, 20, 40, 20, 40, 60, 10, 60, 10, 20]]);
  assert.equal(marks.all[0].isFinished, true);
  drawing.undo();
  assert.equal(marks.size, 0);
});

test('Shift makes a shape regular, Alt keeps its center', () => {
  const { shaper, marks } = tools('rectangle');
  drag(shaper, [[0, 0], [30, 10]], { shift: true });
  drag(shaper, [[100, 100], [110, 105]], { alt: true });
  assert.deepEqual(pointsOf(marks), [
    [0, 0, 30, 0, 30, 30, 0, 30, 0, 0],
    [90, 95, 110, 95, 110, 105, 90, 105, 90, 95],
  ]);
});

test('a shape cancelled by a second finger leaves no trace', () => {
  const { shaper, marks, drawing } = tools('arrow');
  shaper.begin(at(0, 0));
  shaper.move([at(50, 50)]);
  assert.equal(marks.size, 1);
  shaper.cancel();
  shaper.move([at(60, 60)]);
  assert.equal(marks.size, 0);
  assert.equal(drawing.canUndo, false);
});

test('a highlighter sends no pressure; a pen does', () => {
  for (const [tool, expected] of /** @type {const} */ ([['highlighter', null], ['pen', [0.2, 0.9]]])) {
    const { marks, drawing } = tools('line');
    const pen = new Pen(drawing, () => ({ ...INK, width: 6, tool }));
    pen.begin({ ...at(0, 0), pressure: 0.2 });
    pen.move([{ ...at(5, 5), pressure: 0.9 }]);
    pen.end();
    const [{ pressures }] = /** @type {any[]} */ (marks.all);
    assert.deepEqual(pressures, expected);
  }
});

test('a tap begins a text there, and a tap beside it only ends it', () => {
  const { writer, marks, drawing } = tools('line');
  tap(writer, 100, 100);
  assert.deepEqual(writer.written?.point, [100, 87.5]);
  writer.type('Milk');
  tap(writer, 300, 300);
  assert.equal(writer.written, null);
  assert.deepEqual(textsOf(marks), ['Milk']);
  assert.equal(drawing.canUndo, true);
});

test('an empty text leaves no trace', () => {
  const { writer, marks, drawing } = tools('line');
  tap(writer, 100, 100);
  writer.finish();
  tap(writer, 100, 100);
  writer.type(' \n');
  writer.finish();
  assert.equal(marks.size, 0);
  assert.equal(drawing.canUndo, false);
});

test('a tap edits the topmost text; its color change is undone with the edit', () => {
  const { writer, marks, drawing, look } = tools('line');
  for (const text of ['below', 'above']) write(drawing, text);
  tap(writer, 110, 100);
  assert.equal(writer.written?.text, 'above');
  writer.type('over');
  Object.assign(look, { rgb: '#30a46c', color: 3 });
  writer.restyle();
  writer.finish();
  assert.deepEqual(textsOf(marks), ['below', 'over']);
  assert.equal(marks.all[1].rgb, '#30a46c');
  drawing.undo();
  assert.deepEqual([textsOf(marks)[1], marks.all[1].rgb], ['above', '#e5484d']);
  drawing.redo();
  assert.deepEqual([textsOf(marks)[1], marks.all[1].rgb], ['over', '#30a46c']);
});

test('a text removed by others ends the typing', () => {
  const { writer, marks } = tools('line');
  tap(writer, 100, 100);
  writer.type('Milk');
  marks.clear();
  let changes = 0;
  writer.addEventListener('change', () => (changes += 1));
  writer.type('Milk and');
  assert.deepEqual([writer.written, marks.size, changes], [null, 0, 1]);
});

test('the eraser hits shapes at their lines, and texts anywhere', () => {
  const { shaper, writer, marks, drawing, index } = tools('rectangle');
  drag(shaper, [[0, 0], [200, 200]]);
  tap(writer, 300, 100);
  writer.type('Milk');
  writer.finish();
  const eraser = new Eraser(drawing, index, () => 1);
  tap(eraser, 100, 100);
  assert.equal(marks.size, 2, 'nothing is in the middle of a frame');
  tap(eraser, 310, 105);
  tap(eraser, 198, 100);
  assert.equal(marks.size, 0);
});

test('the eraser is as large on the screen at any zoom', () => {
  for (const scale of [0.05, 0.25, 1, 4, 16]) {
    const { marks, drawing, index } = tools('line');
    const camera = new Camera();
    camera.zoom(scale, 0, 0);
    const eraser = new Eraser(drawing, index, () => camera.scale);
    const pen = new Pen(drawing, () => ({ ...INK, width: 1, tool: 'pen' }));
    drag(pen, [[-1000, 0], [1000, 0]]);
    // Beyond half of the line's own width.
    const across = (/** @type {number} */ pixels) => at(0, 0.5 + pixels / camera.scale);
    eraser.begin(across(ERASER_REACH + 1));
    eraser.end();
    assert.equal(marks.size, 1, `at ${scale}, it took what is beside it`);
    eraser.begin(across(ERASER_REACH - 1));
    eraser.end();
    assert.equal(marks.size, 0, `at ${scale}, it left what is under it`);
  }
});

test('an eraser moved fast takes what it passes between two points, at any zoom', () => {
  for (const scale of [0.25, 4]) {
    const { marks, drawing, index } = tools('line');
    const eraser = new Eraser(drawing, index, () => scale);
    const pen = new Pen(drawing, () => ({ ...INK, width: 1, tool: 'pen' }));
    const pixels = (/** @type {number} */ x, /** @type {number} */ y) => [x / scale, y / scale];
    drag(pen, [pixels(100, -50), pixels(100, 50)]);
    drag(pen, [pixels(100, 60), pixels(100, 90)]);
    drag(eraser, [pixels(0, 0), pixels(200, 0)]);
    assert.deepEqual(pointsOf(marks), [[...pixels(100, 60), ...pixels(100, 90)]]);
    drawing.undo();
    assert.equal(marks.size, 2);
  }
});

/** @param {string} tool */
function tools(tool) {
  const marks = new Marks();
  const index = new MarkIndex();
  marks.watch(index);
  const drawing = new Drawing(marks);
  const look = { ...TYPE };
  let count = 0;
  const newKey = () => `key-${count += 1}`;
  const scale = () => 1;
  return {
    marks,
    index,
    drawing,
    look,
    shaper: new Shaper(drawing, () => ({ ...INK, width: 6, tool }), scale, newKey),
    writer: new Writer(drawing, index, () => ({ ...look }), scale, newKey),
  };
}

/** Over all that is there. @param {Drawing} drawing @param {string} text */
function write(drawing, text) {
  drawing.write(`written-${text}`, text, TYPE, [100, 87.5]);
  drawing.lift();
}

/** @param {number} x @param {number} y */
function at(x, y) {
  return { x, y, pressure: null };
}

/** @param {import('../../Public/js/tools/pointerInput.js').Tool} tool @param {number} x @param {number} y */
function tap(tool, x, y) {
  tool.begin(at(x, y));
  tool.end();
}

/** @param {import('../../Public/js/tools/pointerInput.js').Tool} tool @param {number[][]} points @param {{ shift?: boolean, alt?: boolean }} [keys] */
function drag(tool, [[x, y], ...others], keys = {}) {
  tool.begin(at(x, y));
  for (const [toX, toY] of others) tool.move([{ ...at(toX, toY), ...keys }]);
  tool.end();
}

/** @param {Marks} marks */
function pointsOf(marks) {
  return marks.all.map((mark) => 'points' in mark && mark.points);
}

/** @param {Marks} marks */
function textsOf(marks) {
  return marks.all.map((mark) => 'text' in mark && mark.text);
}
