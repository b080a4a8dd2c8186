/** The use of the drawing tools by keys: the pointer that keys move, and the placement of shapes and texts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { Camera } from '../../Public/js/model/camera.js';
import { freePlace } from '../../Public/js/model/freePlace.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { overlap, Stroke } from '../../Public/js/model/stroke.js';
import { follow, freeView, placeIn, seenPoint, show } from '../../Public/js/model/viewPlace.js';
import { EraserTool } from '../../Public/js/tools/eraserTool.js';
import { ErasedCount } from '../../Public/js/tools/erasedCount.js';
import { KeyboardPlacing } from '../../Public/js/tools/keyboardPlacing.js';
import { KeyboardPointer } from '../../Public/js/tools/keyboardPointer.js';
import { PenTool } from '../../Public/js/tools/penTool.js';
import { ShapeTool } from '../../Public/js/tools/shapeTool.js';
import { TextTool } from '../../Public/js/tools/textTool.js';

const INK = { rgb: '#e5484d', color: 0, width: 6 };
const CANVAS = { width: 1000, height: 700 };
const VIEW = { left: 0, top: 0, right: 1000, bottom: 600 };

test('the first object is in the middle, the next ones beside each other in view', () => {
  const size = { width: 160, height: 100 };
  /** @type {import('../../Public/js/model/stroke.js').Bounds[]} */
  const placed = [];
  for (let count = 0; count < 12; count += 1) {
    const [x, y] = freePlace(VIEW, size, placed, 24);
    if (count === 0) assert.deepEqual([x, y], [500, 300]);
    if (count === 1) assert.deepEqual([x, y], [684, 300]);
    const bounds = { left: x - 80, top: y - 50, right: x + 80, bottom: y + 50 };
    assert.ok(!placed.some((one) => overlap(one, bounds)), `number ${count} lies over another one`);
    assert.ok(bounds.left >= 0 && bounds.top >= 0 && bounds.right <= 1000 && bounds.bottom <= 600);
    placed.push(bounds);
  }
});

test('in a full view, objects do not lie exactly over each other', () => {
  const placed = [VIEW];
  const centers = Array.from({ length: 4 }, () => {
    const center = freePlace(VIEW, { width: 160, height: 100 }, placed, 24);
    placed.push({ left: center[0] - 80, top: center[1] - 50, right: center[0] + 80, bottom: center[1] + 50 });
    return center.join();
  });
  assert.equal(new Set(centers).size, 4);
});

test('a place that became free is used again', () => {
  const { placing, shapes, drawing, tool } = page();
  const [first] = placing.place('rectangle', tool('rectangle'));
  const [second] = placing.place('rectangle', tool('rectangle'));
  assert.ok(!overlap(first.bounds, second.bounds));
  drawing.remove([first]);
  const [third] = placing.place('rectangle', tool('rectangle'));
  assert.deepEqual(third.bounds, first.bounds);
  assert.equal(shapes.size, 2);
});

test('a placed shape has the same size on the screen at any zoom, and is never larger than the view', () => {
  for (const scale of [0.05, 1, 16]) {
    const { placing, camera, tool } = page();
    camera.zoom(scale, 500, 350);
    const [{ points }] = /** @type {Stroke[]} */ (placing.place('rectangle', tool('rectangle')));
    const [left, top, right, , , bottom] = points;
    near((right - left) * scale, 160);
    near((bottom - top) * scale, 100);
    const middle = camera.toCanvas((left + right) / 2, (top + bottom) / 2);
    near(middle[0], 500);
    near(middle[1], 338);
  }
  const { placing, tool } = page({ width: 200, height: 300 });
  const [{ points: [left, , right] }] = /** @type {Stroke[]} */ (placing.place('ellipse', tool('ellipse')));
  assert.ok(Math.abs(right - left) < 152, 'half of the view at most');
});

test('a new text begins in the middle, or beside a text that is there', () => {
  const { placing, drawing, index, newKey } = page();
  const textTool = new TextTool(drawing, index, () => ({ ...INK, size: 26 }), () => 1, newKey);
  const first = placing.textPoint;
  assert.deepEqual(first, [400, 338]);
  textTool.editAt(...first);
  textTool.setText('Somebody else’s words');
  textTool.finish();
  const second = placing.textPoint;
  assert.equal(textTool.textAt(...second), null);
  textTool.editAt(...second);
  assert.equal(textTool.edited?.text, '');
});

