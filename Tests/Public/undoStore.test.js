/** The undo history of a tab, over reloads and changes of the page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UndoStore } from '../../Public/js/app/undoStore.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { SelectionCommands } from '../../Public/js/edit/selectionCommands.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { Sheets } from '../../Public/js/protocol/sheetSync.js';
import { TransformSync } from '../../Public/js/protocol/transformSync.js';
import { newKey } from '../../Public/js/sync/key.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 6, tool: 'pen' };
const RIGHT = { factor: 1, x: 100, y: 0 };
const FILE = { blob: new Blob(['a']), name: 'a.bin', contentType: '', natural: null };
const PLACE = { x: 5, y: 6, width: 280, height: 76 };

test('drawn, erased, moved and restyled shapes are undone and redone after a reload', () => {
  const tab = new Tab();
  const one = tab.draw(1);
  const two = tab.draw(2);
  const states = [tab.look];
  const acts = [
    () => tab.move([one, two]),
    () => tab.commands.restyle(new Set([two]), () => ({ rgb: '#30a46c', color: 3 })),
    () => tab.erase(one),
    () => tab.commands.bringToFront(new Set([two])),
    () => tab.commands.remove(new Set([two])),
    () => tab.draw(3),
  ];
  for (const act of acts) {
    act();
    states.push(tab.look);
  }
  tab.reload();
  for (const expected of states.slice(0, -1).toReversed()) {
    tab.drawing.undo();
    assert.deepEqual(tab.look, expected);
  }
  tab.reload();
  for (const expected of states.slice(1)) {
    tab.drawing.redo();
    assert.deepEqual(tab.look, expected);
  }
  assert.deepEqual([tab.drawing.canRedo, tab.failed], [false, 0]);
});

test('a changed text gets its earlier words back, at its present place', () => {
  const tab = new Tab();
  const id = newKey();
  tab.write(id, 'First');
  tab.write(id, 'Second');
  tab.reload();
  tab.move([id]);
  tab.drawing.undo();
  tab.drawing.undo();
  assert.equal(tab.text(id), 'First');
  tab.drawing.redo();
  assert.equal(tab.text(id), 'Second');
  tab.reload();
  tab.drawing.undo();
  tab.drawing.undo();
  assert.equal(tab.shapes.size, 0);
});

test('changes that others made meanwhile are kept, and objects that they removed are reported', () => {
  const tab = new Tab();
  const [one, two, three] = [tab.draw(1), tab.draw(2), tab.draw(3)];
  tab.move([one, two]);
  tab.commands.restyle(new Set([three]), () => ({ rgb: '#30a46c', color: 3 }));
  tab.reload(() => {
    tab.erase(one);
    tab.commands.restyle(new Set([two]), () => ({ width: 14 }));
    tab.erase(three);
  });
  tab.drawing.undo();
  assert.equal(tab.failed, 1);
  tab.drawing.undo();
  assert.deepEqual(tab.look, { [two]: '2 #e5484d 14' });
  assert.equal(tab.failed, 1);
  tab.drawing.undo();
  assert.deepEqual([tab.failed, tab.shapes.size], [2, 1]);
});

test('a moved file moves back, and an added one is removed', () => {
  const tab = new Tab();
  const item = tab.itemStore.add(FILE, PLACE);
  tab.move([item.id]);
  assert.equal(tab.items.find(item.id)?.place.x, 105);
  tab.reload();
  tab.drawing.undo();
  assert.equal(tab.items.find(item.id)?.place.x, 5);
  tab.drawing.undo();
  assert.equal(tab.items.size, 0);
});

test('a removed file does not come back after a reload, and the steps before it can be undone', () => {
  const tab = new Tab();
  const one = tab.draw(1);
  tab.itemStore.remove(tab.itemStore.add(FILE, PLACE));
  tab.erase(one);
  tab.reload();
  tab.drawing.undo();
  assert.deepEqual(Object.keys(tab.look), [one]);
});

test('after a reload, an undo brings replaced shapes back and removes their replacements', () => {
  const tab = new Tab();
  const whole = tab.draw(1);
  const [removed, added] = [[/** @type {Stroke} */ (tab.shapes.find(whole))], [tab.part(2), tab.part(3)]];
  const { drawing } = tab;
  drawing.add(added);
  drawing.remove(removed);
  const step = (/** @type {any[]} */ from, /** @type {any[]} */ to) => (drawing.remove(from), drawing.add(to), true);
  const content = /** @type {any} */ ({ kind: 'replaced', removed, added });
  tab.history.push({ undo: () => step(added, removed), redo: () => step(removed, added), content });
  const starts = () => Object.values(tab.look).map((look) => look[0]);
  tab.reload();
  tab.drawing.undo();
  assert.deepEqual(starts(), ['1']);
  tab.reload();
  tab.drawing.redo();
  assert.deepEqual(starts(), ['2', '3']);
  tab.drawing.undo();
  tab.reload(() => tab.erase(whole));
  tab.drawing.redo();
  assert.deepEqual([starts(), tab.failed], [[], 1]);
});

