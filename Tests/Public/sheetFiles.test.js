/** The sheets in boards and in stored pictures. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepOnBoard } from '../../Public/js/app/boardSheets.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { Database, SNAPSHOTS } from '../../Public/js/persist/database.js';
import { LocalBoards } from '../../Public/js/persist/localBoards.js';
import { SessionSnapshots } from '../../Public/js/persist/sessionSnapshots.js';
import { Sheets } from '../../Public/js/protocol/sheetSync.js';
import { newKey } from '../../Public/js/sync/key.js';
import { FakeDatabase } from './fakeDatabase.js';
import { quiet } from './support.js';

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
