/** Lines and arrows whose ends are attached to objects. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsForEnds, connected, endAt } from '../../Public/js/model/connectedEnds.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { shapeToolPoints } from '../../Public/js/model/strokeOutline.js';
import { drawingText, readDrawing, writeDrawing } from '../../Public/js/persist/drawingFile.js';
import { encodeShape, readStroke } from '../../Public/js/protocol/shapeMessages.js';
import { rotationAbout } from '../../Public/js/model/rotation.js';
import { arrange } from '../../Public/js/edit/arrangement.js';
import { EraserTool } from '../../Public/js/tools/eraserTool.js';
import { drag, INK, page, together } from './objectSupport.js';
import { keyOf } from './support.js';

const PICTURE = {
  blob: new Blob(['a']),
  name: 'a.png',
  contentType: 'image/png',
  natural: { width: 200, height: 100 },
};
const FILE = { blob: new Blob(['a']), name: 'a.bin', contentType: '', natural: null };
const BOX = /** @type {const} */ ([[100, 100], [200, 200]]);

test('an end that is dropped on a shape follows it, and is highlighted meanwhile', () => {
  const { draw, rectangle, arrow, highlighted, move, ends, shapes } = page();
  const box = draw(rectangle, [100, 100], [200, 200]);
  arrow.begin({ x: 0, y: 150, pressure: null });
  arrow.move([{ x: 60, y: 150, pressure: null }]);
  assert.deepEqual(highlighted(), []);
  arrow.move([{ x: 150, y: 150, pressure: null }]);
  assert.deepEqual(highlighted(), [{ left: 100, top: 100, right: 200, bottom: 200 }]);
  arrow.end();
  assert.deepEqual(highlighted(), []);
  const id = shapes.all[1].id;
  assert.deepEqual(ends(id), [0, 150, 150, 150]);
  move([box], 50, -20);
  assert.deepEqual(ends(id), [0, 150, 200, 130]);
});

test('an end keeps its place on a resized shape', () => {
  const { draw, rectangle, line, move, ends } = page();
  const box = draw(rectangle, ...BOX);
  const id = draw(line, [0, 0], [125, 200]);
  move([box], 0, 0, 2);
  assert.deepEqual(ends(id), [0, 0, 250, 400]);
});

/** @type {[string, (made: ReturnType<typeof page>) => string][]} */
const ROTATED = [
  ['a rectangle', ({ draw, rectangle }) => draw(rectangle, [100, 100], [300, 200])],
  ['a rectangle that was drawn to the left', ({ draw, rectangle }) => draw(rectangle, [300, 100], [100, 200])],
  ['an ellipse', ({ draw, ellipse }) => draw(ellipse, [100, 100], [300, 200])],
  ['a note', ({ noteTool, textTool, shapes }) => {
    drag(noteTool, [100, 100], [300, 200]);
    textTool.finish();
    return shapes.all[0].id;
  }],
  ['a picture', ({ itemStore }) => itemStore.add(PICTURE, { x: 200, y: 150, width: 200, height: 100 }).id],
];

for (const [what, make] of ROTATED) {
  test(`an end keeps its place on ${what} that is rotated, also by several turns of more than 90°`, () => {
    const made = page();
    const object = make(made);
    // The middle of the upper side.
    const id = made.draw(made.line, [0, 0], [200, 100]);
    assert.equal(/** @type {Stroke} */ (made.shapes.find(id)).to?.id, object);
    const rotate = (/** @type {number} */ angle) => {
      made.commands.drag(new Set([object]), rotationAbout(angle, [200, 150]));
      made.commands.commitDrag();
      made.connections.frame();
      return made.ends(id)?.slice(2).map(Math.round);
    };
    assert.deepEqual(rotate(90), [250, 150]);
    assert.deepEqual(rotate(100).map((value) => Math.abs(value - 200) < 60), [true, true]);
    assert.deepEqual(rotate(170), [200, 100]);
  });
}

