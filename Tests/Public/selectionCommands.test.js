import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { SelectionCommands } from '../../Public/js/edit/selectionCommands.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { TRANSFORM_TYPE, TransformSync } from '../../Public/js/protocol/transformSync.js';
import { Selection } from '../../Public/js/edit/selection.js';
import { STROKE_TYPE } from '../../Public/js/protocol/shapeMessages.js';
import { SelectTool } from '../../Public/js/tools/selectTool.js';
import { FakeBrowser, fileOf } from './journalSupport.js';
import { BEN, catchUp, caughtUp, gatewayEntry, joined, keyOf, LIMITS, welcome } from './support.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 6, tool: 'pen' };
/** Flags: reliable with replace and with remove, and with `existing`; unreliable. */
const [REPLACE, REMOVE, EXISTING, UNRELIABLE] = [5, 7, 0x20, 0];
const RIGHT = { factor: 1, x: 100, y: 0 };

test('a dragged selection is shown at its new place, dropped there, and undone and redone exactly', () => {
  const { drawing, commands, shapes, at, ids } = page();
  draw(drawing, [0.12, 0, 10, 10.37]);
  const [id] = ids();
  commands.drag(new Set([id]), { factor: 1, x: 5.5, y: 0 });
  commands.drag(new Set([id]), { factor: 1, x: 33.33, y: -1.11 });
  assert.deepEqual(at(id), [33.45, -1.11, 43.33, 9.26]);
  assert.deepEqual(shapes.base(id)?.points, [0.12, 0, 10, 10.37]);
  commands.commitDrag();
  assert.deepEqual([at(id), shapes.base(id)?.points], [[33.45, -1.11, 43.33, 9.26], [33.45, -1.11, 43.33, 9.26]]);
  drawing.undo();
  assert.deepEqual(at(id), [0.12, 0, 10, 10.37]);
  drawing.redo();
  assert.deepEqual(at(id), [33.45, -1.11, 43.33, 9.26]);
});

test('a cancelled drag restores the place and is no undo step', () => {
  const { drawing, commands, at, ids } = page();
  draw(drawing, [0, 0, 10, 10]);
  commands.drag(new Set(ids()), RIGHT);
  commands.cancelDrag();
  drawing.undo();
  assert.deepEqual(ids(), []);
  drawing.redo();
  assert.deepEqual(at(ids()[0]), [0, 0, 10, 10]);
});

test('§6 a drag is sent about 20 times a second, and its end as a replace with existing', () => {
  const { drawing, commands, frame, ids, said } = shared();
  draw(drawing, [0, 0, 10, 10]);
  draw(drawing, [0, 50, 10, 50]);
  const chosen = new Set(ids());
  said();
  for (const [now, x] of [[0, 10], [16, 20], [49, 30], [50, 40], [66, 100]]) {
    commands.drag(chosen, { ...RIGHT, x });
    frame(now);
  }
  commands.commitDrag();
  frame(5000);
  const glimpse = (/** @type {number} */ x) => ({ ids: [...chosen], factor: 1, point: [x, 0] });
  assert.deepEqual(said().map(({ flags, keyByte, type, payload }) => [flags, keyByte, type, told(type, payload)]), [
    [UNRELIABLE, undefined, TRANSFORM_TYPE, glimpse(10)],
    [UNRELIABLE, undefined, TRANSFORM_TYPE, glimpse(40)],
    [REPLACE | EXISTING, 1, STROKE_TYPE, [[100, 0], [110, 10]]],
    [REPLACE | EXISTING, 2, STROKE_TYPE, [[100, 50], [110, 50]]],
  ]);
});

test('a selection that is too large for drag updates is sent only at the end', () => {
  const { drawing, commands, frame, ids, said } = shared();
  draw(drawing, Array.from({ length: 26_000 }, (_, at) => at % 500));
  said();
  commands.drag(new Set(ids()), RIGHT);
  frame(0);
  assert.deepEqual(said(), []);
});

