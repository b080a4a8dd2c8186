/** Locked objects, and the order of drawing from behind. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommands, storeCommands } from '../../Public/js/edit/storedCommands.js';
import { depthsAtBack } from '../../Public/js/model/depth.js';
import { touching } from '../../Public/js/model/hitTest.js';
import { decodePlacement, encodePlacement } from '../../Public/js/model/placement.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { encodeShape, readStroke, readText } from '../../Public/js/protocol/shapeMessages.js';
import { EraserTool } from '../../Public/js/tools/eraserTool.js';
import { drag, INK, page, tap, together } from './objectSupport.js';

const STAY = { factor: 1, x: 0, y: 0 };
const FILE = { blob: new Blob(['a']), name: 'a.bin', contentType: '', natural: null };

test('a locked shape cannot be selected, erased, dragged or written on', () => {
  const { draw, rectangle, noteTool, textTool, selectTool, selection, objectCommands, shapes, items, index, drawing } =
    page();
  const box = draw(rectangle, [0, 0], [100, 100]);
  tap(noteTool, 400, 400);
  textTool.finish();
  const note = shapes.all[1].id;
  selection.choose([box]);
  objectCommands.setLocked([box, note], true);
  assert.equal(selection.size, 0, 'locking ends the selection');
  tap(selectTool, 0, 50);
  tap(selectTool, 400, 400);
  selectTool.select([box, note]);
  selection.choose([box, note]);
  assert.equal(selection.size, 0);
  assert.deepEqual(touching({ shapes, items, index }, { left: -9, top: -9, right: 500, bottom: 500 }), []);
  const before = shapes.all;
  drag(new EraserTool(drawing, index, () => 1), [0, 50], [400, 400]);
  drag(selectTool, [0, 50], [50, 90]);
  assert.deepEqual(shapes.all, before);
  assert.equal(textTool.textAt(400, 400), null);
});

test('a locked picture cannot be selected, and is still on the page in its depth', () => {
  const { itemStore, selectTool, selection, objectCommands, items, scene, draw, rectangle } = page();
  const item = itemStore.add(FILE, { x: 100, y: 100, width: 280, height: 76 });
  const box = draw(rectangle, [0, 0], [100, 100]);
  selection.choose([item.id]);
  objectCommands.setLocked([item.id], true);
  tap(selectTool, 150, 110);
  assert.deepEqual([selection.size, items.at(150, 110)], [0, null]);
  assert.deepEqual(scene.all.map(({ id, isLocked }) => [id, isLocked]), [[item.id, true], [box, false]]);
});

test('locking and unlocking are undo steps, of shapes and pictures together', () => {
  const { itemStore, objectCommands, draw, rectangle, scene, drawing } = page();
  const item = itemStore.add(FILE, { x: 100, y: 100, width: 280, height: 76 });
  const ids = [item.id, draw(rectangle, [0, 0], [100, 100])];
  const locks = () => scene.all.map(({ isLocked }) => isLocked);
  objectCommands.setLocked(ids, true);
  assert.deepEqual(locks(), [true, true]);
  drawing.undo();
  assert.deepEqual(locks(), [false, false]);
  drawing.redo();
  assert.deepEqual(locks(), [true, true]);
  objectCommands.setLocked(ids, false);
  assert.deepEqual(locks(), [false, false]);
  drawing.undo();
  assert.deepEqual(locks(), [true, true]);
});

test('locking and sending to the back can be undone after a reload', () => {
  const { itemStore, objectCommands, commands, draw, rectangle, scene, shapes, items, drawing, history } = page();
  const item = itemStore.add(FILE, { x: 100, y: 100, width: 280, height: 76 });
  const [a, b] = [draw(rectangle, [0, 0], [100, 100]), draw(rectangle, [0, 0], [90, 90])];
  objectCommands.sendToBack(new Set([b]));
  objectCommands.setLocked([item.id, a], true);
  const parts = { shapes, items, drawing, itemStore, tasks: commands.tasks };
  const { done } = readCommands(JSON.parse(JSON.stringify(storeCommands(history, parts, 1e6))), parts);
  done.at(-1)?.undo();
  assert.deepEqual(scene.all.map(({ id, isLocked }) => [id, isLocked]), [[b, false], [item.id, false], [a, false]]);
  done.at(-2)?.undo();
  assert.deepEqual(scene.all.map(({ id }) => id), [item.id, a, b]);
  done.at(-2)?.redo();
  done.at(-1)?.redo();
  assert.deepEqual(scene.all.map(({ id, isLocked }) => [id, isLocked]), [[b, false], [item.id, true], [a, true]]);
});

test('a lock belongs to the session: others see it, and can unlock', () => {
  const { pages: [ada, ben], settle } = together(2);
  const box = ada.draw(ada.rectangle, [0, 0], [100, 100]);
  settle();
  ben.selection.choose([box]);
  ada.objectCommands.setLocked([box], true);
  settle();
  assert.deepEqual([ben.selection.size, ben.shapes.find(box)?.isLocked], [0, true]);
  ben.objectCommands.setLocked([box], false);
  settle();
  tap(ada.selectTool, 0, 50);
  assert.deepEqual([...ada.selection.ids], [box]);
});

test('the undo of a move keeps a lock that somebody has set since then', () => {
  const { itemStore, move, drawing, draw, rectangle, shapes } = page();
  const item = itemStore.add(FILE, { x: 100, y: 100, width: 280, height: 76 });
  const box = draw(rectangle, [0, 0], [100, 100]);
  move([item.id, box], 10, 0);
  itemStore.placements.move(item, { ...item.place, isLocked: true });
  drawing.update([Object.assign(/** @type {Stroke} */ (shapes.find(box)).moved(STAY), { isLocked: true })]);
  drawing.undo();
  assert.deepEqual([item.place.x, item.isLocked], [100, true]);
  assert.deepEqual([shapes.find(box)?.extent.left, shapes.find(box)?.isLocked], [0, true]);
});

