/** The sheet that a person sees: the camera, the shown content, and the way to other sheets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { SheetCommands } from '../../Public/js/edit/sheetCommands.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Camera, MIN_SCALE } from '../../Public/js/model/camera.js';
import { Items, Scene } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { SheetContents } from '../../Public/js/model/sheetContents.js';
import { Sheets } from '../../Public/js/protocol/sheetSync.js';
import { newKey } from '../../Public/js/sync/key.js';
import { SheetView } from '../../Public/js/ui/sheetView.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 3, tool: 'pen' };
const CANVAS = { width: 1000, height: 800 };

test('without sheets, the page is one unbounded plane', () => {
  const { view, camera, scene, draw } = page();
  draw(400_000, 0);
  assert.equal(scene.sheet, scene);
  camera.pan(-600_000, 0);
  assert.equal(camera.x, 600_000);
  view.frame();
  assert.deepEqual([view.list, view.current], [[1], 1]);
});

test('each sheet has its own content and view', async () => {
  const { view, camera, scene, commands, draw } = page();
  draw(10, 10);
  commands.add();
  await Promise.resolve();
  view.go(2);
  assert.deepEqual([camera.x, camera.y, camera.isHome], [100_000, 0, true]);
  assert.deepEqual([scene.sheet.isEmpty, scene.sheet.bounds, scene.sheet.all, scene.isEmpty], [true, null, [], false]);
  draw(100_010, 10);
  draw(100_020, 10);
  assert.deepEqual([scene.sheet.strokes, scene.sheet.all.length, scene.strokes], [2, 2, 3]);
  camera.zoom(2, 0, 0);
  camera.pan(-50, 0);
  const seen = [camera.x, camera.y, camera.scale];
  view.go(1);
  assert.deepEqual([camera.x, camera.y, camera.scale, scene.sheet.strokes], [0, 0, 1, 1]);
  view.go(2);
  assert.deepEqual([camera.x, camera.y, camera.scale], seen);
});

test('the camera stays on its sheet', async () => {
  const { view, camera, commands } = page();
  commands.add();
  await Promise.resolve();
  camera.pan(-1e6, 0);
  assert.equal(camera.x, 48_000);
  view.go(2);
  camera.pan(1e6, 0);
  assert.equal(camera.x, 51_000);
  camera.zoom(1 / 20, 500, 400);
  const { left, right } = camera.seen(CANVAS.width, CANVAS.height);
  assert.ok(left >= 51_000 && right <= 149_000);
});

test('a movement that is too long for a hand leads to the sheet at its end', async () => {
  const { view, camera, commands, log } = page();
  commands.add();
  await Promise.resolve();
  // For example, to a picture that gets the focus.
  camera.pan(-101_000, 500);
  assert.deepEqual([view.current, camera.x, camera.y, log.includes('finish')], [2, 101_000, -500, true]);
  view.showAt({ left: 10, top: 10, right: 20, bottom: 20 });
  assert.deepEqual([view.current, camera.x, camera.y], [1, 0, 0]);
  // There is no sheet.
  view.showAt({ left: -100_010, top: 0, right: -100_000, bottom: 10 });
  camera.pan(100_000, 0);
  assert.deepEqual([view.current, camera.x], [1, -49_000]);
});

test('the content of a sheet follows moved, erased and restored objects', async () => {
  const { commands, view, scene, shapes, drawing, draw } = page();
  commands.add();
  await Promise.resolve();
  const shape = draw(10, 10);
  assert.equal(scene.sheet.strokes, 1);
  drawing.update([shape.moved({ factor: 1, x: 100_000, y: 0 })]);
  assert.deepEqual([scene.sheet.strokes, scene.sheet.bounds], [0, null]);
  view.go(2);
  assert.deepEqual(scene.sheet.all, [shapes.find(shape.id)]);
  assert.deepEqual(scene.sheet.bounds, shapes.find(shape.id)?.bounds);
  drawing.undo();
  assert.equal(scene.sheet.isEmpty, true);
});

test('objects in an area without a sheet create one, which disappears with them', async () => {
  const { commands, view, drawing, draw } = page();
  draw(-200_000, 0);
  commands.add();
  await Promise.resolve();
  const [far] = view.list.filter((number) => number > 2);
  assert.deepEqual(view.list, [1, 2, far]);
  view.go(1);
  drawing.undo();
  drawing.undo();
  await Promise.resolve();
  view.frame();
  assert.deepEqual(view.list, [1]);
});

test('undo and redo go to the sheet of the change first', async () => {
  const { commands, view, drawing, draw } = page();
  commands.add();
  await Promise.resolve();
  draw(10, 10);
  view.go(2);
  draw(100_010, 10);
  view.go(1);
  drawing.undo();
  assert.equal(view.current, 2);
  drawing.undo();
  assert.equal(view.current, 1);
  drawing.redo();
  drawing.redo();
  assert.equal(view.current, 2);
});

test('a change on a removed sheet is reported instead of shown', async () => {
  const { commands, view, history, draw } = page();
  commands.add();
  await Promise.resolve();
  view.go(2);
  draw(100_010, 10);
  const [, drawn] = history.done;
  view.go(1);
  assert.deepEqual([view.showPlaceOf(drawn), view.current], [0, 2]);
  commands.remove(2);
  await Promise.resolve();
  assert.deepEqual([view.showPlaceOf(drawn), view.current], [2, 1]);
});

test('the page stops waiting for a sheet once the person has chosen another one', async () => {
  const { commands, view, sheets } = page();
  commands.add();
  commands.add();
  await Promise.resolve();
  view.want(7);
  view.go(3);
  sheets.set(7, { name: '', order: 7, isRemoved: false });
  await Promise.resolve();
  assert.deepEqual([view.list, view.current, view.stopWaiting()], [[1, 2, 3, 7], 3, false]);
});

test('the neighbor of a removed sheet is shown, and the sheet comes back with an undo', async () => {
  const { commands, view, drawing, log } = page();
  commands.add();
  commands.add();
  await Promise.resolve();
  view.go(3);
  view.go(2);
  commands.remove(2);
  await Promise.resolve();
  assert.deepEqual([view.list, view.current], [[1, 3], 1]);
  drawing.undo();
  await Promise.resolve();
  assert.deepEqual([view.list, view.current], [[1, 2, 3], 2]);
  assert.ok(log.includes('finish'));
});

test('a wanted sheet is shown as soon as it exists, but not during a stroke', async () => {
  const { commands, view, state } = page();
  view.want(2);
  assert.equal(view.current, 1);
  state.isWorking = true;
  commands.add();
  await Promise.resolve();
  assert.equal(view.current, 1);
  state.isWorking = false;
  view.frame();
  assert.equal(view.current, 2);
  view.want(300);
  assert.equal(view.stopWaiting(), true);
  assert.equal(view.stopWaiting(), false);
});

test('the area of a linked sheet is shown before the sheet is known', async () => {
  const { view, commands, camera, draw, log } = page();
  view.expect(2);
  assert.deepEqual([camera.x, camera.y, view.current], [100_000, 0, 1]);
  // Drawn before the entries of the sheets arrive.
  draw(100_010, 10);
  commands.add();
  await Promise.resolve();
  assert.deepEqual([view.list, view.current, camera.x, view.stopWaiting()], [[1, 2, 3], 2, 100_000, false]);
  const other = page();
  other.view.expect(9);
  assert.equal(other.view.stopWaiting(), true);
  assert.deepEqual([other.camera.x, other.camera.y, other.camera.isHome], [0, 0, true]);
  assert.deepEqual([log.includes('finish'), other.log.at(-1)], [false, 'first view']);
  const third = page();
  third.view.expect(9);
  third.commands.add();
  await Promise.resolve();
  assert.deepEqual([third.view.current, third.camera.x, third.view.stopWaiting()], [1, 0, true]);
});

test('a link to a sheet that does not exist is reported once, and not after the person has chosen another sheet', async () => {
  const { view, commands } = page();
  let gone = 0;
  view.addEventListener('gone', () => (gone += 1));
  view.expect(9);
  assert.deepEqual([view.isWaiting, gone], [true, 0]);
  view.stopWaiting();
  view.stopWaiting();
  assert.deepEqual([view.isWaiting, gone], [false, 1]);
  commands.add();
  await Promise.resolve();
  view.want(9);
  view.go(view.current);
  view.stopWaiting();
  view.want(2);
  view.stopWaiting();
  assert.deepEqual([view.current, gone], [2, 1]);
});

test('sheets that become known after the first view of their objects are shown at their own first view', async () => {
  for (const wanted of [1, 2]) {
    const { view, camera, scene, sheets, draw, first } = page();
    draw(10, 10);
    draw(100_010, 10);
    draw(100_010 + 1200, 10);
    first.showAtFirst();
    assert.equal(camera.isHome, true);
    sheets.restore([stored(2)]);
    view.expect(wanted);
    await Promise.resolve();
    assert.equal(view.stopWaiting(), false);
    assert.deepEqual([view.current, scene.sheet.strokes], [wanted, wanted]);
    // The second sheet is larger than the canvas.
    const { left, right } = camera.seen(CANVAS.width, CANVAS.height);
    const isWhole = left < 100_000 && right > 101_200;
    assert.deepEqual([isWhole, camera.isHome], wanted === 1 ? [false, true] : [true, false]);
  }
});

test('a stroke during which the sheets become known goes on', async () => {
  const { view, camera, sheets, draw, first, state, log } = page();
  draw(10, 10);
  draw(100_010, 10);
  first.showAtFirst();
  state.isWorking = true;
  view.expect(2);
  sheets.restore([stored(2)]);
  await Promise.resolve();
  assert.deepEqual([view.current, camera.isHome, camera.x, log.includes('finish')], [1, true, 0, false]);
  state.isWorking = false;
  view.frame();
  assert.deepEqual([view.current, camera.x], [2, 100_000]);
});

test('a view that the person chose, or that shows one sheet, stays when the page gets sheets', async () => {
  const { view, camera, draw, first, commands, log } = page();
  draw(10, 10);
  draw(4000, 10);
  first.showAtFirst();
  const seen = [camera.x, camera.y, camera.scale];
  commands.add();
  await Promise.resolve();
  assert.deepEqual([view.current, camera.x, camera.y, camera.scale], [1, ...seen]);
  const other = page();
  other.draw(10, 10);
  other.draw(100_010, 10);
  other.first.showAtFirst();
  other.camera.pan(other.camera.x - 90_000, 0);
  other.commands.add();
  await Promise.resolve();
  assert.deepEqual([other.view.current, other.camera.x, other.camera.scale], [2, 90_000, 1]);
  assert.ok(!log.includes('finish') && !other.log.includes('finish'));
});

test('keys go through the sheets in their order', async () => {
  const { commands, view } = page();
  commands.add();
  commands.add();
  commands.move(3, 1);
  await Promise.resolve();
  const seen = [];
  for (const by of /** @type {const} */ ([1, 1, 1, -1, -1, -1])) {
    view.step(by);
    seen.push(view.current);
  }
  assert.deepEqual(seen, [3, 2, 2, 3, 1, 1]);
});