test('a drag by others moves only the listed items', () => {
  const { at, entries, told } = shared();
  const points = Array.from({ length: 6001 }, (_, x) => [x, 0]);
  for (const key of [1, 2, 3]) entries(stroke({ sequence: key, key, points }));
  told(0, { ids: [1, 2, 3].map(keyOf), factor: 1, point: [7, 0] });
  assert.deepEqual([1, 2, 3].map((key) => at(keyOf(key))[0]), [7, 7, 0]);
});

test('cancelling a drag sends the original place', () => {
  const { drawing, commands, frame, ids, said } = shared();
  draw(drawing, [0, 0, 10, 10]);
  commands.drag(new Set(ids()), RIGHT);
  frame(0);
  said();
  commands.cancelDrag();
  assert.deepEqual(said().map(({ payload }) => JSON.parse(payload).point), [[0, 0]]);
});

test('drags by others are shown until their end, or for 5 s', () => {
  const { entries, frame, at, told: from } = shared();
  entries(stroke({ sequence: 1, key: 9 }));
  from(0, { ids: [keyOf(9), keyOf(8), 'x', 7], factor: 2, point: [10, 20] });
  assert.deepEqual(at(keyOf(9)), [12, 22, 14, 24]);
  assert.equal(frame(4999), true);
  assert.deepEqual(at(keyOf(9)), [12, 22, 14, 24]);
  assert.equal(frame(5000), false);
  assert.deepEqual(at(keyOf(9)), [1, 1, 2, 2]);
  from(5000, { ids: [keyOf(9)], factor: 1, point: [10, 20] });
  entries(stroke({ sequence: 2, key: 9, points: [[11, 21], [12, 22]] }));
  assert.deepEqual(at(keyOf(9)), [11, 21, 12, 22]);
  assert.equal(frame(5001), false);
});

test('pictures and shapes dragged together move together; a card keeps its size', () => {
  const { entries, at, items, gateway, itemStore, told: from } = shared();
  entries(stroke({ sequence: 1, key: 9 }));
  gateway.put(keyOf(0xaa), { metadata: { location: [100, 50], width: 80, height: 40, z: 7 } });
  gateway.put(keyOf(0xbb), { contentType: 'application/pdf', metadata: { location: [200, 50], z: 8 } });
  const places = () => items.all.map(({ place: { x, y, width } }) => [x, y, width]);
  const { width } = items.all[1].place;
  for (let times = 0; times < 2; times += 1) {
    from(0, { ids: [keyOf(9), keyOf(0xaa), keyOf(0xbb)], factor: 2, point: [0, 10] });
    assert.deepEqual([at(keyOf(9)), ...places()], [[2, 12, 4, 14], [200, 110, 160], [400, 110, width]]);
  }
  itemStore.placements.frame(5000);
  assert.deepEqual(places(), [[100, 50, 80], [200, 50, width]]);
});

test('changes lost by the gateway during a drag are sent again', () => {
  const { drawing, commands, echo, ids, at, cut } = shared();
  draw(drawing, [0, 0, 10, 10]);
  echo();
  commands.drag(new Set(ids()), RIGHT);
  cut();
  assert.deepEqual(at(ids()[0]), [100, 0, 110, 10]);
  commands.commitDrag();
  assert.deepEqual(at(ids()[0]), [100, 0, 110, 10]);
});

for (
  const message of [
    null,
    [],
    { ids: 'all', factor: 1, point: [1, 1] },
    { ids: [keyOf(9)], factor: 0, point: [1, 1] },
    { ids: [keyOf(9)], factor: '2', point: [1, 1] },
    { ids: [keyOf(9)], factor: 1e9, point: [1, 1] },
    { ids: [keyOf(9)], factor: 1, point: [1] },
    { ids: [keyOf(9)], factor: 1, point: [0, 1e9] },
  ]
) {
  test(`§6 an invalid transform is ignored: ${JSON.stringify(message)}`, () => {
    const { entries, at, told: from } = shared();
    entries(stroke({ sequence: 1, key: 9 }));
    from(0, message);
    assert.deepEqual(at(keyOf(9)), [1, 1, 2, 2]);
  });
}

test('a shape being drawn is not moved by others', () => {
  const { drawing, told: from, at, ids } = shared();
  drawing.beginStroke(LOOK, [1, 1], null);
  from(0, { ids: ids(), factor: 1, point: [10, 20] });
  drawing.extendStroke([2, 2], null);
  assert.deepEqual(at(ids()[0]), [1, 1, 2, 2]);
});