test('a command without a stored form ends the history', () => {
  const tab = new Tab();
  tab.draw(1);
  tab.history.push({ undo: () => true, redo: () => true });
  tab.draw(2);
  tab.reload();
  assert.equal(tab.history.done.length, 1);
});

test('the latest hundred commands are stored, in 256 KB at most', () => {
  const tab = new Tab();
  for (let at = 0; at < 150; at += 1) tab.draw(at);
  tab.reload();
  assert.equal(tab.history.done.length, 100);
  const long = new Tab();
  const ids = Array.from({ length: 60 }, (_, at) => long.draw(at, 2000));
  for (const id of ids) long.erase(id);
  long.reload();
  assert.ok(long.stored.length <= 256 * 1024, `${long.stored.length}`);
  const { length } = long.history.done;
  assert.ok(length > 3 && length < 60, `${length}`);
  long.drawing.undo();
  assert.deepEqual(Object.keys(long.look), [ids[59]]);
});

test('strokes that are drawn before the history returns are undone first', () => {
  const tab = new Tab();
  const one = tab.draw(1);
  tab.erase(one);
  tab.drawing.undo();
  assert.equal(tab.drawing.canRedo, true);
  tab.reload(() => {}, () => tab.draw(2));
  assert.equal(tab.drawing.canRedo, false);
  tab.drawing.undo();
  assert.deepEqual(Object.keys(tab.look), [one]);
  tab.drawing.undo();
  assert.deepEqual(Object.keys(tab.look), []);
});

test('each page of the tab has its own history', () => {
  const tab = new Tab();
  tab.draw(1);
  tab.show('board-2');
  assert.equal(tab.drawing.canUndo, false);
  tab.draw(2);
  tab.draw(3);
  tab.reload();
  assert.equal(tab.history.done.length, 2);
  tab.show('board-1');
  assert.equal(tab.history.done.length, 1);
});

test('a session’s history returns with its first catch-up, and is not lost if the page is closed before', () => {
  const tab = new Tab();
  tab.draw(1);
  tab.enters({ isCaughtUp: false });
  tab.reload();
  assert.equal(tab.drawing.canUndo, false);
  tab.reload();
  for (let catchUp = 0; catchUp < 2; catchUp += 1) {
    tab.drawing.dispatchEvent(new Event('caughtup'));
    assert.equal(tab.history.done.length, 1);
  }
});

test('in a session that was entered before, the history returns as soon as a picture is displayed', () => {
  const tab = new Tab();
  tab.draw(1);
  tab.enters({ isCaughtUp: true });
  tab.reload();
  assert.equal(tab.history.done.length, 1);
  // Without a connection, the last known picture is displayed.
  tab.enters({ isCaughtUp: false, lastSeen: 'whole' });
  tab.reload();
  assert.equal(tab.history.done.length, 1);
});

for (
  const stored of ['', '{', 'null', '[null]', '[{"page":"board-1","version":1}]', '[{"page":"board-1","version":2}]']
) {
  test(`damaged storage starts an empty history: ${stored}`, () => {
    const tab = new Tab();
    tab.reload(() => (tab.stored = stored));
    assert.equal(tab.drawing.canUndo, false);
  });
}

test('a page works where the storage is refused', () => {
  const tab = new Tab();
  tab.isRefused = true;
  tab.draw(1);
  tab.reload();
  assert.equal(tab.drawing.canUndo, false);
});

/** A tab: its storage, and the parts of its present page. */
class Tab {
  sheets = new Sheets();
  stored = '';
  isRefused = false;
  /** The number of steps that found nothing. */
  failed = 0;
  sharing = Object.assign(new EventTarget(), {
    pageId: 'board-1',
    session: /** @type {object | null} */ (null),
    lastSeen: '',
  });
  isCaughtUp = false;
  #parts = this.#load();
  store = this.#restore();

