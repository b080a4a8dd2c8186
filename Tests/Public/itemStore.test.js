import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { Previews } from '../../Public/js/edit/previews.js';
import { SelectionCommands } from '../../Public/js/edit/selectionCommands.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { PLACEMENT_TYPE } from '../../Public/js/model/placement.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { TransformSync } from '../../Public/js/protocol/transformSync.js';
import { Selection } from '../../Public/js/edit/selection.js';
import { SelectTool } from '../../Public/js/tools/selectTool.js';
import { FakeBrowser, fileOf } from './journalSupport.js';
import { ADA, catchUp, caughtUp, gatewayEntry, joined, keyOf, LIMITS, quiet, until, welcome } from './support.js';

/** Flags: reliable with replace and with remove; the gateway's own; unreliable. */
const [REPLACE, REMOVE, UNRELIABLE] = [5, 7, 0];
const AT = { x: 100, y: 50, width: 80, height: 40 };
const METADATA = { location: [100, 50], width: 80, height: 40, z: 7 };
const ID = keyOf(0xaa);
const PREVIEW = btoa('RIFF\x24\0\0\0WEBP');

test('without a session an item is added at once, above all strokes; later strokes are above it', () => {
  const { itemStore, items, drawing } = page();
  draw(drawing);
  const item = add(itemStore);
  assert.deepEqual(items.all, [item]);
  assert.deepEqual([item.place, item.state], [{ ...AT, z: 2 }, 'local']);
  assert.equal(add(itemStore).z, 3);
  assert.equal(drawing.nextZ, 4);
});

test('without a session an item can be moved, undone, redone, removed and restored at its place', () => {
  const { itemStore, items, drawing, commands } = page();
  const item = add(itemStore);
  commands.drag(new Set([item.id]), { factor: 1, x: 100, y: 0 });
  commands.commitDrag();
  assert.equal(item.place.x, 200);
  drawing.undo();
  assert.deepEqual([item.place.x, drawing.canRedo], [100, true]);
  drawing.redo();
  assert.equal(item.place.x, 200);
  itemStore.remove(item);
  assert.equal(items.size, 0);
  drawing.undo();
  const [back] = items.all;
  assert.notEqual(back.id, item.id);
  assert.deepEqual([back.place, back.name, back.blob], [{ ...AT, x: 200, z: 1 }, 'photo.png', item.blob]);
  // An earlier change is undone on the other page.
  drawing.undo();
  assert.deepEqual([back.place.x, items.size], [100, 1]);
  drawing.undo();
  assert.deepEqual([items.size, drawing.canUndo], [0, false]);
  for (let count = 0; count < 3; count += 1) drawing.redo();
  assert.deepEqual([items.size, drawing.canRedo], [0, false]);
});

test('items added together are undone together, and restored in order', () => {
  const { itemStore, items, drawing } = page();
  const added = { blob: fileOf(10), name: 'photo.png', contentType: 'image/png', natural: null };
  itemStore.addAll([{ added, at: AT }, { added: { ...added, name: 'b.pdf' }, at: { ...AT, x: 300 } }]);
  itemStore.addAll([]);
  drawing.undo();
  assert.deepEqual([items.size, drawing.canUndo], [0, false]);
  drawing.redo();
  assert.deepEqual(items.all.map(({ name, place }) => [name, place.x, place.z]), [['photo.png', 100, 1], [
    'b.pdf',
    300,
    2,
  ]]);
});

test('an undo does not restore items that others removed', () => {
  const { itemStore, items, drawing, browser } = inSession();
  const added = { blob: fileOf(10), name: 'photo.png', contentType: 'image/png', natural: null };
  const [first] = itemStore.addAll([{ added, at: AT }, { added: { ...added, name: 'b.pdf' }, at: { ...AT, x: 300 } }]);
  browser.gateway.put(first.id, { metadata: METADATA });
  browser.gateway.remove(first.id);
  drawing.undo();
  assert.equal(items.size, 0);
  drawing.redo();
  assert.deepEqual(items.all.map(({ name }) => name), ['b.pdf']);
});