test('of two concurrent moves, each participant undoes only its own', () => {
  const { drawing, commands, entries, echo, at, ids } = shared();
  draw(drawing, [0, 0, 10, 10]);
  const [id] = ids();
  commands.drag(new Set([id]), RIGHT);
  commands.commitDrag();
  echo();
  entries(stroke({ sequence: 2000, key: 1, points: [[100, 7], [110, 17]] }));
  drawing.undo();
  assert.deepEqual(at(id), [0, 7, 10, 17]);
  drawing.redo();
  assert.deepEqual(at(id), [100, 7, 110, 17]);
});

test('items that others erased are not restored by a move or its undo; the rest is moved back', () => {
  const { drawing, commands, entries, echo, at, ids, said, gone, selection } = shared();
  for (const y of [0, 50]) draw(drawing, [0, y, 10, y]);
  const [one, other] = ids();
  echo();
  selection.choose([one, other]);
  commands.drag(selection.ids, RIGHT);
  entries(removal(3000, 1));
  assert.deepEqual([...selection.ids], [other]);
  said();
  commands.commitDrag();
  assert.deepEqual(said().map(({ keyByte }) => keyByte), [2]);
  drawing.undo();
  assert.deepEqual([ids(), at(other), gone()], [[other], [0, 50, 10, 50], 0]);
  drawing.redo();
  echo();
  entries(removal(3001, 2));
  drawing.undo();
  assert.deepEqual([ids(), gone()], [[], 1]);
});

test('a removal is undone by its author, also for items that others removed later', () => {
  const { drawing, commands, entries, echo, ids, said, selection, gone } = shared();
  for (const y of [0, 50]) draw(drawing, [0, y, 10, y]);
  const both = ids();
  echo();
  selection.choose(both);
  said();
  commands.remove(selection.ids);
  entries(removal(3000, 1));
  assert.deepEqual([ids(), selection.size, said().map(({ flags, keyByte }) => [flags, keyByte])], [
    [],
    0,
    [[REMOVE, 1], [REMOVE, 2]],
  ]);
  drawing.undo();
  assert.deepEqual([ids(), said().map(({ flags }) => flags)], [both, [REPLACE, REPLACE]]);
  drawing.redo();
  assert.deepEqual([ids(), gone()], [[], 0]);
});

test('duplicates are new items above all others; an undo removes them', async () => {
  const { drawing, commands, at, ids, said, entries, gone } = shared();
  draw(drawing, [0, 0, 10, 10]);
  draw(drawing, [0, 50, 10, 50]);
  const both = ids();
  said();
  const copies = await commands.duplicate(new Set(both.toReversed()), 20);
  assert.deepEqual(ids(), [...both, ...copies]);
  assert.deepEqual(copies.map(at), [[20, 20, 30, 30], [20, 70, 30, 70]]);
  assert.deepEqual(said().map(({ flags }) => flags), [REPLACE, REPLACE]);
  drawing.undo();
  assert.deepEqual(ids(), both);
  drawing.redo();
  assert.deepEqual(ids(), [...both, ...copies]);
  entries(...copies.map((id, at) => removal(4000 + at, Number.parseInt(id.slice(0, 2), 16))));
  assert.equal(gone(), 0);
});

for (const count of [1000, 5000]) {
  test(`${count} copies can be selected once all of them are there`, async () => {
    const { shapes, drawing, commands, ids, selection } = page();
    for (let y = 0; y < count; y += 1) draw(drawing, [0, y]);
    const originals = ids();
    const imported = () => shapes.all.slice(0, count).map((one, at) => copyOf(one, keyOf(100_000 + at)));
    for (const insert of [() => commands.duplicate(new Set(originals), 20), () => commands.insert(imported(), [])]) {
      const inserting = insert();
      let isOver = false;
      inserting.then(() => isOver = true);
      // `duplicate` begins once the contents of the pictures are loaded.
      await Promise.resolve();
      assert.ok(commands.isBusy);
      while (commands.frame());
      assert.equal(isOver, false);
      selection.choose(await inserting);
      assert.deepEqual([selection.size, ids().length], [count, 2 * count]);
      assert.equal(selection.bounds?.bottom, shapes.bounds?.bottom);
      drawing.undo();
      while (commands.frame());
      assert.deepEqual([selection.size, ids()], [0, originals]);
    }
  });
}