test('an end is attached to the inside of a rotated shape, and not to the corners of its bounds', () => {
  const { draw, rectangle, line, commands, shapes } = page();
  const box = draw(rectangle, [100, 100], [300, 300]);
  commands.drag(new Set([box]), rotationAbout(45, [200, 200]));
  commands.commitDrag();
  const [inside, outside] = [draw(line, [600, 600], [200, 80]), draw(line, [600, 600], [90, 90])];
  const found = [inside, outside].map((id) => /** @type {Stroke} */ (shapes.find(id)).to?.id);
  assert.deepEqual(found, [box, undefined]);
});

test('connections follow objects that are aligned with each other, and are not aligned themselves', () => {
  const { draw, rectangle, arrow, ends, undo, connections, ids, commands, ...parts } = page();
  const [one, two] = [draw(rectangle, [0, 0], [50, 50]), draw(rectangle, [200, 80], [250, 130])];
  const id = draw(arrow, [50, 25], [200, 105]);
  assert.ok(arrange({ ...parts, tasks: commands.tasks }, ids(), 'top'));
  connections.frame();
  assert.deepEqual(ends(id), [50, 25, 200, 25]);
  undo();
  assert.deepEqual(ends(id), [50, 25, 200, 105]);
  assert.equal(arrange({ ...parts, tasks: commands.tasks }, [one, id], 'top'), false);
  const { from, to } = /** @type {Stroke} */ (parts.shapes.find(id));
  assert.deepEqual([from?.id, to?.id], [one, two]);
});

test('both ends can be attached; connections are attached to nothing but shapes, texts, notes and pictures', () => {
  const { draw, rectangle, line, arrow, move, ends, shapes, drawing } = page();
  const [one, two] = [draw(rectangle, [0, 0], [50, 50]), draw(rectangle, [200, 0], [250, 50])];
  const id = draw(arrow, [50, 25], [200, 25]);
  move([one], 0, 10);
  move([two], 5, 0);
  assert.deepEqual(ends(id), [50, 35, 205, 25]);
  drawing.beginStroke({ ...INK, width: 4, tool: 'pen' }, [300, 300, 400, 400], null);
  drawing.endStroke();
  const [to, other] = [draw(line, [500, 300], [350, 350]), draw(line, [600, 600], [100, 30])];
  assert.deepEqual([to, other].map((made) => /** @type {Stroke} */ (shapes.find(made)).to), [null, null]);
});

test('an end follows a picture and a note', () => {
  const { draw, arrow, noteTool, textTool, itemStore, move, ends, shapes } = page();
  const item = itemStore.add(FILE, { x: 100, y: 100, width: 280, height: 76 });
  noteTool.begin({ x: 500, y: 100, pressure: null });
  noteTool.end();
  textTool.finish();
  const note = shapes.all[0].id;
  const id = draw(arrow, [240, 100], [400, 100]);
  move([item.id], 10, 0);
  move([note], 0, 30);
  assert.deepEqual(ends(id), [250, 100, 400, 130]);
});

test('the inside of a large shape without a fill does not attract ends', () => {
  const { draw, rectangle, line, shapes } = page();
  draw(rectangle, [0, 0], [1000, 800]);
  const inside = draw(line, [300, 300], [500, 500]);
  const onEdge = draw(line, [300, 300], [1000, 500]);
  const found = [inside, onEdge].map((id) => /** @type {Stroke} */ (shapes.find(id)).to?.id);
  assert.deepEqual(found, [undefined, shapes.all[0].id]);
});

test('an end is attached to an object even through ink on it; of two objects, the upper one gets the end', () => {
  const { draw, rectangle, noteTool, textTool, line, shapes, drawing } = page();
  draw(rectangle, [100, 100], [300, 300]);
  noteTool.begin({ x: 200, y: 200, pressure: null });
  noteTool.end();
  textTool.finish();
  const note = shapes.all[1].id;
  drawing.beginStroke({ ...INK, width: 4, tool: 'pen' }, [150, 150, 250, 250], null);
  drawing.endStroke();
  const id = draw(line, [600, 600], [200, 200]);
  assert.equal(/** @type {Stroke} */ (shapes.find(id)).to?.id, note);
});

