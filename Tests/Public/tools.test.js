import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../../Public/js/model/camera.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { ERASER_REACH, EraserTool } from '../../Public/js/tools/eraserTool.js';
import { PenTool } from '../../Public/js/tools/penTool.js';
import { ShapeTool } from '../../Public/js/tools/shapeTool.js';
import { TextTool } from '../../Public/js/tools/textTool.js';

const INK = { rgb: '#e5484d', color: 0 };
const TYPE = { ...INK, size: 20 };

test('a shape begins at the pointer’s first point; a tap draws nothing', () => {
  const { shaper, shapes, drawing } = tools('rectangle');
  tap(shaper, 50, 50);
  assert.equal(shapes.size, 0);
  assert.equal(drawing.canUndo, false);
  drag(shaper, [[10, 20], [12, 21], [40, 60]]);
  assert.deepEqual(pointsOf(shapes), [[10, 20, 40, 20, 40, 60, 10, 60, 10, 20]]);
  assert.equal(shapes.all[0].isFinished, true);
  drawing.undo();
  assert.equal(shapes.size, 0);
});

test('Shift makes a shape regular, Alt keeps its center', () => {
  const { shaper, shapes } = tools('rectangle');
  drag(shaper, [[0, 0], [30, 10]], { shift: true });
  drag(shaper, [[100, 100], [110, 105]], { alt: true });
  assert.deepEqual(pointsOf(shapes), [
    [0, 0, 30, 0, 30, 30, 0, 30, 0, 0],
    [90, 95, 110, 95, 110, 105, 90, 105, 90, 95],
  ]);
});

test('a shape cancelled by a second finger leaves no trace', () => {
  const { shaper, shapes, drawing } = tools('arrow');
  shaper.begin(at(0, 0));
  shaper.move([at(50, 50)]);
  assert.equal(shapes.size, 1);
  shaper.cancel();
  shaper.move([at(60, 60)]);
  assert.equal(shapes.size, 0);
  assert.equal(drawing.canUndo, false);
});

test('a highlighter sends no pressure; a pen does', () => {
  for (const [tool, expected] of /** @type {const} */ ([['highlighter', null], ['pen', [0.2, 0.9]]])) {
    const { shapes, drawing } = tools('line');
    const pen = new PenTool(drawing, () => ({ ...INK, width: 6, tool }));
    pen.begin({ ...at(0, 0), pressure: 0.2 });
    pen.move([{ ...at(5, 5), pressure: 0.9 }]);
    pen.end();
    const [{ pressures }] = /** @type {any[]} */ (shapes.all);
    assert.deepEqual(pressures, expected);
  }
});

test('a tap begins a text at its place, and a tap beside the text only ends the editing', () => {
  const { textTool, shapes, drawing } = tools('line');
  tap(textTool, 100, 100);
  assert.deepEqual(textTool.edited?.point, [100, 87.5]);
  textTool.setText('Milk');
  tap(textTool, 300, 300);
  assert.equal(textTool.edited, null);
  assert.deepEqual(textsOf(shapes), ['Milk']);
  assert.equal(drawing.canUndo, true);
});

test('an empty text leaves no trace', () => {
  const { textTool, shapes, drawing } = tools('line');
  tap(textTool, 100, 100);
  textTool.finish();
  tap(textTool, 100, 100);
  textTool.setText(' \n');
  textTool.finish();
  assert.equal(shapes.size, 0);
  assert.equal(drawing.canUndo, false);
});

test('a tap edits the topmost text; its color change is undone with the edit', () => {
  const { textTool, shapes, drawing, style } = tools('line');
  for (const text of ['below', 'above']) write(drawing, text);
  tap(textTool, 110, 100);
  assert.equal(textTool.edited?.text, 'above');
  textTool.setText('over');
  Object.assign(style, { rgb: '#30a46c', color: 3 });
  // The styles of lines are chosen for what is drawn next.
  for (const part of ['fill', 'dash', 'opacity']) textTool.restyle(part);
  assert.equal(shapes.all[1].rgb, '#e5484d');
  textTool.restyle('color');
  textTool.finish();
  assert.deepEqual(textsOf(shapes), ['below', 'over']);
  assert.equal(shapes.all[1].rgb, '#30a46c');
  drawing.undo();
  assert.deepEqual([textsOf(shapes)[1], shapes.all[1].rgb], ['above', '#e5484d']);
  drawing.redo();
  assert.deepEqual([textsOf(shapes)[1], shapes.all[1].rgb], ['over', '#30a46c']);
});

