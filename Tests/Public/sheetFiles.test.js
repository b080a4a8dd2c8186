/** The sheets in files, in boards and in stored pictures. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { keepOnBoard } from '../../Public/js/app/boardSheets.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { Database, SNAPSHOTS } from '../../Public/js/persist/database.js';
import { readDrawing, writeDrawing } from '../../Public/js/persist/drawingFile.js';
import { LocalBoards } from '../../Public/js/persist/localBoards.js';
import { SessionSnapshots } from '../../Public/js/persist/sessionSnapshots.js';
import { zipOf } from '../../Public/js/persist/zipFile.js';
import { DrawingImporter } from '../../Public/js/ui/drawingImporter.js';
import { Sheets } from '../../Public/js/protocol/sheetSync.js';
import { newKey } from '../../Public/js/sync/key.js';
import { FakeDatabase } from './fakeDatabase.js';
import { quiet } from './support.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 3, tool: 'pen' };
const PLANS = { name: 'Plans', order: 2, isRemoved: false };

test('a board keeps its sheets over a reload, and a copy of it, too', async () => {
  const device = new Device();
  const tab = await device.open();
  tab.sheets.set(2, PLANS);
  tab.sheets.set(3, { name: 'Gone', order: 3, isRemoved: false });
  tab.sheets.set(3, null);
  await quiet();
  device.close(tab);
  const later = await device.open(tab.storage);
  assert.deepEqual([later.sheets.shown(), later.sheets.find(2)], [[1, 2], PLANS]);
  const copy = await device.open(new Map(tab.storage));
  assert.deepEqual(copy.sheets.find(2), PLANS);
  copy.sheets.set(2, { ...PLANS, name: 'Copied' });
  await quiet();
  device.close(copy);
  assert.equal((await device.open(copy.storage)).sheets.find(2)?.name, 'Copied');
  device.close(later);
  assert.equal((await device.open(tab.storage)).sheets.find(2)?.name, 'Plans');
});

test('a new board begins without the sheets of the old one', async () => {
  const device = new Device();
  const tab = await device.open();
  tab.sheets.set(2, PLANS);
  await quiet();
  device.close(tab);
  const later = device.tab(tab.storage);
  await later.pages.open();
  // As when the first board is opened before the sheets are loaded.
  device.start(later);
  assert.deepEqual(later.sheets.find(2), PLANS);
  later.pages.setAside();
  later.drawing.clear();
  later.sheets.clear();
  later.pages.begin();
  later.sharing.dispatchEvent(new Event('opened'));
  assert.equal(later.sheets.isDivided, false);
});

test('after a session, the board has the sheets that the session had', async () => {
  const device = new Device();
  const tab = await device.open();
  tab.pages.close();
  tab.sharing.session = /** @type {any} */ ({});
  tab.sheets.restore([storedSheet(4, 'From the session')]);
  tab.pages.begin();
  tab.sharing.session = null;
  tab.sharing.dispatchEvent(new Event('session'));
  await quiet();
  device.close(tab);
  assert.equal((await device.open(tab.storage)).sheets.find(4)?.name, 'From the session');
});

test('the stored picture of a session has its sheets', async () => {
  const database = new Database(() => /** @type {any} */ (new FakeDatabase()), SNAPSHOTS);
  const [first, sheets] = [pictures(database), new Sheets()];
  first.snapshots.follow('S');
  first.sheets.restore([storedSheet(2, 'Plans')]);
  first.drawing.restore([]);
  first.confirm();
  first.snapshots.end([]);
  await quiet();
  const { drawing, snapshots } = pictures(database);
  const stored = await snapshots.read('S');
  drawing.restore(stored?.shapes ?? []);
  sheets.restore(drawing.stored);
  assert.equal(sheets.find(2)?.name, 'Plans');
});

test('a drawing file has the sheets with their names, in their order', async () => {
  const sheets = [{ number: 2, name: 'Plans' }, { number: 1, name: '' }];
  const { blob } = await writeDrawing({ drawables: [stroke(100_010), stroke(10)], sheets });
  const text = await blob.text();
  assert.deepEqual(JSON.parse(text).sheets, [{ sheet: 2, name: 'Plans' }, { sheet: 1 }]);
  const imported = await readDrawing(text, newKey);
  assert.deepEqual([imported.sheets, imported.shapes.length], [sheets, 2]);
});