test('for a person who writes from right to left, a new text begins at the right end of its place', () => {
  const { placing, parts } = page();
  const [x, y] = placing.textPoint;
  assert.deepEqual(new KeyboardPlacing({ ...parts, isFromRight: true }).textPoint, [x + 200, y]);
});

test('a new line is horizontal; each placement is one step of the undo history', () => {
  const { placing, shapes, drawing, tool } = page();
  const [{ points }] = /** @type {Stroke[]} */ (placing.place('line', tool('line')));
  assert.equal(points[1], points[3]);
  near(points[2] - points[0], 160);
  drawing.undo();
  assert.equal(shapes.size, 0);
});

test('a shape is drawn with the cross; shapes that others draw at the same time are not taken for it', () => {
  const { pointer, placing, shapes, drawing, tool } = page();
  pointer.show([100, 100]);
  const from = drawing.nextZ;
  pointer.press(tool('arrow'));
  pointer.moveBy(50, 0);
  pointer.moveBy(0, 10);
  shapes.confirm('theirs', 7, () => strokeOf('theirs', from + 5));
  const made = placing.endDrawing(pointer, from);
  assert.equal(made.length, 1);
  assert.deepEqual(/** @type {Stroke} */ (made[0]).points.slice(0, 4), [100, 100, 150, 110]);
  assert.equal(pointer.isDown, false);
  // Without a movement, there is no shape.
  pointer.press(tool('arrow'));
  assert.deepEqual(placing.endDrawing(pointer, drawing.nextZ), []);
});

test('the cross draws like a pen; long steps get points in between', () => {
  const { pointer, shapes, drawing } = page();
  const pen = new PenTool(drawing, () => ({ ...INK, tool: 'pen' }));
  pointer.show([0, 0]);
  pointer.moveBy(10, 0);
  assert.equal(shapes.size, 0);
  pointer.press(pen);
  pointer.moveBy(50, 0);
  pointer.moveBy(0, 10);
  pointer.lift();
  pointer.moveBy(50, 50);
  const [{ points, isFinished }] = /** @type {Stroke[]} */ (shapes.all);
  assert.equal(isFinished, true);
  assert.deepEqual([points.slice(0, 2), points.slice(-2)], [[10, 0], [60, 10]]);
  for (let at = 2; at < points.length; at += 2) {
    const distance = Math.hypot(points[at] - points[at - 2], points[at + 1] - points[at - 1]);
    assert.ok(distance <= 4.01, `${distance} points apart`);
  }
  assert.deepEqual(pointer.point, [110, 60]);
});

test('a cancelled stroke leaves no trace, and the cross stays', () => {
  const { pointer, shapes, drawing } = page();
  pointer.show([5, 5]);
  pointer.press(new PenTool(drawing, () => ({ ...INK, tool: 'pen' })));
  pointer.moveBy(50, 0);
  pointer.cancel();
  assert.deepEqual([shapes.size, drawing.canUndo, pointer.isDown], [0, false, false]);
  assert.deepEqual(pointer.point, [55, 5]);
  pointer.hide();
  pointer.moveBy(10, 0);
  assert.equal(pointer.point, null);
});

test('a step of the cross has the same length on the screen at any zoom, and stays on the plane', () => {
  const { pointer, camera } = page();
  camera.zoom(4, 0, 0);
  pointer.show([0, 0]);
  pointer.moveBy(10, 0);
  assert.deepEqual(pointer.point, [2.5, 0]);
  pointer.show([1_000_000, 0]);
  pointer.moveBy(50, 0);
  assert.deepEqual(pointer.point, [1_000_000, 0]);
});