test('undo and redo of a move include the attached ends, as one step', () => {
  const { draw, rectangle, line, move, ends, undo, redo, ids } = page();
  const box = draw(rectangle, ...BOX);
  const id = draw(line, [0, 0], [150, 100]);
  move([box], 10, 10);
  undo();
  assert.deepEqual(ends(id), [0, 0, 150, 100]);
  redo();
  assert.deepEqual(ends(id), [0, 0, 160, 110]);
  undo();
  undo();
  assert.deepEqual(ids(), [box]);
  undo();
  redo();
  redo();
  assert.deepEqual([ids().length, ends(id)], [2, [0, 0, 150, 100]]);
});

test('the end stays where it was after the object is removed, and is attached again after an undo', () => {
  const { draw, rectangle, line, move, commands, ends, undo, connections } = page();
  const box = draw(rectangle, ...BOX);
  const id = draw(line, [0, 0], [150, 100]);
  move([box], 10, 10);
  commands.remove(new Set([box]));
  connections.frame();
  assert.deepEqual(ends(id), [0, 0, 160, 110]);
  undo();
  move([box], 10, 10);
  assert.deepEqual(ends(id), [0, 0, 170, 120]);
});

test('a restored picture has a new id, and its connections follow it', async () => {
  const { draw, line, itemStore, items, undo, move, ends, connections, shapes } = page();
  const item = itemStore.add(FILE, { x: 100, y: 100, width: 280, height: 76 });
  const id = draw(line, [600, 100], [240, 100]);
  await itemStore.remove(item);
  undo();
  const [restored] = items.all;
  assert.notEqual(restored.id, item.id);
  move([restored.id], 10, 0);
  connections.frame();
  assert.deepEqual(ends(id), [600, 100, 250, 100]);
  assert.equal(/** @type {Stroke} */ (shapes.base(id)).to?.id, restored.id);
});

test('a connection that is moved alone is detached; one that is moved with its objects is not', () => {
  const { draw, rectangle, arrow, move, ends, undo } = page();
  const [one, two] = [draw(rectangle, [0, 0], [50, 50]), draw(rectangle, [200, 0], [250, 50])];
  const id = draw(arrow, [50, 25], [200, 25]);
  move([id, one, two], 0, 100);
  move([two], 0, 10);
  assert.deepEqual(ends(id), [50, 125, 200, 135]);
  move([id], 0, 7);
  assert.deepEqual(ends(id), [50, 132, 200, 142]);
  move([one], 0, 100);
  assert.deepEqual(ends(id), [50, 132, 200, 142]);
  undo();
  undo();
  move([one], 0, 1);
  assert.deepEqual(ends(id), [50, 126, 200, 135]);
});

test('copies are connected among each other, and not with the originals', async () => {
  const { draw, rectangle, arrow, commands, shapes, move, ends } = page();
  const one = draw(rectangle, [0, 0], [50, 50]);
  const two = draw(rectangle, [200, 0], [250, 50]);
  const id = draw(arrow, [50, 25], [200, 25]);
  const copies = await commands.duplicate(new Set([one, id]), 20);
  const copied =
    /** @type {Stroke} */ (copies.map((copy) => shapes.find(copy)).find((copy) => copy && 'from' in copy && copy.from));
  assert.equal(copied.to, null);
  assert.ok(copies.includes(copied.from?.id ?? ''));
  move([two], 0, 9);
  assert.deepEqual(ends(copied.id), [70, 45, 220, 45]);
});