test('another page begins with its first sheet', async () => {
  const { commands, view, sheets, camera, scene } = page();
  commands.add();
  await Promise.resolve();
  view.go(2);
  sheets.clear();
  await Promise.resolve();
  assert.deepEqual([view.current, camera.x, camera.y, scene.sheet === scene], [1, 0, 0, true]);
});

/** @param {number} number @returns {import('../../Public/js/protocol/sheetSync.js').StoredEntry} a stored sheet without a name */
function stored(number) {
  const sheets = new Sheets();
  sheets.set(number, { name: '', order: number, isRemoved: false });
  return sheets.stored[0];
}

/** A page with drawn shapes and a canvas of 1000 × 800 pixels. */
function page() {
  const [shapes, items, history, camera, sheets] = [
    new Shapes(),
    new Items(),
    new UndoHistory(),
    new Camera(),
    new Sheets(),
  ];
  const scene = new Scene(shapes, items);
  const drawing = new Drawing(shapes, newKey, history);
  const contents = new SheetContents(scene);
  const state = { isWorking: false };
  /** @type {string[]} */
  const log = [];
  // As in `CanvasView`.
  const first = {
    version: -1,
    get isFirstView() {
      return this.version === camera.version;
    },
    showAtFirst() {
      const { bounds } = scene.sheet;
      log.push('first view');
      if (!bounds) return camera.home();
      if (bounds.left >= camera.homeX && bounds.right <= camera.homeX + CANVAS.width) return;
      if ((bounds.right - bounds.left) * MIN_SCALE <= CANVAS.width) camera.fit(bounds, CANVAS.width, CANVAS.height);
      this.version = camera.version;
    },
  };
  const view = new SheetView({
    sheets,
    contents,
    scene,
    camera,
    canvas: CANVAS,
    view: first,
    find: (id) => shapes.find(id),
    isWorking: () => state.isWorking,
    finish: () => log.push('finish'),
    requestFrame: () => {},
  });
  history.before = (command) => {
    if (command.content?.kind === 'sheet') view.want(command.content.number);
    else view.showPlaceOf(command);
  };
  const commands = new SheetCommands(sheets, history, () => contents.filled);
  const draw = (/** @type {number} */ x, /** @type {number} */ y) => {
    drawing.beginStroke(LOOK, [x, y, x + 5, y + 5], null);
    drawing.endStroke();
    return /** @type {import('../../Public/js/model/shapes.js').Shape} */ (shapes.all.at(-1));
  };
  return { view, camera, scene, shapes, drawing, history, commands, sheets, draw, state, log, first };
}