  get shapes() {
    return this.#parts.shapes;
  }

  get items() {
    return this.#parts.items;
  }

  get history() {
    return this.#parts.history;
  }

  get drawing() {
    return this.#parts.drawing;
  }

  get itemStore() {
    return this.#parts.itemStore;
  }

  get commands() {
    return this.#parts.commands;
  }

  /** The displayed shapes by id: the start, the color and the width of each. @returns {Record<string, string>} */
  get look() {
    return Object.fromEntries(this.shapes.all.map((/** @type {any} */ { id, points, rgb, width }) => {
      return [id, `${Math.round(points[0])} ${rgb} ${width}`];
    }));
  }

  /** @param {string} id */
  text(id) {
    return /** @type {any} */ (this.shapes.find(id)).text;
  }

  /** @param {number} x @param {number} [count] of points @returns {string} its id */
  draw(x, count = 2) {
    const points = Array.from({ length: count }, (_, at) => [x, at]).flat();
    this.drawing.beginStroke(LOOK, points, null);
    this.drawing.endStroke();
    return this.shapes.all.at(-1)?.id ?? '';
  }

  /** @param {number} x @returns {import('../../Public/js/model/stroke.js').Stroke} a part of a stroke, not on the page yet */
  part(x) {
    const part = new Stroke({ ...LOOK, id: newKey(), z: x });
    part.append([x, 0, x, 1], null);
    return part;
  }

  /** @param {string} id */
  erase(id) {
    const shape = this.shapes.find(id);
    if (!shape) return;
    this.drawing.erase(shape);
    this.drawing.endErasing([shape]);
  }

  /** @param {string} id @param {string} words */
  write(id, words) {
    this.drawing.writeText(id, words, { rgb: '#e5484d', color: 0, size: 26 }, [0, 0]);
    this.drawing.endStroke();
  }

  /** @param {string[]} ids */
  move(ids) {
    this.commands.drag(new Set(ids), RIGHT);
    this.commands.commitDrag();
  }

  /**
   * Closes the page and loads it again.
   * @param {() => void} [others] changes by others, before the picture is displayed
   * @param {() => void} [early] changes by this person, before the history returns
   */
  reload(others = () => {}, early = () => {}) {
    this.store.save();
    const { drawing, items } = this;
    const shapes = [...drawing.confirmedKeys].flatMap((key) => drawing.encodeConfirmed(key) ?? []);
    const stored = items.all.map(({ id, name, contentType, natural, place, blob }) => {
      return { id, name, contentType, natural, place, blob: /** @type {Blob} */ (blob) };
    });
    this.#parts = this.#load();
    this.drawing.restore(shapes);
    this.itemStore.restore(stored);
    others();
    this.history.clear();
    early();
    this.store = this.#restore();
  }

  /** Enters a session with the present picture. @param {{ isCaughtUp: boolean, lastSeen?: string }} state of the next page */
  enters({ isCaughtUp, lastSeen = '' }) {
    Object.assign(this.sharing, { session: {}, lastSeen });
    this.isCaughtUp = isCaughtUp;
  }

  /** Shows another page without a reload. @param {string} page */
  show(page) {
    this.sharing.dispatchEvent(new Event('leave'));
    this.sharing.pageId = page;
    this.drawing.clear();
    this.sharing.dispatchEvent(new Event('opened'));
  }

  #load() {
    const [shapes, items, history] = [new Shapes(), new Items(), new UndoHistory()];
    const drawing = new Drawing(shapes, newKey, history);
    const itemStore = new ItemStore({ items, history, depth: { next: 1, seen: () => {} } });
    const transformSync = new TransformSync(shapes, () => false);
    const commands = new SelectionCommands({ shapes, items, drawing, itemStore, history, transformSync });
    drawing.addEventListener('undofailed', () => (this.failed += 1));
    return { shapes, items, history, drawing, itemStore, commands };
  }

  #restore() {
    const { commands, ...parts } = this.#parts;
    const storage = {
      getItem: () => this.stored || null,
      setItem: (/** @type {string} */ _, /** @type {string} */ value) => {
        if (this.isRefused) throw new DOMException('Full.', 'QuotaExceededError');
        this.stored = value;
      },
    };
    return new UndoStore({
      ...parts,
      tasks: commands.tasks,
      sheets: this.sheets,
      storage,
      isCaughtUp: () => this.isCaughtUp,
      sharing: /** @type {any} */ (this.sharing),
    });
  }
}