test('the undo of an edit does not move a text that another participant drags', () => {
  const { textTool, shapes, drawing } = tools('line');
  write(drawing, 'first');
  tap(textTool, 110, 100);
  textTool.setText('second');
  textTool.finish();
  const [{ id, bounds }] = shapes.all;
  shapes.dragRemotely(id, { factor: 1, x: 500, y: 0 }, 2, 0);
  drawing.undo();
  shapes.expireRemoteDrags(Infinity);
  assert.deepEqual([textsOf(shapes), shapes.all[0].bounds.left], [['first'], bounds.left]);
});

test('the editing ends if others remove the text', () => {
  const { textTool, shapes } = tools('line');
  tap(textTool, 100, 100);
  textTool.setText('Milk');
  shapes.clear();
  let changes = 0;
  textTool.addEventListener('change', () => (changes += 1));
  textTool.setText('Milk and');
  assert.deepEqual([textTool.edited, shapes.size, changes], [null, 0, 1]);
});

test('the eraser hits shapes at their lines, and texts anywhere', () => {
  const { shaper, textTool, shapes, drawing, index } = tools('rectangle');
  drag(shaper, [[0, 0], [200, 200]]);
  tap(textTool, 300, 100);
  textTool.setText('Milk');
  textTool.finish();
  const eraser = new EraserTool(drawing, index, () => 1);
  tap(eraser, 100, 100);
  assert.equal(shapes.size, 2, 'nothing is in the middle of a frame');
  tap(eraser, 310, 105);
  tap(eraser, 198, 100);
  assert.equal(shapes.size, 0);
});

test('the eraser has the same size on the screen at any zoom', () => {
  for (const scale of [0.05, 0.25, 1, 4, 16]) {
    const { shapes, drawing, index } = tools('line');
    const camera = new Camera();
    camera.zoom(scale, 0, 0);
    const eraser = new EraserTool(drawing, index, () => camera.scale);
    const pen = new PenTool(drawing, () => ({ ...INK, width: 1, tool: 'pen' }));
    drag(pen, [[-1000, 0], [1000, 0]]);
    // The distance from the edge of the line: half of its own width is added.
    const across = (/** @type {number} */ pixels) => at(0, 0.5 + pixels / camera.scale);
    eraser.begin(across(ERASER_REACH + 1));
    eraser.end();
    assert.equal(shapes.size, 1, `at ${scale}, it took what is beside it`);
    eraser.begin(across(ERASER_REACH - 1));
    eraser.end();
    assert.equal(shapes.size, 0, `at ${scale}, it left what is under it`);
  }
});

test('an eraser that moves fast erases shapes between two points, at any zoom', () => {
  for (const scale of [0.25, 4]) {
    const { shapes, drawing, index } = tools('line');
    const eraser = new EraserTool(drawing, index, () => scale);
    const pen = new PenTool(drawing, () => ({ ...INK, width: 1, tool: 'pen' }));
    const pixels = (/** @type {number} */ x, /** @type {number} */ y) => [x / scale, y / scale];
    drag(pen, [pixels(100, -50), pixels(100, 50)]);
    drag(pen, [pixels(100, 60), pixels(100, 90)]);
    drag(eraser, [pixels(0, 0), pixels(200, 0)]);
    assert.deepEqual(pointsOf(shapes), [[...pixels(100, 60), ...pixels(100, 90)]]);
    drawing.undo();
    assert.equal(shapes.size, 2);
  }
});

/** @param {string} tool */
function tools(tool) {
  const shapes = new Shapes();
  const index = new ShapeIndex();
  shapes.observe(index);
  const drawing = new Drawing(shapes);
  const style = { ...TYPE };
  let count = 0;
  const newKey = () => `key-${count += 1}`;
  const scale = () => 1;
  return {
    shapes,
    index,
    drawing,
    style,
    shaper: new ShapeTool(drawing, () => ({ ...INK, width: 6, tool }), scale, newKey),
    textTool: new TextTool(drawing, index, () => ({ ...style }), scale, newKey),
  };
}

/** Adds a text above everything. @param {Drawing} drawing @param {string} text */
function write(drawing, text) {
  drawing.writeText(`written-${text}`, text, TYPE, [100, 87.5]);
  drawing.endStroke();
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

/**
 * @param {import('../../Public/js/tools/pointerInput.js').Tool} tool @param {number[][]} points
 * @param {{ shift?: boolean, alt?: boolean }} [keys]
 */
function drag(tool, [[x, y], ...others], keys = {}) {
  tool.begin(at(x, y));
  for (const [toX, toY] of others) tool.move([{ ...at(toX, toY), ...keys }]);
  tool.end();
}

/** @param {Shapes} shapes */
function pointsOf(shapes) {
  return shapes.all.map((shape) => 'points' in shape && shape.points);
}

/** @param {Shapes} shapes */
function textsOf(shapes) {
  return shapes.all.map((shape) => 'text' in shape && shape.text);
}