test('copies that are not complete yet are never reported if the page shows another drawing', async () => {
  const { drawing, commands, ids } = page();
  for (let y = 0; y < 1000; y += 1) draw(drawing, [0, y]);
  let isReported = false;
  commands.duplicate(new Set(ids()), 20).then(() => isReported = true);
  await Promise.resolve();
  commands.frame();
  commands.reset();
  assert.deepEqual([commands.isBusy, commands.frame()], [false, false]);
  await Promise.resolve();
  assert.equal(isReported, false);
});

test('items brought to the front keep their order; an undo reverts it unless others raised them later', () => {
  const { drawing, commands, ids, entries, echo, shapes } = shared();
  for (const y of [0, 50, 100]) draw(drawing, [0, y, 10, y]);
  const [a, b, c] = ids();
  commands.bringToFront(new Set([b, a]));
  assert.deepEqual(ids(), [c, a, b]);
  drawing.undo();
  assert.deepEqual(ids(), [a, b, c]);
  drawing.redo();
  assert.deepEqual(ids(), [c, a, b]);
  echo();
  entries(stroke({ sequence: 5000, key: 1, z: 6000 }));
  assert.deepEqual(ids(), [c, b, a]);
  drawing.undo();
  assert.deepEqual([ids(), shapes.find(a)?.z], [[b, c, a], 6000]);
});

test('a style change is undone except for shapes that others restyled later', () => {
  const { drawing, commands, shapes, ids, entries, echo } = shared();
  for (const y of [0, 50]) draw(drawing, [0, y, 10, y]);
  const both = new Set(ids());
  const looks = () => shapes.all.map((shape) => 'width' in shape && `${shape.rgb} ${shape.width} ${shape.points[1]}`);
  assert.equal(commands.restyle(both, () => ({ rgb: '#123456', color: 7 })), true);
  commands.restyle(both, () => ({ width: 20 }));
  assert.deepEqual(looks(), ['#123456 20 0', '#123456 20 50']);
  echo();
  entries(stroke({ sequence: 5000, key: 1, z: 1, points: [[0, 9], [1, 9]] }));
  drawing.undo();
  drawing.undo();
  assert.deepEqual(looks(), ['#f2762e 6 9', '#e5484d 6 50']);
  drawing.redo();
  assert.deepEqual(looks(), ['#f2762e 6 9', '#123456 6 50']);
  assert.equal(commands.restyle(new Set([keyOf(9)]), () => ({ width: 20 })), false);
});

test('a change of shapes and a picture is one undo step', async () => {
  const { drawing, commands, itemStore, items, ids, at } = page();
  draw(drawing, [0, 0, 10, 10]);
  const item = itemStore.add({ blob: fileOf(3), name: 'a.png', contentType: 'image/png', natural: null }, PLACE);
  const all = () => new Set([...ids(), ...items.all.map(({ id }) => id)]);
  commands.drag(all(), { factor: 2, x: 0, y: 0 });
  commands.commitDrag();
  const { x, y, width, height } = item.place;
  assert.deepEqual([at(ids()[0]), [x, y, width, height]], [[0, 0, 20, 20], [200, 100, 160, 80]]);
  drawing.undo();
  assert.deepEqual([at(ids()[0]), item.place.width], [[0, 0, 10, 10], 80]);
  const copies = await commands.duplicate(all(), 20);
  assert.deepEqual([ids().length, items.size, copies.length], [2, 2, 2]);
  drawing.undo();
  commands.remove(all());
  assert.deepEqual([ids().length, items.size], [0, 0]);
  drawing.undo();
  assert.deepEqual([ids().length, items.size, items.all[0].place], [1, 1, { ...PLACE, z: 2 }]);
});