test('in a session an undone removal uploads the item again', async () => {
  const { itemStore, items, drawing, browser, wait } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const item = /** @type {any} */ (items.find(ID));
  // Its picture was loaded.
  item.blob = fileOf(5);
  await wait(itemStore.remove(item));
  assert.equal(browser.gateway.stored.size, 0);
  drawing.undo();
  const [back] = items.all;
  await wait(/** @type {any} */ (back.upload).done);
  assert.deepEqual(browser.gateway.stored.get(back.id)?.metadata, METADATA);
  drawing.redo();
  assert.equal(items.size, 0);
  await wait(quiet());
  assert.equal(browser.gateway.stored.size, 0);
});

test('items that were not loaded cannot be restored; items removed by others stay removed', async () => {
  const { itemStore, items, drawing, browser, wait } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  await wait(itemStore.remove(/** @type {any} */ (items.find(ID))));
  assert.equal(drawing.canUndo, false);
  const own = add(itemStore);
  await wait(/** @type {any} */ (own.upload).done);
  browser.gateway.remove(own.id);
  let isGone = false;
  drawing.addEventListener('undofailed', () => (isGone = true));
  drawing.undo();
  assert.deepEqual([isGone, items.size], [true, 0]);
});

test('sharing uploads local items with their present placements', async () => {
  const { itemStore, items, browser, share } = page();
  const item = add(itemStore);
  itemStore.placements.move(item, { ...item.place, x: 200 });
  const { last, wait } = share();
  assert.deepEqual([items.all, item.state], [[item], 'local']);
  await quiet();
  assert.equal(item.state, 'uploading');
  welcome(last(), { limits: LIMITS });
  await wait(/** @type {any} */ (item.upload).done);
  assert.deepEqual(browser.gateway.stored.get(item.id)?.metadata, { ...METADATA, location: [200, 50], z: 1 });
  assert.deepEqual([item.state, item.place.x, items.size], ['ready', 200, 1]);
  assert.deepEqual(last().said, []);
});

test('in a session an item is visible before the gateway confirms it', async () => {
  const { itemStore, items, browser, wait } = inSession();
  const item = add(itemStore);
  assert.deepEqual([items.all, item.state, browser.gateway.requests], [[item], 'uploading', []]);
  await wait(/** @type {any} */ (item.upload).done);
  assert.deepEqual([item.state, item.by, item.size], ['ready', 'Ada', 10]);
  assert.equal(await item.load(), item.blob);
});

test('§6 a move is one replace under the attachment’s id, even if the key is new', () => {
  const { itemStore, last, browser, items, frame } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const item = /** @type {any} */ (items.find(ID));
  itemStore.placements.drag(item, { ...item.place, x: 101 });
  frame(0);
  itemStore.placements.drag(item, { ...item.place, x: 102 });
  frame(10);
  frame(50);
  frame(60);
  itemStore.placements.move(item, { ...AT, z: 7, x: 103 });
  frame(2000);
  const said = last().said.map(({ flags, keyByte, type, payload }) => [flags, keyByte, type, JSON.parse(payload)]);
  const message = (/** @type {number} */ x) => ({ id: ID, ...METADATA, location: [x, 50] });
  assert.deepEqual(said, [
    [UNRELIABLE, undefined, PLACEMENT_TYPE, message(101)],
    [UNRELIABLE, undefined, PLACEMENT_TYPE, message(102)],
    [REPLACE, 0xaa, PLACEMENT_TYPE, message(103)],
  ]);
});

test('a paused drag is repeated before it expires on other pages', () => {
  const { itemStore, last, browser, items, frame } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const item = /** @type {any} */ (items.find(ID));
  itemStore.placements.drag(item, { ...item.place, x: 101 });
  for (let now = 0; now <= 4500; now += 100) assert.equal(frame(now), true);
  assert.equal(last().said.length, 3);
  itemStore.placements.cancelDrag(item);
  assert.equal(JSON.parse(last().said[3].payload).location[0], 100);
  assert.equal(frame(5000), false);
  assert.equal(item.place.x, 100);
});

test('§6 items of others are placed by their metadata, or centered without a size', () => {
  const { browser, items, itemStore, drawing, session } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  browser.gateway.put(keyOf(2), { metadata: { location: [5, 6] } });
  browser.gateway.put(keyOf(3), { contentType: 'application/pdf', metadata: METADATA });
  browser.gateway.put(keyOf(0x44), {});
  assert.deepEqual(items.find(ID)?.place, { ...AT, z: 7 });
  assert.deepEqual(items.find(keyOf(2))?.place, { x: 5, y: 6, width: 250, height: 250, z: 102 });
  assert.deepEqual(items.find(keyOf(3))?.place, { x: 100, y: 50, width: 280, height: 76, z: 7 });
  assert.deepEqual(items.find(keyOf(0x44))?.z, 104);
  session.leave();
  itemStore.detach();
  itemStore.placements.pictureChanged(/** @type {any} */ (items.find(keyOf(2))));
  assert.deepEqual([items.find(keyOf(2))?.z, drawing.nextZ], [102, 105], 'also after the session');
});