test('erased shapes are counted, and changed ones are not', () => {
  const { pointer, shapes, drawing, index, tool, placing } = page();
  const erased = new ErasedCount(shapes);
  placing.place('line', tool('line'));
  const [shape] = placing.place('line', tool('line'));
  erased.begin();
  drawing.update([Object.assign(shape.moved({ factor: 1, x: 0, y: 0 }), { rgb: '#000000' })]);
  assert.equal(erased.end(), 0);
  const { bounds } = shapes.all[0];
  erased.begin();
  pointer.show([(bounds.left + bounds.right) / 2, bounds.top - 40]);
  pointer.press(new EraserTool(drawing, index, () => 1));
  pointer.moveBy(0, 80);
  pointer.lift();
  assert.equal(erased.end(), 1);
  assert.equal(shapes.size, 1);
});

test('places in the view are named by thirds, and places outside by their direction', () => {
  const at = (/** @type {number} */ x, /** @type {number} */ y) => ({ left: x, top: y, right: x, bottom: y });
  /** @type {[number, number, boolean, number][]} */
  const places = [
    [10, 10, true, 0],
    [500, 300, true, 4],
    [990, 590, true, 8],
    [500, 10, true, 1],
    [10, 300, true, 3],
    [
      -10,
      300,
      false,
      3,
    ],
    [2000, 700, false, 8],
    [500, -5, false, 1],
    [1000, 600, true, 8],
  ];
  for (const [x, y, isInView, index] of places) assert.deepEqual(placeIn(at(x, y), VIEW), { isInView, index });
  // Of something large, the visible part counts.
  assert.deepEqual(placeIn({ left: 900, top: -4000, right: 9000, bottom: 4000 }, VIEW), { isInView: true, index: 5 });
});

test('the last position of the mouse counts only while it is in view', () => {
  const camera = new Camera();
  const canvas = { width: 1000, height: 800 };
  camera.pan(-100, 0);
  assert.deepEqual(seenPoint(camera, canvas, [150, 20]), { x: 50, y: 20 });
  assert.equal(seenPoint(camera, canvas, [50, 20]), null);
  assert.equal(seenPoint(camera, canvas, [100_150, 20]), null);
  assert.equal(seenPoint(camera, canvas, null), null);
});

test('the camera follows as little as needed, and shows what is far away in the middle', () => {
  const camera = new Camera();
  const free = freeView(camera, CANVAS);
  follow(camera, CANVAS, { left: 500, top: 300, right: 500, bottom: 300 });
  assert.equal(camera.isHome, true);
  follow(camera, CANVAS, { left: free.right + 7, top: 300, right: free.right + 7, bottom: 300 });
  assert.deepEqual([camera.x, camera.y], [7, 0]);
  show(camera, CANVAS, { left: 3000, top: 3000, right: 3100, bottom: 3100 });
  assert.deepEqual(camera.toCanvas(3050, 3050), [500, 350]);
  const { version } = camera;
  show(camera, CANVAS, { left: 3000, top: 3000, right: 3100, bottom: 3100 });
  assert.equal(camera.version, version);
  show(camera, CANVAS, { left: 0, top: 0, right: 5000, bottom: 100 });
  assert.ok(camera.scale < 0.2);
});

/** A page with drawing tools, without a session. @param {{ width: number, height: number }} [view] */
function page(view = CANVAS) {
  const shapes = new Shapes();
  const index = new ShapeIndex();
  shapes.observe(index);
  let keys = 0;
  const newKey = () => `key${keys += 1}`;
  const drawing = new Drawing(shapes, newKey);
  const camera = new Camera();
  const pointer = new KeyboardPointer(() => camera.scale);
  const parts = { shapes, index, drawing, camera, view };
  const placing = new KeyboardPlacing(parts);
  const tool = (/** @type {string} */ name) =>
    new ShapeTool(drawing, () => ({ ...INK, tool: name }), () => camera.scale, newKey);
  return { shapes, index, drawing, camera, pointer, parts, placing, tool, newKey };
}

/** @param {string} id @param {number} z */
function strokeOf(id, z) {
  const stroke = new Stroke({ ...INK, id, z, tool: 'pen' });
  stroke.append([0, 0, 10, 10], null);
  stroke.finish();
  return stroke;
}

/** @param {number} found @param {number} expected */
function near(found, expected) {
  assert.ok(Math.abs(found - expected) < 0.5, `${found} instead of ${expected}`);
}