test('a card in a resized group keeps its size and moves', () => {
  const { commands, itemStore } = page();
  const card = itemStore.add({ blob: fileOf(3), name: 'a.pdf', contentType: 'application/pdf', natural: null }, PLACE);
  const { width } = card.place;
  commands.drag(new Set([card.id]), { factor: 2, x: 0, y: 0 });
  assert.deepEqual([card.place.x, card.place.width], [200, width]);
});

test('of a large selection, only the box moves until the drop', () => {
  const { drawing, commands, ids, at } = page();
  for (let y = 0; y < 401; y += 1) draw(drawing, [0, y]);
  const [id] = ids();
  commands.drag(new Set(ids()), RIGHT);
  assert.deepEqual([at(id), commands.outlineTransform], [[0, 0], RIGHT]);
  commands.commitDrag();
  assert.deepEqual([at(id), commands.outlineTransform], [[100, 0], null]);
});

test('a huge selection is dropped in slices per frame, and can be undone meanwhile', () => {
  const { drawing, commands, ids, at } = page();
  for (let y = 0; y < 1200; y += 1) draw(drawing, [0, y]);
  const all = ids();
  commands.drag(new Set(all), RIGHT);
  commands.commitDrag();
  commands.frame();
  const moved = () => all.filter((id) => at(id)[0] === 100).length;
  assert.ok(commands.isBusy && moved() > 0 && moved() < 1200, `${moved()}`);
  drawing.undo();
  let most = 0;
  while (commands.frame()) most = Math.max(most, moved());
  assert.deepEqual([most > 600, moved(), ids()], [true, 0, all]);
  drawing.redo();
  while (commands.frame());
  assert.equal(moved(), 1200);
});

test('a tap selects the topmost item, with Shift toggles one; on paper it clears the selection', () => {
  const { drawing, selectTool, selection, ids } = page();
  draw(drawing, [0, 0, 100, 0]);
  draw(drawing, [50, -50, 50, 50]);
  const [across, down] = ids();
  tap(selectTool, 50, 0);
  assert.deepEqual([...selection.ids], [down]);
  tap(selectTool, 10, 8);
  assert.deepEqual([...selection.ids], [across]);
  tap(selectTool, 50, 30, true);
  assert.equal(selection.size, 2);
  tap(selectTool, 10, 0, true);
  assert.deepEqual([...selection.ids], [down]);
  tap(selectTool, 300, 300);
  assert.equal(selection.size, 0);
});

test('a selection box selects items that it touches, contains or crosses; cancelled, it restores the selection', () => {
  const { drawing, selectTool, selection, ids } = page();
  draw(drawing, [20, 20, 40, 40]);
  draw(drawing, [-500, 60, 500, 60]);
  draw(drawing, [-500, 300, 500, 300]);
  draw(drawing, [-50, -200, 350, -200, 350, 350, -50, 350]);
  const [within, crossing, below] = ids();
  tap(selectTool, 0, 300);
  drag(selectTool, [-20, 0], [100, 100]);
  assert.deepEqual([...selection.ids], [within, crossing]);
  selectTool.begin({ x: -20, y: 100, pressure: null });
  selectTool.move([{ x: 100, y: 301, pressure: null }]);
  assert.deepEqual([...selection.ids], [below]);
  selectTool.cancel();
  assert.deepEqual([...selection.ids], [within, crossing]);
});

test('inside a shape a drag begins a box, and a tap selects the shape', () => {
  const { drawing, selectTool, selection, ids } = page();
  drawing.drawShape({ ...LOOK, tool: 'rectangle' }, keyOf(0x77), [0, 0], [200, 200]);
  drawing.endStroke();
  draw(drawing, [100, 100, 120, 100]);
  const [shape, inner] = ids();
  drag(selectTool, [60, 60], [140, 140]);
  assert.deepEqual([...selection.ids], [inner]);
  tap(selectTool, 30, 160);
  assert.deepEqual([...selection.ids], [shape]);
});