test('a drawing file with invalid sheets is still read', async () => {
  const lists = [null, 7, 'x', {}, [null, 1, { sheet: 0 }, { sheet: 1.5 }, { sheet: 1e9 }, { sheet: '2' }]];
  for (const sheets of lists) {
    const imported = await readDrawing(JSON.stringify({ drawTogether: 1, marks: [], items: [], sheets }), newKey);
    assert.deepEqual(imported.sheets, []);
  }
  const hostile = [{ sheet: 2, name: ['A'] }, { sheet: 2, name: 'B' }, { sheet: 3, name: 'C‮' }];
  const text = JSON.stringify({ drawTogether: 1, marks: [], items: [], sheets: hostile });
  assert.deepEqual((await readDrawing(text, newKey)).sheets, [{ number: 2, name: '' }, { number: 3, name: 'C' }]);
});

test('the sheets of a file become new sheets, and the first one is added to the shown sheet', async () => {
  const sheets = [{ number: 5, name: 'Plans' }, { number: 9, name: 'Empty' }, { number: 1, name: '' }];
  const drawables = [shifted(stroke(10), -100_000, 100_000), stroke(10), stroke(30)];
  const { blob } = await writeDrawing({ drawables, sheets });
  const empty = new Importing({ isEmpty: true, current: 3 });
  await empty.open(blob);
  assert.deepEqual(empty.added, ['']);
  assert.equal(empty.named, 'Plans');
  assert.deepEqual(empty.places, ['100010 100000', '200010 0', '200030 0']);
  const filled = new Importing({ isEmpty: false, current: 1 });
  await filled.open(blob);
  // The first sheet is at the center of the view.
  assert.deepEqual([filled.named, filled.places.slice(1)], ['', ['200010 0', '200030 0']]);
  assert.deepEqual(filled.places[0].split(' ').map((at) => Math.abs(Number(at) - 500) < 100), [true, true]);
  // Without room for other sheets, everything is on the shown one.
  const full = new Importing({ isEmpty: true, current: 1, hasRoom: false });
  await full.open(blob);
  assert.deepEqual(full.places, ['10 0', '10 0', '30 0']);
});

test('a drawing of one sheet is added to the shown sheet, wherever it was', async () => {
  const { blob } = await writeDrawing({ drawables: [stroke(100_010)] });
  const page = new Importing({ isEmpty: true, current: 1 });
  await page.open(blob);
  assert.deepEqual([page.places, page.added], [['10 0'], []]);
});

test('a pasted drawing is placed at the pointer, on an empty sheet, too', async () => {
  const { blob } = await writeDrawing({ drawables: [stroke(10)] });
  for (const isEmpty of [true, false]) {
    const page = new Importing({ isEmpty, current: 2 });
    await page.open(blob, { x: 700, y: 300 }, { isPasted: true });
    assert.deepEqual([page.places, page.chosen], [['697.5 297.5'], ['1']]);
    await page.open(blob, null, { isPasted: true });
    assert.deepEqual(page.places, ['497.5 497.5']);
  }
});

test('a dropped drawing is placed where it was dropped, although the page moved until it was read', async () => {
  const { blob } = await writeDrawing({ drawables: [stroke(10)] });
  const page = new Importing({ isEmpty: false, current: 1 });
  const opening = page.open(blob, { x: 700, y: 300 });
  page.cameraX = 100_000;
  await opening;
  assert.deepEqual(page.places, ['697.5 297.5']);
});

test('other programs read an archive of the sheets', async () => {
  const files = [{ name: '1 Sheet 1.png', blob: new Blob(['one']) }, {
    name: '2 Pläne 🎈.svg',
    blob: new Blob(['two'.repeat(99)]),
  }];
  const archive = await zipOf(files, new Date(2026, 1, 3, 4, 5, 6));
  assert.equal(archive.type, 'application/zip');
  const folder = mkdtempSync(join(tmpdir(), 'drawtogether-zip-'));
  after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.zip');
  writeFileSync(path, new Uint8Array(await archive.arrayBuffer()));
  const program = 'import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[1]) as a:\n' +
    ' assert a.testzip() is None\n print(json.dumps([[i.filename, a.read(i).decode(), i.date_time] for i in a.infolist()]))';
  const read = JSON.parse(execFileSync('python3', ['-c', program, path], { encoding: 'utf8' }));
  const date = [2026, 2, 3, 4, 5, 6];
  assert.deepEqual(read, [['1 Sheet 1.png', 'one', date], ['2 Pläne 🎈.svg', 'two'.repeat(99), date]]);
});

/** @param {Database} database */
function pictures(database) {
  const [drawing, items, sheets] = [new Drawing(new Shapes()), new Items(), new Sheets()];
  /** @type {(key: string | null) => void} */
  let confirmed = () => {};
  drawing.watchConfirmed = (changed) => (confirmed = changed);
  const snapshots = new SessionSnapshots({
    drawing,
    items,
    sheets,
    database,
    base: new URL('https://draw.example/'),
    newId: newKey,
    take: async () => true,
    env: { setTimeout: () => 0, clearTimeout: () => {} },
    idle: (run) => run(),
  });
  return { drawing, items, sheets, snapshots, confirm: () => confirmed(null) };
}