test('a locked connection still follows its objects', () => {
  const { draw, rectangle, arrow, objectCommands, move, ends } = page();
  const box = draw(rectangle, [100, 100], [200, 200]);
  const id = draw(arrow, [0, 150], [100, 150]);
  objectCommands.setLocked([id], true);
  move([box], 10, 0);
  assert.deepEqual(ends(id), [0, 150, 110, 150]);
});

test('§6 a lock is the member `locked` with the value `true`; other values are ignored, and messages without a lock stay as before', () => {
  const stroke = strokeAt(3, 0);
  const message = () => JSON.parse(new TextDecoder().decode(encodeShape(stroke).payload));
  assert.equal('locked' in message(), false);
  stroke.isLocked = true;
  assert.equal(message().locked, true);
  for (const locked of [1, 'true', null, {}]) {
    const payload = new TextEncoder().encode(JSON.stringify({ ...message(), locked }));
    assert.equal(readStroke(payload)?.isLocked, false);
  }
  const text = { text: 'Hi', point: [0, 0], size: 20, locked: true };
  assert.equal(readText(new TextEncoder().encode(JSON.stringify(text)))?.isLocked, true);
  const place = { x: 1, y: 2, width: 3, height: 4, z: 5 };
  assert.deepEqual(decodePlacement(encodePlacement('A', place))?.placement, place);
  assert.deepEqual(decodePlacement(encodePlacement('A', { ...place, isLocked: true }))?.placement, {
    ...place,
    isLocked: true,
  });
});

test('the selection goes behind all others, in its order, and comes back by an undo', () => {
  const { draw, rectangle, objectCommands, ids, drawing, shapes } = page();
  const all = [0, 1, 2, 3].map((at) => draw(rectangle, [0, 0], [100 + at, 100]));
  const [a, b, c, d] = all;
  objectCommands.sendToBack(new Set([d, b]));
  assert.deepEqual(ids(), [b, d, a, c]);
  objectCommands.sendToBack(new Set([c]));
  objectCommands.sendToBack(new Set([a, c]));
  assert.deepEqual(ids(), [c, a, b, d]);
  assert.ok(shapes.all.every(({ z }) => Number.isSafeInteger(z) && z >= 0));
  for (let steps = 0; steps < 3; steps += 1) drawing.undo();
  assert.deepEqual(ids(), all);
});

test('an object that is behind all others already stays, and makes no undo step', () => {
  const { draw, rectangle, objectCommands, shapes, drawing } = page();
  const [a, b] = [draw(rectangle, [0, 0], [100, 100]), draw(rectangle, [0, 0], [100, 100])];
  const before = shapes.all.map(({ z }) => z);
  objectCommands.sendToBack(new Set([a]));
  objectCommands.sendToBack(new Set([a, b]));
  objectCommands.sendToBack(new Set());
  assert.deepEqual(shapes.all.map(({ z }) => z), before);
  drawing.undo();
  assert.equal(shapes.size, 1);
});

test('a picture goes behind strokes, and strokes behind pictures', () => {
  const { itemStore, objectCommands, draw, rectangle, scene, drawing } = page();
  const box = draw(rectangle, [0, 0], [100, 100]);
  const item = itemStore.add(FILE, { x: 100, y: 100, width: 280, height: 76 });
  objectCommands.sendToBack(new Set([item.id]));
  assert.deepEqual(scene.all.map(({ id }) => id), [item.id, box]);
  objectCommands.sendToBack(new Set([box]));
  assert.deepEqual(scene.all.map(({ id }) => id), [box, item.id]);
  drawing.undo();
  assert.deepEqual(scene.all.map(({ id }) => id), [item.id, box]);
});

test('with room below, only the selection gets another depth', () => {
  const others = [10, 11, 12].map((z) => strokeAt(z, 0));
  const [low, high] = [strokeAt(20, 0), strokeAt(30, 0)];
  assert.deepEqual([...depthsAtBack([low, high], others).values()], [8, 9]);
});

test('without room, only those objects are raised that would be behind an object that they cover', () => {
  const sent = strokeAt(9, 0);
  const [covering, apart, above, far] = [strokeAt(0, 5), strokeAt(0, 500), strokeAt(1, 10), strokeAt(7, 0)];
  const depths = depthsAtBack([sent], [covering, apart, above, far]);
  assert.deepEqual([sent, covering, apart, above, far].map((one) => depths.get(one)), [0, 1, undefined, 2, undefined]);
});

test('even after hundreds of times, the sent object is behind all others, with a valid depth', () => {
  const { draw, rectangle, objectCommands, shapes } = page();
  for (let at = 0; at < 8; at += 1) draw(rectangle, [0, 0], [100 + at, 100]);
  for (let round = 0; round < 300; round += 1) {
    const { id } = shapes.all[(round * 5) % 8];
    objectCommands.sendToBack(new Set([id]));
    assert.equal(shapes.all[0].id, id);
  }
  assert.ok(shapes.all.every(({ z }) => Number.isSafeInteger(z) && z >= 0));
});

/** @param {number} z @param {number} x */
function strokeAt(z, x) {
  const stroke = new Stroke({ ...INK, width: 3, tool: 'pen', id: `${z} ${x}`, z });
  stroke.append([x, 0, x + 20, 20], null);
  stroke.isFinished = true;
  return stroke;
}