test('a drag inside the selection’s box moves the selection; a tap selects the item there', () => {
  const { drawing, selectTool, selection, at, ids } = page();
  draw(drawing, [0, 0, 0, 100]);
  draw(drawing, [100, 0, 100, 100]);
  draw(drawing, [50, 20, 50, 60]);
  const [left, right, middle] = ids();
  selection.choose([left, right]);
  drag(selectTool, [50, 40], [60, 40]);
  assert.deepEqual([at(left), at(right), at(middle)], [[10, 0, 10, 100], [110, 0, 110, 100], [50, 20, 50, 60]]);
  tap(selectTool, 50, 40);
  assert.deepEqual([...selection.ids], [middle]);
});

test('a corner resizes the whole selection around the opposite corner', () => {
  const { drawing, selectTool, selection, at, ids } = page();
  draw(drawing, [7, 7, 107, 107]);
  selection.choose(ids());
  drag(selectTool, [114, 114], [228, 228]);
  assert.deepEqual(at(ids()[0]), [14, 14, 214, 214]);
});

test('a double tap begins editing', () => {
  const { drawing, selectTool, pass, ids } = page();
  draw(drawing, [0, 0, 100, 0]);
  /** @type {string[]} */
  const edited = [];
  selectTool.addEventListener('edit', (event) => edited.push(/** @type {CustomEvent} */ (event).detail.id));
  tap(selectTool, 50, 0);
  pass(401);
  tap(selectTool, 50, 0);
  assert.deepEqual(edited, []);
  pass(100);
  tap(selectTool, 52, 0);
  assert.deepEqual(edited, ids());
  tap(selectTool, 52, 0);
  assert.deepEqual(edited, ids());
});

test('a double tap on paper begins a text', () => {
  const { selectTool, pass } = page();
  /** @type {unknown[]} */
  const written = [];
  selectTool.addEventListener('edit', (event) => written.push(/** @type {CustomEvent} */ (event).detail));
  tap(selectTool, 50, 0);
  pass(100);
  tap(selectTool, 150, 0);
  pass(100);
  assert.deepEqual(written, []);
  tap(selectTool, 152, 0);
  assert.deepEqual(written, [[152, 0]]);
});

test('the selection reports each change once; items changed by others stay selected', () => {
  const { entries, selection } = shared();
  let changes = 0;
  selection.addEventListener('change', () => changes += 1);
  entries(stroke({ sequence: 1, key: 8 }), stroke({ sequence: 2, key: 9 }));
  selection.choose([keyOf(8), keyOf(9)]);
  selection.choose([keyOf(9), keyOf(8)]);
  const { version } = selection;
  entries(stroke({ sequence: 3, key: 9, points: [[50, 50]] }));
  assert.deepEqual([selection.size, changes, selection.version > version], [2, 1, true]);
  assert.equal(selection.bounds?.right, 57);
  entries(removal(4, 8));
  assert.deepEqual([[...selection.ids], changes], [[keyOf(9)], 2]);
  assert.equal(selection.sole?.id, keyOf(9));
});

const PLACE = { x: 100, y: 50, width: 80, height: 40 };

/** A page without a session. Keys are all 01, all 02, and so on. */
function page() {
  const [shapes, items, history, index] = [new Shapes(), new Items(), new UndoHistory(), new ShapeIndex()];
  let keys = 0;
  let now = 0;
  /** Each access to the clock advances it a little. */
  let working = 0;
  const key = () => keyOf(keys += 1);
  const drawing = new Drawing(shapes, key, history);
  const depth = {
    get next() {
      return drawing.nextZ;
    },
    seen: (/** @type {number} */ z) => shapes.raiseHighestZ(z),
  };
  const itemStore = new ItemStore({ items, history, depth, key, now: () => now });
  const transformSync = new TransformSync(
    shapes,
    (id, transform, by) => itemStore.placements.dragRemotely(id, transform, by),
    () => now,
  );
  const commands = new SelectionCommands({
    shapes,
    items,
    drawing,
    itemStore,
    history,
    transformSync,
    key,
    now: () => working += 0.1,
  });
  const selection = new Selection(shapes, items);
  const selectTool = new SelectTool({ shapes, items, index }, selection, commands, () => 1, () => now);
  shapes.observe(index);
  let gone = 0;
  drawing.addEventListener('undofailed', () => gone += 1);
  return {
    shapes,
    items,
    drawing,
    itemStore,
    transformSync,
    commands,
    selection,
    selectTool,
    gone: () => gone,
    ids: () => shapes.all.map(({ id }) => id),
    at: (/** @type {string} */ id) => /** @type {any} */ (shapes.find(id)).points,
    pass: (/** @type {number} */ ms) => now += ms,
    frame: (/** @type {number} */ at) => transformSync.frame(now = at),
  };
}

