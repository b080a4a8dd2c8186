/** The parts that are created after the page has entered a session: they take over the present state of the session. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showSheet } from '../../Public/js/app/shownSheet.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Camera } from '../../Public/js/model/camera.js';
import { Item } from '../../Public/js/model/item.js';
import { Items, Scene } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { originOf, SHEET_TYPE } from '../../Public/js/model/sheets.js';
import { EarlyMessages } from '../../Public/js/protocol/earlyMessages.js';
import { keyOf as keyOfSheet } from '../../Public/js/protocol/sheetSync.js';
import { Title, TITLE_KEY, TITLE_TYPE } from '../../Public/js/protocol/titleSync.js';
import { TransientMessages, TransientType } from '../../Public/js/protocol/transientMessages.js';
import { BitmapCache } from '../../Public/js/render/bitmaps.js';
import { PreviewCache } from '../../Public/js/render/previews.js';
import { newKey } from '../../Public/js/sync/key.js';
import { FollowController } from '../../Public/js/ui/followController.js';
import { showTitle } from '../../Public/js/ui/pageTitle.js';
import { FakeDocument } from './fakeDocument.js';
import { ADA, BEN, catchUp, caughtUp, fakeSession, gatewayEntry, joined, keyOf, quiet, welcome } from './support.js';

const SIZE = { width: 1000, height: 800 };
const REPLACE = 1 | 2 << 1;

test('a session of several sheets shows the first one only, before the tabs are loaded', async () => {
  const page = sheetPage();
  await page.enters();
  const { view } = page.shown;
  assert.deepEqual([view.list, view.current, page.scene.sheet.strokes, page.scene.strokes], [[1, 2, 3], 1, 1, 3]);
  assert.deepEqual([page.camera.x, page.camera.y], [0, 0]);
  page.camera.pan(-1e6, 0);
  assert.ok(page.camera.seen(SIZE.width, SIZE.height).right < 50_000);
});

test('the sheet of the address is shown, and reported to the others, before the tabs are loaded', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const page = sheetPage('#page=2');
  const [x, y] = originOf(2);
  assert.deepEqual([page.camera.x, page.camera.y], [x, y], 'strokes that are drawn until then belong to it');
  await page.enters();
  const { view, isGone, hash } = page.shown;
  assert.deepEqual([view.current, isGone, hash, page.address()], [2, false, '#page=2', page.start]);
  assert.equal(page.scene.sheet.strokes, 1);
  context.mock.timers.tick(1000);
  assert.deepEqual(page.seen, [2]);
});

test('the parts that are loaded later learn that the sheet of the address is gone', async () => {
  const page = sheetPage('#page=9');
  assert.equal(page.shown.isGone, false);
  await page.enters();
  assert.deepEqual([page.shown.isGone, page.shown.view.current, page.address()], [
    true,
    1,
    page.start.replace('#page=9', ''),
  ]);
});

test('the sheet of the address is shown, although strokes were drawn on a board until the session could be entered', async () => {
  const page = sheetPage('#page=2', 'board-1');
  await page.enters();
  assert.deepEqual([page.shown.isGone, page.shown.view.current, page.address()], [false, 2, page.start]);
});

test('a page that is left before its sheets are known does not wait for the sheet of its address', () => {
  const page = sheetPage('#page=2');
  page.leaves();
  assert.deepEqual([page.shown.isGone, page.shown.view.current, page.camera.x], [true, 1, 0]);
});

test('a title that was received before is shown, and a later one is announced', async (context) => {
  const document = new FakeDocument('page-title', 'title', 'live');
  const { session, last } = fakeSession();
  const title = new Title();
  title.attach(session, { bringsPicture: false });
  session.join();
  welcome(last());
  last().entries(titleEntry(1, 'Plans'));
  context.mock.timers.enable({ apis: ['setTimeout'] });
  showTitle(title, { session });
  assert.equal(document.getElementById('page-title')?.textContent, 'Plans');
  assert.equal(document.getElementById('live')?.textContent, '');
  last().entries(
    gatewayEntry({ flags: 0x81, sequence: 2, type: 'participants', payload: { joined: [BEN] } }),
    titleEntry(3, 'More plans'),
  );
  context.mock.timers.tick(1000);
  assert.match(document.getElementById('live')?.textContent ?? '', /Ben.*More plans/);
});

test('a person who followed this page before the parts were loaded gets its view', () => {
  const { session, clock, last } = fakeSession();
  const early = new EarlyMessages();
  early.follow(session);
  session.join();
  welcome(last());
  last().entries(gatewayEntry({ flags: 0x81, sequence: 1, type: 'participants', payload: { joined: [BEN] } }));
  last().entries(gatewayEntry({ flags: 0, sender: BEN.number, type: TransientType.follow, payload: {} }));
  const messages = new TransientMessages(clock.now);
  const follow = new FollowController({
    messages,
    camera: new Camera(),
    view: SIZE,
    glides: () => false,
    me: () => ADA.number,
    show: () => {},
    now: clock.now,
    requestFrame: () => {},
  });
  messages.follow(session);
  follow.sessionChanged(false);
  messages.receiveEarlier(early.take());
  assert.equal(follow.isFollower({ numbers: [BEN.number] }), true);
  follow.frame(clock.now());
  const said = last().said.at(-1);
  assert.deepEqual([said?.type, said?.targets], [TransientType.view, [BEN.number]]);
});

test('pictures and previews that are on the page already are decoded', async () => {
  const items = new Items();
  const item = new Item({
    id: keyOf(1),
    name: 'a.png',
    contentType: 'image/png',
    size: 1,
    place: { x: 0, y: 0, width: 100, height: 100, z: 1 },
  });
  item.preview = 'AAAA';
  items.add(item);
  const image = /** @type {any} */ ({ close: () => {} });
  new PreviewCache(items, () => {}, async () => image).update({ left: 0, top: 0, right: 100, bottom: 100 });
  await quiet();
  assert.equal(item.blur, image);
  item.blob = new Blob(['x']);
  const bitmaps = new BitmapCache(items, () => {}, {
    measure: async () => ({ width: 100, height: 100 }),
    decode: async () => image,
  });
  bitmaps.update({ left: 0, top: 0, right: 100, bottom: 100 }, 1);
  await quiet();
  assert.equal(item.bitmap?.image, image);
});