test('§6 a preview is in the first entry of a picture, and restored with it', async () => {
  const { itemStore, items, browser, drawing } = inSession();
  itemStore.usePreviews(new Previews(items, () => PREVIEW));
  const natural = { width: 800, height: 400 };
  const item = itemStore.add({ blob: fileOf(20_000), name: 'a.png', contentType: 'image/png', natural }, AT);
  item.bitmap = { image: /** @type {any} */ ({ close: () => {} }), level: 0 };
  itemStore.placements.pictureChanged(item);
  const metadata = { ...METADATA, z: item.z, preview: PREVIEW };
  await until(() => browser.gateway.stored.has(item.id));
  assert.deepEqual(browser.gateway.stored.get(item.id)?.metadata, metadata);
  itemStore.remove(item);
  drawing.undo();
  const [back] = items.all;
  await until(() => browser.gateway.stored.has(back.id));
  assert.deepEqual(browser.gateway.stored.get(back.id)?.metadata, { ...metadata, z: back.z });
});

test('§6 the preview of a picture of others is read from its metadata', () => {
  const { browser, items } = inSession();
  browser.gateway.put(ID, { state: 'uploading', metadata: { ...METADATA, preview: PREVIEW } });
  browser.gateway.put(keyOf(2), { metadata: { ...METADATA, preview: 'javascript:alert(1)' } });
  assert.deepEqual([ID, keyOf(2)].map((id) => items.find(id)?.preview), [PREVIEW, '']);
});

test('an SVG that an earlier page placed as a card gets its own shape', () => {
  const { itemStore, browser, items } = inSession();
  const CARD = { width: 280, height: 76 };
  browser.gateway.put(ID, { contentType: 'image/svg+xml', metadata: { location: [5, 6], z: 1, ...CARD } });
  const item = /** @type {any} */ (items.find(ID));
  item.natural = { width: 200, height: 100 };
  itemStore.placements.pictureChanged(item);
  assert.deepEqual(item.place, { x: 5, y: 6, width: 200, height: 100, z: 1 });
});

test('an SVG keeps its size when an earlier page moves it as a card', () => {
  const { browser, items, last } = inSession();
  browser.gateway.put(ID, { contentType: 'image/svg+xml', metadata: METADATA });
  last().entries(moved({ x: 300, size: { width: 280, height: 76 }, sequence: 500 }));
  assert.deepEqual(items.find(ID)?.place, { ...AT, x: 300, z: 7 });
});

test('a picture of unknown size gets its shape when it is known', () => {
  const { itemStore, browser, items } = inSession();
  browser.gateway.put(ID, { metadata: { location: [5, 6], z: 1 } });
  const item = /** @type {any} */ (items.find(ID));
  item.natural = { width: 1000, height: 500 };
  itemStore.placements.pictureChanged(item);
  assert.deepEqual(item.place, { x: 5, y: 6, width: 250, height: 125, z: 1 });
});

test('drags by others are shown, and reverted when updates stop', () => {
  const { last, browser, items, frame } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const at = () => items.find(ID)?.place.x;
  last().entries(moved({ flags: UNRELIABLE, x: 300 }));
  assert.equal(at(), 300);
  assert.equal(frame(4999), true);
  assert.equal(at(), 300);
  assert.equal(frame(5000), false);
  assert.equal(at(), 100);
  last().entries(moved({ flags: UNRELIABLE, x: 300 }), moved({ x: 400, sequence: 500 }));
  assert.equal(at(), 400);
  assert.equal(frame(5001), false);
});

test('an own move is shown until the order of concurrent moves is known', () => {
  const { itemStore, last, browser, items } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const item = /** @type {any} */ (items.find(ID));
  itemStore.placements.move(item, { ...item.place, x: 200 });
  last().entries(moved({ x: 300, sequence: 500 }));
  assert.equal(item.place.x, 200);
  last().entries(moved({ x: 200, sequence: 501, sender: 1, clientSequence: 1 }));
  assert.equal(item.place.x, 200);
  last().entries(moved({ x: 350, sequence: 502 }));
  assert.equal(item.place.x, 350);
});

