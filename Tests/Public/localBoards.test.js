/** Boards without a session, over the lifetimes of tabs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { LocalBoards } from '../../Public/js/persist/localBoards.js';
import { Database } from '../../Public/js/persist/database.js';
import { FakeDatabase } from './fakeDatabase.js';
import { quiet } from './support.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 3, tool: 'pen' };
const DAY = 86_400_000;

test('a local drawing is restored after a reload', async () => {
  const browser = new Browser();
  const tab = await browser.open();
  draw(tab, 1);
  draw(tab, 2);
  tab.drawing.undo();
  const [gone, item] = ['a.bin', 'b.bin'].map((name) =>
    tab.itemStore.add({ blob: new Blob([name]), name, contentType: '', natural: null }, {
      x: 5,
      y: 6,
      width: 280,
      height: 76,
    })
  );
  tab.itemStore.remove(gone);
  tab.itemStore.placements.move(item, { ...item.place, x: 77 });
  tab.pages.saveNow();
  await quiet();
  const later = await browser.reload(tab);
  assert.deepEqual(drawn(later), [1]);
  assert.deepEqual(later.items.all.map(({ id, name, place: { x } }) => [id, name, x]), [[item.id, 'b.bin', 77]]);
  assert.equal(await later.items.all[0].blob?.text(), 'b.bin');
});

test('strokes that are drawn while the stored board loads are kept', async () => {
  const browser = new Browser();
  const tab = await browser.open();
  draw(tab, 1);
  await quiet();
  browser.close(tab);
  const later = browser.tab(tab.storage);
  const opening = later.pages.open();
  draw(later, 2);
  await opening;
  await quiet();
  assert.deepEqual(drawn(await browser.reload(later)), [1, 2]);
});

test('each tab has its own board, a duplicated tab a copy, and a new tab the last board without a tab', async () => {
  const browser = new Browser();
  const [one, two] = [await browser.open(), await browser.open()];
  draw(one, 1);
  await quiet();
  browser.time += 1;
  draw(two, 2);
  await quiet();
  const copy = await browser.open(new Map(one.storage));
  assert.deepEqual(drawn(copy), [1]);
  assert.deepEqual([copy.pages.copiedFrom, one.pages.copiedFrom], [one.pages.id, null]);
  draw(copy, 3);
  draw(one, 4);
  await quiet();
  assert.deepEqual(drawn(await browser.reload(one)), [1, 4]);
  assert.deepEqual(drawn(await browser.reload(copy)), [1, 3]);
  assert.deepEqual(drawn(await browser.open()), []);
  browser.close(two);
  assert.deepEqual(drawn(await browser.open()), [2]);
});

test('a shared board is not restored', async () => {
  const browser = new Browser();
  const tab = await browser.open();
  draw(tab, 2);
  await quiet();
  const forget = tab.pages.close();
  assert.deepEqual([await browser.count('pages'), await browser.count('marks')], [1, 1]);
  draw(tab, 3);
  await quiet();
  await forget();
  assert.deepEqual([await browser.count('pages'), await browser.count('marks')], [0, 0]);
  // The page has left the session, so the picture is local again.
  tab.pages.begin();
  await quiet();
  assert.deepEqual(drawn(await browser.reload(tab)), [2, 3]);
});

test('a board that was set aside stays, and opens by its id only', async () => {
  const browser = new Browser();
  const tab = await browser.open();
  draw(tab, 1);
  const first = tab.pages.id;
  tab.pages.setAside();
  tab.drawing.clear();
  tab.pages.begin();
  draw(tab, 2);
  await quiet();
  assert.notEqual(tab.pages.id, first);
  // Another tab could have it now.
  assert.deepEqual([browser.claims.has(String(first)), browser.claims.has(String(tab.pages.id))], [false, true]);
  assert.deepEqual(drawn(await browser.open()), []);
  browser.close(tab);
  assert.deepEqual(drawn(await browser.open()), [2]);
  const again = await browser.open(new Map(), first);
  assert.deepEqual([drawn(again), again.pages.id], [[1], first]);
  draw(again, 3);
  await quiet();
  // It is a board like any other from now on.
  browser.close(again);
  assert.deepEqual(drawn(await browser.open()), [1, 3]);
});

test('a new tab opens one of the last eight boards, of the last month; the others stay', async () => {
  const browser = new Browser();
  for (let at = 1; at <= 10; at += 1) {
    browser.time += 1;
    const tab = browser.tab();
    tab.pages.begin();
    draw(tab, at);
    await quiet();
    browser.close(tab);
  }
  for (let at = 10; at > 2; at -= 1) assert.deepEqual(drawn(await browser.open()), [at]);
  assert.deepEqual(drawn(await browser.open()), []);
  browser.time += 31 * DAY;
  browser.claims.clear();
  assert.deepEqual(drawn(await browser.open()), []);
  assert.equal(await browser.count('pages'), 10);
});

test('a failed write is repeated together with the next one', async () => {
  const browser = new Browser({ fails: 'put' });
  const tab = await browser.open();
  let refusals = 0;
  tab.pages.addEventListener('refused', () => (refusals += 1));
  draw(tab, 1);
  await quiet();
  assert.equal(refusals, 1);
  browser.factory.fails = undefined;
  draw(tab, 2);
  await quiet();
  assert.deepEqual(drawn(await browser.reload(tab)), [1, 2]);
});

/** @typedef {ReturnType<Browser['tab']>} Tab */