/** @param {number} number @param {string} name */
function storedSheet(number, name) {
  const sheets = new Sheets();
  sheets.set(number, { name, order: number, isRemoved: false });
  return sheets.stored[0];
}

/** @param {number} x */
function stroke(x) {
  const made = new Stroke({ ...LOOK, id: newKey(), z: 1 });
  made.append([x, 0, x + 5, 5], null);
  made.finish();
  return made;
}

/** @param {Stroke} one @param {number} x @param {number} y */
function shifted(one, x, y) {
  return one.moved({ factor: 1, x, y });
}

/** A page of 1000 × 1000 pixels into which a drawing is imported. Its next sheet is number 11, whose origin is (200,000, 0). */
class Importing {
  /** @type {string[]} */
  added = [];
  named = '';
  /** The starts of the inserted strokes. @type {string[]} */
  places = [];
  /** The ids of the selected strokes. @type {string[]} */
  chosen = [];
  /** The horizontal position of the camera. */
  cameraX = 0;

  /** @param {{ isEmpty: boolean, current: number, hasRoom?: boolean }} options */
  constructor({ isEmpty, current, hasRoom = true }) {
    const sheet = { isEmpty, all: /** @type {object[]} */ ([]) };
    this.importer = new DrawingImporter(
      /** @type {any} */ ({
        scene: { sheet },
        drawing: { nextZ: 1 },
        camera: { toPlane: (/** @type {number} */ x, /** @type {number} */ y) => [x + this.cameraX, y] },
        canvas: { width: 1000, height: 1000 },
        view: { showEverything: () => {} },
        insert: async (/** @type {any[]} */ shapes) => {
          this.places = shapes.map(({ points: [x, y] }) => `${x} ${y}`);
          sheet.all = shapes.map((_, at) => ({ id: String(at + 1) }));
          return shapes.map((_, at) => String(at + 1));
        },
        choose: (/** @type {string[]} */ ids) => (this.chosen = ids),
        limit: async () => 1e9,
        sheets: {
          current,
          addSheet: (/** @type {string} */ name) => {
            this.added.push(name);
            return hasRoom ? 11 : 0;
          },
          nameShown: (/** @type {string} */ name) => (this.named = name),
        },
      }),
    );
  }

  /** @param {Blob} blob @param {{ x: number, y: number } | null} [at] @param {{ isPasted?: boolean }} [options] */
  async open(blob, at = null, options) {
    Object.assign(globalThis, { document: { getElementById: () => ({}) } });
    await this.importer.open(new File([blob], 'a.drawtogether'), at, options);
  }
}

/** @typedef {ReturnType<Device['tab']>} Tab */

/** A browser with boards. */
class Device {
  #database = new Database(() => /** @type {any} */ (this.#factory));
  #factory = new FakeDatabase();
  /** @type {Map<string, object>} */
  #claims = new Map();

  /** @param {Map<string, string>} [storage] the tab's own */
  tab(storage = new Map()) {
    const [items, sheets] = [new Items(), new Sheets()];
    const drawing = new Drawing(new Shapes());
    const sharing = Object.assign(new EventTarget(), { session: null, over: null });
    const pages = new LocalBoards({
      drawing,
      itemStore: new ItemStore({ items, history: new UndoHistory(), depth: { next: 1, seen: () => {} } }),
      items,
      database: this.#database,
      storage: {
        getItem: (name) => storage.get(name) ?? null,
        setItem: (name, value) => void storage.set(name, value),
        removeItem: (name) => void storage.delete(name),
      },
      newId: newKey,
      take: async (claim) => {
        if (this.#claims.has(claim)) return false;
        this.#claims.set(claim, pages);
        return true;
      },
      release: (claim) => void this.#claims.delete(claim),
    });
    return { storage, drawing, sheets, pages, sharing };
  }

  /** @param {Tab} tab */
  start({ sheets, drawing, sharing }) {
    keepOnBoard(sheets, drawing, sharing);
  }

  /** @param {Map<string, string>} [storage] */
  async open(storage) {
    const tab = this.tab(storage);
    this.start(tab);
    await tab.pages.open();
    tab.sharing.dispatchEvent(new Event('opened'));
    await quiet();
    return tab;
  }

  /** @param {Tab} tab */
  close({ pages }) {
    for (const [claim, owner] of this.#claims) if (owner === pages) this.#claims.delete(claim);
  }
}