test('a move by another participant is reported with its author', () => {
  const { itemStore, last, browser, items } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  /** @type {import('../../Public/js/model/scene.js').RemoteChange[]} */
  const reports = [];
  itemStore.addEventListener('remotechange', (event) => reports.push(/** @type {CustomEvent} */ (event).detail));
  const [item] = items.all;
  last().entries(moved({ flags: UNRELIABLE, x: 300 }), moved({ x: 350, sequence: 500, sender: 1, clientSequence: 1 }));
  assert.deepEqual(reports, [], 'a drag, and an own move');
  last().entries(moved({ x: 300, sequence: 501 }));
  assert.deepEqual(reports, [{ sender: 2, before: item, after: item }]);
});

test('a late joiner gets the present placements; items that are missing in a snapshot are removed', () => {
  const { browser, items, open } = page();
  browser.gateway.stored.set(ID, stored());
  const { last } = open();
  last().open();
  last().tell(joined({ limits: LIMITS }));
  last().tell(catchUp('snapshot', 300));
  const participants = { joined: [ADA] };
  last().entries(
    gatewayEntry({ flags: 0x81, type: 'participants', payload: participants }),
    browser.gateway.entry(ID),
    moved({ x: 300, sequence: 200 }),
  );
  assert.equal(items.size, 0);
  last().tell(caughtUp(300));
  assert.deepEqual([items.find(ID)?.place.x, items.find(ID)?.by], [300, 'Ada']);

  last().tell(catchUp('snapshot', 400));
  last().tell(caughtUp(400));
  assert.equal(items.size, 0);
});

test('P8 after a crash that lost an own move, the move is sent again', () => {
  const { itemStore, browser, items, last, reopen } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const [item] = items.all;
  for (const x of [200, 300]) itemStore.placements.move(item, { ...item.place, x });
  for (const [at, x] of [200, 300].entries()) {
    last().entries(moved({ x, sequence: 200 + at, sender: 1, clientSequence: 1 + at }));
  }
  last().cut();
  reopen();
  last().tell(joined({ epoch: 'e2', resumed: true }));
  last().tell(catchUp('snapshot', 101));
  last().entries(browser.gateway.entry(ID));
  last().tell(caughtUp(101));
  assert.equal(item.place.x, 300);
  last().entries(moved({ x: 200, sequence: 200, sender: 1, clientSequence: 1 }));
  assert.equal(item.place.x, 300);
  last().entries(moved({ x: 300, sequence: 201, sender: 1, clientSequence: 2 }));
  last().entries(moved({ x: 400, sequence: 202, sender: 2, clientSequence: 1 }));
  assert.deepEqual([items.all, item.place.x], [[item], 400]);
});

test('after a crash, lost own additions are uploaded again and lost own removals repeated', async () => {
  const { itemStore, browser, items, last, reopen, wait } = inSession();
  const vanished = [];
  itemStore.addEventListener('itemremoved', () => vanished.push(1));
  browser.gateway.put(ID, { metadata: METADATA });
  const [other] = items.all;
  const item = add(itemStore);
  await wait(/** @type {any} */ (item.upload).done);
  itemStore.remove(other);
  await until(() => browser.gateway.stored.size === 1);
  browser.gateway.stored.clear();
  browser.gateway.stored.set(ID, stored());
  last().cut();
  reopen();
  last().tell(joined({ epoch: 'e2', resumed: true }));
  last().tell(catchUp('snapshot', 101));
  last().entries(browser.gateway.entry(ID));
  last().tell(caughtUp(101));
  assert.deepEqual([items.all, item.state], [[item], 'uploading']);
  await wait(/** @type {any} */ (item.upload).done);
  await until(() => !browser.gateway.stored.has(ID));
  assert.deepEqual([...browser.gateway.stored.keys()], [item.id]);
  assert.deepEqual([items.all, item.state, vanished], [[item], 'ready', []]);
});