/** The page in a joined session. */
function shared() {
  const made = page();
  const browser = new FakeBrowser();
  const { session, journal, last, reopen } = browser.open({ joins: false });
  made.drawing.attach(session, { bringsPicture: false });
  made.itemStore.attach(session, journal, { bringsPicture: false });
  made.transformSync.follow(session);
  session.join();
  welcome(last(), { limits: LIMITS });
  let heard = 0;
  let echoed = 0;
  return {
    ...made,
    gateway: browser.gateway,
    /** The gateway crashes, and returns without the latest entries. */
    cut: () => {
      last().cut();
      reopen();
      last().tell(joined({ epoch: 'e2', resumed: true, limits: LIMITS }));
      last().tell(catchUp('snapshot', 0));
      last().tell(caughtUp(0));
    },
    /** The gateway returns this participant's entries since the last call. */
    echo: () => {
      const fresh = last().said.filter(({ clientSequence }) => clientSequence > echoed);
      for (const { flags, clientSequence, keyByte: key, type, payload } of fresh) {
        const sequence = 1000 + (echoed = clientSequence);
        const bytes = new TextEncoder().encode(payload);
        last().entries(
          gatewayEntry({ flags: flags & ~EXISTING, sequence, sender: 1, clientSequence, key, type, payload: bytes }),
        );
      }
    },
    entries: (/** @type {Uint8Array[]} */ ...all) => last().entries(...all),
    /** Returns the entries sent since the last call. */
    said: () => {
      const all = last().said.slice(heard);
      heard += all.length;
      return all;
    },
    /** Sends a drag of Ben. @param {number} at @param {unknown} payload */
    told: (at, payload) => {
      made.frame(at);
      last().entries(gatewayEntry({ flags: UNRELIABLE, sender: BEN.number, type: TRANSFORM_TYPE, payload }));
    },
  };
}

/** @param {import('../../Public/js/model/shapes.js').Shape} shape @param {string} id */
function copyOf(shape, id) {
  return Object.assign(shape.moved({ factor: 1, x: 20, y: 0 }), { id });
}

/** @param {Drawing} drawing @param {number[]} points */
function draw(drawing, points) {
  drawing.beginStroke(LOOK, points, null);
  drawing.endStroke();
}

/** @param {SelectTool} selectTool @param {number} x @param {number} y @param {boolean} [shift] */
function tap(selectTool, x, y, shift = false) {
  selectTool.begin({ x, y, pressure: null, shift });
  selectTool.end();
}

/** @param {SelectTool} selectTool @param {number[]} from @param {number[]} to */
function drag(selectTool, [x, y], [toX, toY]) {
  selectTool.begin({ x, y, pressure: null });
  selectTool.move([{ x: toX, y: toY, pressure: null }]);
  selectTool.end();
}

/** @param {string} type @param {string} payload */
function told(type, payload) {
  return type === TRANSFORM_TYPE ? JSON.parse(payload) : JSON.parse(payload).points;
}

/** Returns an entry of Ben. @param {{ sequence: number, key: number, z?: number, points?: number[][] }} entry */
function stroke({ sequence, key, z = key, points = [[1, 1], [2, 2]] }) {
  const payload = { id: keyOf(key), color: 1, point: points.at(-1), points, width: 6, tool: 'pen', rgb: '#f2762e', z };
  return gatewayEntry({
    flags: REPLACE,
    sequence,
    sender: BEN.number,
    clientSequence: sequence,
    key,
    type: STROKE_TYPE,
    payload,
  });
}

/** Returns a removal by Ben. @param {number} sequence @param {number} key */
function removal(sequence, key) {
  return gatewayEntry({
    flags: REMOVE,
    sequence,
    sender: BEN.number,
    clientSequence: sequence,
    key,
    type: STROKE_TYPE,
  });
}
