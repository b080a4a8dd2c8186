/** The list of objects: its rows, its focus, and its updates. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Items, Scene } from '../../Public/js/model/scene.js';
import { Selection } from '../../Public/js/edit/selection.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { ObjectsDialog } from '../../Public/js/ui/objectsDialog.js';
import { FakeDocument } from './fakeDocument.js';

/** The time after which the list shows a change. */
const UPDATED_MS = 2000;
const ANNOUNCED_MS = 11_000;

test('objects in view come first, the topmost first; the first row has the focus', async () => {
  const { dialog, rows, focused, draw, said } = list();
  draw('below', 10);
  draw('outside', 5000);
  draw('above', 10);
  dialog.open();
  assert.deepEqual(rows(), ['above', 'below', 'outside']);
  assert.deepEqual([focused(), said()], ['above', '3 entries']);
});

test('Enter selects: the list closes, and its object is shown', async () => {
  const { dialog, press, chosen, element, draw } = list();
  draw('first', 10);
  draw('second', 10);
  const closed = dialog.open();
  press('ArrowDown');
  press('Enter');
  // The object is selected at once, because the next key must act on it.
  assert.deepEqual([chosen, element().open], [['first'], false]);
  await closed;
  assert.deepEqual(chosen, ['first']);
});

test('the selected object has the focus, and screen readers hear that it is the selected one', () => {
  const { dialog, page, draw, selection, focused } = list();
  for (const id of ['a', 'b', 'c']) draw(id, 10);
  selection.choose(['a']);
  dialog.open();
  assert.deepEqual([focused(), page.activeElement?.getAttribute('aria-current')], ['a', 'true']);
});

test('arrow keys, Home and End go through the rows, and the tab key reaches one of them', () => {
  const { dialog, press, focused, draw, reached } = list();
  for (const id of ['a', 'b', 'c']) draw(id, 10);
  dialog.open();
  const way = ['ArrowDown', 'ArrowUp', 'ArrowUp', 'End', 'ArrowDown', 'Home'].map((key) => (press(key), focused()));
  assert.deepEqual(way, ['b', 'c', 'c', 'a', 'a', 'c']);
  assert.deepEqual(reached(), ['c']);
});

test('Delete removes an object, and the next row gets the focus', async () => {
  const { dialog, press, rows, focused, draw, said, removed } = list();
  for (const id of ['a', 'b', 'c']) draw(id, 10);
  dialog.open();
  press('ArrowDown');
  press('Delete');
  await settled();
  assert.deepEqual([removed, rows(), focused(), said()], [['b'], ['c', 'a'], 'a', '1 object removed.']);
  press('Delete');
  await settled();
  assert.deepEqual([rows(), focused()], [['c'], 'c']);
});

test('if the person cancels the removal, the object stays and has the focus', async () => {
  const { dialog, press, rows, focused, draw, state } = list();
  for (const id of ['a', 'b']) draw(id, 10);
  state.isKept = true;
  dialog.open();
  press('Delete');
  await settled();
  assert.deepEqual([rows(), focused()], [['b', 'a'], 'b']);
});

test('the list shows changes by others after a delay, and leaves the focused row unchanged', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { dialog, press, page, rows, focused, draw, said } = list();
  for (const id of ['a', 'b', 'c']) draw(id, 10);
  dialog.open();
  press('ArrowDown');
  const row = page.activeElement;
  let blurs = 0;
  row?.addEventListener('blur', () => blurs += 1);
  for (const id of ['d', 'e', 'f']) draw(id, 10);
  assert.deepEqual(rows(), ['c', 'b', 'a']);
  mock.timers.tick(UPDATED_MS);
  assert.deepEqual(rows(), ['f', 'e', 'd', 'c', 'b', 'a']);
  assert.deepEqual([focused(), page.activeElement === row, blurs], ['b', true, 0]);
  // The number is announced rarely.
  assert.equal(said(), '3 entries');
  mock.timers.tick(ANNOUNCED_MS);
  assert.equal(said(), '6 entries');
  mock.timers.reset();
});

test('if somebody removes the focused object, the row after it gets the focus', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { dialog, press, rows, focused, draw, shapes, said } = list();
  for (const id of ['a', 'b', 'c']) draw(id, 10);
  dialog.open();
  press('ArrowDown');
  shapes.remove('b');
  mock.timers.tick(UPDATED_MS);
  assert.deepEqual([rows(), focused(), said()], [['c', 'a'], 'a', 'This object was removed.']);
  shapes.remove('a');
  shapes.remove('c');
  mock.timers.tick(UPDATED_MS);
  assert.deepEqual([rows(), focused()], [[], 'List of objects']);
  mock.timers.reset();
});

test('a closed list does nothing', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { dialog, element, draw, reads } = list();
  draw('a', 10);
  const closed = dialog.open();
  draw('b', 10);
  element().close('');
  await closed;
  const before = reads();
  draw('c', 10);
  mock.timers.tick(ANNOUNCED_MS);
  assert.equal(reads(), before);
  mock.timers.reset();
});