test('an item removed by another participant disappears, even during a drag', () => {
  const { itemStore, browser, items, last, selecting, selection } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  /** @type {string[]} */
  const vanished = [];
  itemStore.addEventListener('itemremoved', (event) => vanished.push(/** @type {CustomEvent} */ (event).detail.id));
  const selectTool = selecting(1);
  selectTool.begin({ x: 100, y: 50, pressure: null });
  selectTool.move([{ x: 120, y: 50, pressure: null }]);
  assert.equal(selection.soleItem?.place.x, 120);
  browser.gateway.remove(ID);
  assert.deepEqual([items.size, selection.size, vanished], [0, 0, [ID]]);
  selectTool.move([{ x: 140, y: 50, pressure: null }]);
  selectTool.end();
  assert.deepEqual(last().said, []);
});

test('an own removal takes effect at once, and removes the item’s placement', async () => {
  const { itemStore, browser, items, last, wait } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const item = /** @type {any} */ (items.find(ID));
  itemStore.placements.move(item, { ...item.place, x: 200 });
  const removed = itemStore.remove(item);
  assert.equal(items.size, 0);
  await wait(removed);
  assert.deepEqual([browser.gateway.stored.size, items.size], [0, 0]);
  assert.deepEqual(last().said.map(({ flags, keyByte }) => [flags, keyByte]), [[REPLACE, 0xaa], [REMOVE, 0xaa]]);
});

test('a refused removal restores the item and shows the reason', async () => {
  const { itemStore, browser, items, wait } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  browser.gateway.faults.push({ answer: { status: 403, text: '{"code":"origin-refused","detail":"Not from here."}' } });
  /** @type {string[]} */
  const errors = [];
  itemStore.addEventListener('error', (event) => errors.push(/** @type {CustomEvent} */ (event).detail.error.message));
  await wait(itemStore.remove(/** @type {any} */ (items.find(ID))));
  assert.deepEqual([items.size, errors], [1, ['Not from here.']]);
});

test('cancelling an item cancels its upload', async () => {
  const { itemStore, browser, items, wait } = inSession();
  browser.gateway.faults.push({ hangs: true, cutAfter: 3 });
  const item = add(itemStore);
  await quiet();
  await wait(itemStore.remove(item));
  assert.equal(item.upload?.state, 'cancelled');
  assert.equal(items.size, 0);
});

test('a refused upload stays with the reason, and can be retried', async () => {
  const { itemStore, browser, items, wait } = inSession();
  browser.gateway.faults.push({
    answer: { status: 400, text: '{"code":"bad-request","detail":"Not so."}' },
  });
  const item = add(itemStore);
  await wait(/** @type {any} */ (item.upload).done.catch(() => {}));
  assert.deepEqual([item.upload?.state, item.upload?.error?.message, items.size], ['failed', 'Not so.', 1]);
  itemStore.retryUpload(item);
  const [again] = items.all;
  await wait(/** @type {any} */ (again.upload).done);
  assert.deepEqual([again.state, again.name, again.place.x, items.size], ['ready', 'photo.png', 100, 1]);
});

test('after leaving, items are kept and can be shared in another session', async () => {
  const { itemStore, browser, items, session, share } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  browser.gateway.put(keyOf(0xbb), { state: 'uploading', metadata: METADATA });
  const own = add(itemStore);
  browser.gateway.faults.push({ hangs: true, cutAfter: 3 });
  await quiet();
  session.leave();
  itemStore.detach();
  assert.deepEqual(items.all.map(({ id, state }) => [id, state]), [[ID, 'local'], [own.id, 'local']]);
  const opened = share();
  await quiet();
  // The other session does not have the attachments.
  browser.gateway.stored.clear();
  welcome(opened.last(), { limits: LIMITS });
  await opened.wait(Promise.all(items.all.map((item) => /** @type {any} */ (item.upload).done)));
  assert.deepEqual(items.all.map(({ state }) => state), ['ready', 'ready']);
});

test('after leaving during an incomplete snapshot, items stay where they are moved', () => {
  const { itemStore, browser, items, session, last } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  const [item] = items.all;
  last().entries(moved({ x: 200, sequence: 500 }));
  last().tell(catchUp('snapshot', 600));
  session.leave();
  itemStore.detach();
  itemStore.placements.move(item, { ...item.place, x: 300 });
  itemStore.placements.pictureChanged(item);
  assert.equal(item.place.x, 300);
});

test('a new page is empty', () => {
  const { itemStore, browser, items } = inSession();
  browser.gateway.put(ID, { metadata: METADATA });
  itemStore.detach();
  itemStore.clear();
  assert.equal(items.size, 0);
});