class Browser {
  time = 0;
  /** @type {Map<string, object>} */
  claims = new Map();
  #ids = 0;

  /** @param {{ fails?: 'open' | 'put' }} [options] */
  constructor(options) {
    this.factory = new FakeDatabase(options);
    this.database = new Database(() => /** @type {any} */ (this.factory));
  }

  /** @param {Map<string, string>} [storage] the tab's own */
  tab(storage = new Map()) {
    const items = new Items();
    const shapes = new Shapes();
    const drawing = new Drawing(shapes);
    const itemStore = new ItemStore({ items, history: new UndoHistory(), depth: { next: 1, seen: () => {} } });
    const pages = new LocalBoards({
      drawing,
      itemStore,
      items,
      database: this.database,
      storage: {
        getItem: (name) => storage.get(name) ?? null,
        setItem: (name, value) => void storage.set(name, value),
        removeItem: (name) => void storage.delete(name),
      },
      newId: () => `page-${this.#ids += 1}`,
      take: async (claim) => {
        if (this.claims.has(claim)) return false;
        this.claims.set(claim, pages);
        return true;
      },
      release: (claim) => void this.claims.delete(claim),
      wallClock: () => this.time,
    });
    return { storage, items, drawing, itemStore, pages, shapes };
  }

  /** @param {Map<string, string>} [storage] the tab's own @param {string | null} [board] */
  async open(storage = new Map(), board = null) {
    const tab = this.tab(storage);
    await tab.pages.open(board);
    return tab;
  }

  /** @param {Tab} tab */
  close({ pages }) {
    for (const [claim, owner] of this.claims) if (owner === pages) this.claims.delete(claim);
  }

  /** @param {Tab} tab */
  async reload(tab) {
    this.close(tab);
    return await this.open(tab.storage);
  }

  /** @param {string} name of a store @returns {Promise<number>} */
  async count(name) {
    return (await this.database.read([name], (stores) => [stores[name].getAll()]))?.[0].length;
  }
}

/** @param {Tab} tab @param {number} x the start of the stroke */
function draw({ drawing }, x) {
  drawing.beginStroke(LOOK, [x, 0, x, 50], null);
  drawing.flush();
  drawing.endStroke();
}

/** @param {Tab} tab @returns {number[]} the start of each stroke */
function drawn({ shapes }) {
  return shapes.all.map((shape) => /** @type {import('../../Public/js/model/stroke.js').Stroke} */ (shape).points[0])
    .sort();
}