test('a copied or saved drawing keeps its connections under new ids, also those with pictures', async () => {
  const { draw, rectangle, arrow, line, itemStore, shapes, scene } = page();
  const item = itemStore.add(FILE, { x: 500, y: 100, width: 280, height: 76 });
  const box = draw(rectangle, [0, 0], [50, 50]);
  const id = draw(arrow, [50, 25], [360, 100]);
  let keys = 100;
  const newKey = () => keyOf(keys += 1);
  const pasted = await readDrawing(drawingText(shapes.all.filter((shape) => [box, id].includes(shape.id))), newKey);
  const [copy, connection] = pasted.shapes;
  assert.deepEqual([/** @type {Stroke} */ (connection).from?.id, /** @type {Stroke} */ (connection).to], [
    copy.id,
    null,
  ]);
  draw(line, [0, 400], [500, 110]);
  Object.assign(globalThis, { FileReader: FakeFileReader });
  const { blob } = await writeDrawing({ drawables: scene.all });
  const opened = await readDrawing(await blob.text(), newKey);
  const strokes = /** @type {Stroke[]} */ (opened.shapes);
  assert.deepEqual(strokes.map(({ to }) => to?.id), [undefined, opened.items[0].id, opened.items[0].id]);
  assert.notEqual(opened.items[0].id, item.id);
});

test('§6 a connection is sent with the places of its ends, and with its points for all others', () => {
  const { draw, rectangle, arrow, shapes } = page();
  const box = draw(rectangle, ...BOX);
  const id = draw(arrow, [0, 150], [100, 150]);
  const { payload } = encodeShape(/** @type {Stroke} */ (shapes.find(id)));
  const message = JSON.parse(new TextDecoder().decode(payload));
  assert.deepEqual([message.from, message.to], [undefined, { id: box, anchor: [0, 0.5] }]);
  assert.deepEqual(message.points.slice(0, 2), [[0, 150], [100, 150]]);
  assert.deepEqual(readStroke(payload)?.to, { id: box, x: 0, y: 0.5 });
});

const END = { id: keyOf(7), anchor: [0.5, 0.25] };
const LINE = { tool: 'line', point: [9, 9], points: [[0, 0], [9, 9]] };
/** @type {[string, object, object | null][]} */
const READ = [
  ['an end', {}, { id: keyOf(7), x: 0.5, y: 0.25 }],
  ['no end', { to: undefined }, null],
  ['no object', { to: { anchor: [0, 0] } }, null],
  ['an object in lower case', { to: { ...END, id: keyOf(0xab).toLowerCase() } }, null],
  ['a name for an object', { to: { ...END, id: '__proto__' } }, null],
  ['a place far away', { to: { ...END, anchor: [0, 99] } }, null],
  ['a place without end', { to: { ...END, anchor: [Infinity, 0] } }, null],
  ['a place of text', { to: { ...END, anchor: ['0', '1'] } }, null],
  ['a list', { to: [END] }, null],
  ['a stroke by hand', { tool: 'pen' }, null],
  ['a rectangle', { tool: 'rectangle' }, null],
  ['a line with several points', { points: [[0, 0], [5, 5], [9, 9]] }, null],
  ['an arrow without a head', { tool: 'arrow' }, null],
];

for (const [rule, change, gives] of READ) {
  test(`§6 reads a connection: ${rule}`, () => {
    const message = { ...LINE, to: END, ...change };
    const read = readStroke(new TextEncoder().encode(JSON.stringify(message).replace('null', '1e999')));
    assert.deepEqual(read?.to, gives);
  });
}

test('connections that are attached to themselves or to each other stay where they are', () => {
  const { drawing, shapes, connections } = page();
  const [one, two] = [keyOf(11), keyOf(12)].map((id) => {
    const other = id === keyOf(11) ? keyOf(12) : keyOf(11);
    const line = new Stroke({
      ...INK,
      width: 4,
      tool: 'line',
      id,
      z: 1,
      from: { id, x: 0, y: 0 },
      to: { id: other, x: 1, y: 1 },
    });
    line.append([0, 0, 10, 10], null);
    return line;
  });
  drawing.add([one, two]);
  drawing.update([one.moved({ factor: 1, x: 5, y: 0 })]);
  for (let frame = 0; frame < 5; frame += 1) connections.frame();
  assert.equal(connections.frame(), false);
  assert.deepEqual(shapes.all.map((shape) => shape.bounds.left), [0, -5]);
});