test('a held key is one undo step; a tap selects and moves nothing', () => {
  const { itemStore, drawing, selecting, selection } = page();
  const item = add(itemStore);
  const selectTool = selecting(2);
  selectTool.begin({ x: 100, y: 50, pressure: null });
  selectTool.move([{ x: 101, y: 50, pressure: null }]);
  selectTool.end();
  assert.deepEqual([selection.sole, item.place], [item, { ...AT, z: 1 }]);
  for (let count = 0; count < 3; count += 1) selectTool.nudge(8, 0);
  selectTool.commitNudge();
  assert.equal(item.place.x, 112);
  selectTool.resize(2);
  selectTool.commitNudge();
  assert.deepEqual([item.place.width, item.place.height], [160, 80]);
  drawing.undo();
  drawing.undo();
  assert.deepEqual(item.place, { ...AT, z: 1 });
  selectTool.begin({ x: 500, y: 500, pressure: null });
  selectTool.end();
  selectTool.nudge(8, 0);
  selectTool.commitNudge();
  assert.deepEqual([selection.sole, item.place], [null, { ...AT, z: 1 }]);
});

test('a cancelled resize restores the item', () => {
  const { itemStore, selecting } = page();
  const item = add(itemStore);
  const selectTool = selecting(1);
  selectTool.select([item.id]);
  selectTool.begin({ x: 140, y: 70, pressure: null });
  selectTool.move([{ x: 180, y: 90, pressure: null }]);
  assert.equal(item.place.width, 120);
  selectTool.cancel();
  assert.deepEqual(item.place, { ...AT, z: 1 });
});

/** A page without a session, and a gateway. */
function page() {
  const browser = new FakeBrowser();
  const [items, strokes, history] = [new Items(), new Shapes(), new UndoHistory()];
  const drawing = new Drawing(strokes, undefined, history);
  const depth = {
    get next() {
      return drawing.nextZ;
    },
    seen: (/** @type {number} */ z) => strokes.raiseHighestZ(z),
  };
  let keys = 0;
  let now = 0;
  const itemStore = new ItemStore({ items, history, depth, key: () => keyOf(keys += 1), now: () => now });
  const frame = (/** @type {number} */ at) => itemStore.placements.frame(now = at);
  const transformSync = new TransformSync(strokes, () => false, () => now);
  const commands = new SelectionCommands({
    shapes: strokes,
    items,
    drawing,
    itemStore,
    history,
    transformSync,
  });
  const selection = new Selection(strokes, items);
  const plane = { shapes: strokes, items, index: new ShapeIndex() };
  const selecting = (/** @type {number} */ scale) => new SelectTool(plane, selection, commands, () => scale);
  const enter = (/** @type {boolean} */ bringsPicture) => {
    const opened = browser.open({ joins: false });
    itemStore.attach(opened.session, opened.journal, { bringsPicture });
    return opened;
  };
  const parts = { items, drawing, itemStore, commands, selection };
  return { browser, ...parts, selecting, frame, open: () => enter(false), share: () => enter(true) };
}

function inSession() {
  const made = page();
  const opened = made.open();
  welcome(opened.last(), { limits: LIMITS });
  return { ...made, ...opened };
}

/** @param {ItemStore} itemStore */
function add(itemStore) {
  const natural = { width: 800, height: 400 };
  return itemStore.add({ blob: fileOf(10), name: 'photo.png', contentType: 'image/png', natural }, AT);
}

/** @param {Drawing} drawing */
function draw(drawing) {
  drawing.beginStroke({ rgb: '#e5484d', color: 0, width: 6, tool: 'pen' }, [0, 0], null);
  drawing.endStroke();
}

/** @param {{ x: number, flags?: number, sequence?: number, sender?: number, clientSequence?: number }} entry */
function moved({ x, size = {}, flags = REPLACE, sequence = 0, sender = 2, clientSequence = 0 }) {
  const payload = { id: ID, ...METADATA, ...size, location: [x, 50] };
  const key = flags === UNRELIABLE ? undefined : ID;
  return gatewayEntry({ flags, sequence, sender, clientSequence, key, type: PLACEMENT_TYPE, payload });
}

function stored() {
  const bytes = Buffer.from('hello');
  const more = { name: 'a.png', contentType: 'image/png', metadata: METADATA, participant: null };
  const createdAt = '2026-01-01T00:00:00Z';
  return { id: ID, bytes, size: 5, state: /** @type {const} */ ('ready'), createdAt, ...more };
}