/** @param {number} sequence @param {string} title */
function titleEntry(sequence, title) {
  return gatewayEntry({
    flags: REPLACE,
    sequence,
    sender: BEN.number,
    key: TITLE_KEY,
    type: TITLE_TYPE,
    payload: { title },
  });
}

/**
 * A page with the parts that a session needs, and a session of three sheets with a stroke on each.
 * @param {string} [hash] @param {string | null} [pageId] the board with the strokes before the session
 */
function sheetPage(hash = '', pageId = null) {
  const pathname = `/s/${'A'.repeat(22)}`;
  const start = pathname + hash;
  let address = start;
  Object.assign(globalThis, {
    location: { pathname, search: '', hash },
    history: {
      state: null,
      replaceState: (/** @type {unknown[]} */ ...[, , path]) => (address = String(path)),
    },
    addEventListener: () => {},
  });
  const [shapes, items, camera] = [new Shapes(), new Items(), new Camera()];
  const scene = new Scene(shapes, items);
  const drawing = new Drawing(shapes, newKey, new UndoHistory());
  const { session, last } = fakeSession();
  const sharing = Object.assign(new EventTarget(), { session: null, over: null, pageId, sheets: null });
  /** @type {number[]} */
  const seen = [];
  const shown = showSheet(
    /** @type {any} */ ({
      sharing,
      scene,
      shapes,
      items,
      drawing,
      camera,
      canvas: SIZE,
      view: { isFirstView: false, showAtFirst: () => {} },
      presence: { see: (/** @type {number} */ sheet) => seen.push(sheet) },
      frames: { run: () => {}, request: () => {} },
      isWorking: () => false,
      finish: () => {},
    }),
  );
  /** Enters the session, and receives its snapshot. */
  const enters = async () => {
    Object.assign(sharing, { session, pageId: session.id });
    drawing.attach(session, { bringsPicture: false });
    shown.sheets.attach(session, { bringsPicture: false });
    sharing.dispatchEvent(new Event('session'));
    session.join();
    last().open();
    last().tell(joined({ sequence: 6 }));
    last().tell(catchUp('snapshot', 6));
    last().entries(...[1, 2, 3].flatMap((number) => sheetWithStroke(number)));
    last().tell(caughtUp(6));
    await quiet();
  };
  /** Shows a board, because the session cannot be entered. */
  const leaves = () => {
    sharing.pageId = 'board-1';
    sharing.dispatchEvent(new Event('session'));
  };
  return { shown, scene, camera, seen, enters, leaves, start, address: () => address };
}

/** @param {number} number of a sheet @returns {Uint8Array[]} its entry, and that of a stroke on it */
function sheetWithStroke(number) {
  const [x, y] = originOf(number);
  const points = [[x + 10, y + 10], [x + 20, y + 20]];
  return [
    gatewayEntry({
      flags: REPLACE,
      sequence: 2 * number - 1,
      sender: BEN.number,
      key: keyOfSheet(number),
      type: SHEET_TYPE,
      payload: { order: number },
    }),
    gatewayEntry({
      flags: REPLACE,
      sequence: 2 * number,
      sender: BEN.number,
      key: keyOf(number),
      type: 'UpsertStrokeMessage',
      payload: { id: keyOf(number), points },
    }),
  ];
}