test('an erased part of a connection leaves plain lines', () => {
  const { draw, rectangle, line, shapes, drawing, index, move, connections } = page();
  const box = draw(rectangle, ...BOX);
  draw(line, [0, 150], [100, 150]);
  const eraser = new EraserTool(drawing, index, () => 1);
  drag(eraser, [50, 100], [50, 200]);
  assert.deepEqual(shapes.all.map(({ id }) => id), [box]);
  move([box], 5, 5);
  assert.equal(connections.frame(), false);
});

test('the place of an end leads back to the point from which it was computed', () => {
  const box = new Stroke({ ...INK, width: 3, tool: 'rectangle', id: keyOf(1), z: 1 });
  box.append(shapeToolPoints('rectangle', [3.33, 7.77], [1234.56, 987.65], 3), null);
  for (let at = 0; at < 50; at += 1) {
    const point = /** @type {[number, number]} */ ([
      Math.round((3 + 24.1 * at) * 100) / 100,
      Math.round((8 + 19.3 * at) * 100) / 100,
    ]);
    const line = new Stroke({ ...INK, width: 3, tool: 'line', id: keyOf(2), z: 2, to: endAt(box, point) });
    line.append([0, 0, ...point], null);
    assert.equal(connected(line, () => box), line);
  }
  assert.deepEqual(boundsForEnds(box).left.toFixed(6), '3.330000');
});

test('everybody sees a connection follow, also during a drag, and only one page sends its points', () => {
  const { pages: [ada, ben], settle, gateway } = together(2);
  const box = ada.draw(ada.rectangle, [100, 100], [200, 200]);
  const id = ada.draw(ada.arrow, [0, 150], [100, 150]);
  settle();
  const before = gateway.state.log.length;
  const transform = { factor: 1, x: 40, y: 0 };
  ben.commands.drag(new Set([box]), transform);
  ada.shapes.dragRemotely(box, transform, 2, 0);
  assert.deepEqual([ada.ends(id), ben.ends(id)], [[0, 150, 140, 150], [0, 150, 140, 150]]);
  ben.commands.commitDrag();
  settle();
  assert.deepEqual([ada.sentEnds(id), ben.sentEnds(id)], [[0, 150, 140, 150], [0, 150, 140, 150]]);
  const reliable = gateway.state.log.slice(before).filter(({ key }) => key !== undefined);
  assert.equal(reliable.length, 2, 'the object and its connection');
});

test('concurrent moves of both objects lead to the same picture, whose ends are on both objects', () => {
  const { pages: [ada, ben], settle } = together(2);
  const one = ada.draw(ada.rectangle, [0, 0], [50, 50]);
  const two = ada.draw(ada.rectangle, [200, 0], [250, 50]);
  const id = ada.draw(ada.arrow, [50, 25], [200, 25]);
  settle();
  ada.move([one], 0, 100);
  ben.move([two], 0, 300);
  settle();
  assert.deepEqual(ada.ends(id), [50, 125, 200, 325]);
  assert.deepEqual(ben.ends(id), ada.ends(id));
});

test('a program that moves an object and knows no connections does not detach them', () => {
  const { pages: [ada, ben], settle } = together(2);
  const box = ada.draw(ada.rectangle, [100, 100], [200, 200]);
  const id = ada.draw(ada.line, [0, 150], [100, 150]);
  settle();
  // Such a program sends only the moved object.
  ben.shapes.place = (shape) => shape;
  ben.drawing.update([/** @type {Stroke} */ (ben.shapes.base(box)).moved({ factor: 1, x: 10, y: 0 })]);
  settle();
  assert.deepEqual(ada.ends(id), [0, 150, 110, 150]);
});

/** Reads blobs as base64. */
class FakeFileReader {
  result = '';
  onload = () => {};
  /** @param {Blob} blob */
  async readAsDataURL(blob) {
    this.result = `data:;base64,${Buffer.from(await blob.arrayBuffer()).toString('base64')}`;
    this.onload();
  }
}