test('a list that is opened again before its `close` event stays open', async () => {
  const { dialog, page, element, draw, press, rows, chosen } = list();
  draw('a', 10);
  const first = dialog.open();
  // As in browsers, where the event comes with the next frame.
  element().close = () => element().open = false;
  press('Enter');
  const second = dialog.open();
  await first;
  page.dispatch(element(), 'close');
  await settled();
  assert.deepEqual([chosen, rows(), element().open], [['a'], ['a'], true]);
  element().close('');
  page.dispatch(element(), 'close');
  await second;
  assert.deepEqual(rows(), []);
});

test('a long list is shown in parts, and only the shown objects are named', () => {
  const { dialog, rows, draw, page, focused, press, names } = list();
  for (let at = 0; at < 100; at += 1) draw(`id${at}`, 10);
  dialog.open();
  assert.equal(rows().length, 40);
  assert.ok(names() <= 2 * 40);
  const more = /** @type {import('./fakeDocument.js').FakeElement} */ (page.getElementById('more-objects'));
  assert.equal(more.textContent, 'Show more (60)');
  press('End');
  press('ArrowDown');
  assert.equal(page.activeElement, more);
  more.click();
  assert.deepEqual([rows().length, focused()], [80, 'id59']);
  more.click();
  assert.deepEqual([rows().length, more.hidden], [100, true]);
});

test('the search finds words of names', () => {
  const { dialog, rows, draw, search } = list();
  for (let at = 0; at < 20; at += 1) draw(`id${at} ${at % 2 ? 'Red' : 'blue'}`, 10);
  dialog.open();
  search('red ID1');
  assert.deepEqual(rows(), ['id19 Red', 'id17 Red', 'id15 Red', 'id13 Red', 'id11 Red', 'id1 Red']);
  search('green');
  assert.deepEqual(rows(), []);
});

test('in an ended session, nothing can be removed', async () => {
  const { dialog, press, rows, draw, state, removed } = list();
  draw('a', 10);
  state.isEnded = true;
  dialog.open();
  press('Delete');
  await settled();
  assert.deepEqual([rows(), removed], [['a'], []]);
});

test('a locked object is not removed', async () => {
  const { dialog, press, rows, draw, shapes, removed, said } = list();
  draw('a', 10);
  Object.assign(/** @type {Stroke} */ (shapes.find('a')), { isLocked: true });
  dialog.open();
  press('Delete');
  await settled();
  assert.deepEqual([rows(), removed, said()], [['a'], [], 'It is locked. Unlock it first.']);
});

/** A list of shapes whose names are their ids. */
function list() {
  const page = new FakeDocument('toasts', 'live');
  const shapes = new Shapes();
  const items = new Items();
  const selection = new Selection(shapes, items);
  const state = { isEnded: false, isKept: false };
  /** @type {string[]} */
  const chosen = [];
  /** @type {string[]} */
  const removed = [];
  let names = 0;
  let reads = 0;
  const dialog = new ObjectsDialog({
    scene: new Scene(shapes, items),
    selection,
    view: () => {
      reads += 1;
      return { left: 0, top: 0, right: 900, bottom: 600 };
    },
    nameOf: ({ members }) => {
      names += 1;
      return members[0].id;
    },
    choose: ({ members }) => chosen.push(members[0].id),
    remove: async ({ members }) => {
      if (state.isKept) return;
      removed.push(members[0].id);
      for (const { id } of members) shapes.remove(id);
    },
    isEnded: () => state.isEnded,
  });
  /** @param {string} id */
  const find = (id) => /** @type {import('./fakeDocument.js').FakeElement} */ (page.getElementById(id));
  const rows = () => find('objects-list').children.map((row) => row.children[0]);
  return {
    dialog,
    page,
    shapes,
    selection,
    state,
    chosen,
    removed,
    names: () => names,
    reads: () => reads,
    element: () => find('objects-dialog'),
    rows: () => rows().map((row) => row.textContent),
    /** The names of the rows that the tab key reaches. */
    reached: () => rows().filter(({ tabIndex }) => tabIndex === 0).map((row) => row.textContent),
    focused: () => page.activeElement?.textContent,
    said: () => {
      const [form] = find('objects-dialog').children;
      return form.children.find((one) => one.getAttribute('role') === 'status')?.textContent;
    },
    /** Presses a key; Enter presses the button that has the focus, as in a browser. @param {string} key */
    press: (key) => {
      page.press(key);
      if (key === 'Enter') page.activeElement?.click();
    },
    /** @param {string} words */
    search: (words) => {
      const [form] = find('objects-dialog').children;
      const field = form.children.find(({ tag }) => tag === 'input');
      if (!field) return;
      field.value = words;
      page.dispatch(field, 'input');
    },
    /** @param {string} id @param {number} x */
    draw: (id, x) => {
      const shape = new Stroke({ id, rgb: '#e5484d', color: 0, width: 6, tool: 'rectangle', z: shapes.highestZ + 1 });
      shape.append([x, 10, x + 10, 20], null);
      shape.finish();
      shapes.set(shape);
    },
  };
}

/** Waits for the reactions to a fulfilled promise. */
async function settled() {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}
