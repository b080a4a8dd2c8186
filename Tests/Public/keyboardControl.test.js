/** The keys on the canvas. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { Selection } from '../../Public/js/edit/selection.js';
import { Camera } from '../../Public/js/model/camera.js';
import { Items } from '../../Public/js/model/scene.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { EraserTool } from '../../Public/js/tools/eraserTool.js';
import { NoteTool } from '../../Public/js/tools/noteTool.js';
import { PenTool } from '../../Public/js/tools/penTool.js';
import { ShapeTool } from '../../Public/js/tools/shapeTool.js';
import { TextTool } from '../../Public/js/tools/textTool.js';
import { KeyboardControl } from '../../Public/js/ui/keyboardControl.js';
import { FakeDocument } from './fakeDocument.js';

const INK = { rgb: '#e5484d', color: 0, width: 6 };

test('Enter and the space key place a shape, which is selected and announced', () => {
  for (const key of ['Enter', ' ']) {
    const { page, shapes, selection, toolbar, said } = keyboard('rectangle');
    page.press(key);
    assert.equal(shapes.size, 1);
    assert.deepEqual([...selection.ids], [shapes.all[0].id]);
    assert.equal(toolbar.tool, 'select');
    assert.equal(said(), 'Placed and selected: Rectangle, middle');
    // With the selection tool, these keys belong to other listeners.
    assert.equal(page.press(key).defaultPrevented, false);
    assert.equal(page.press('ArrowLeft').defaultPrevented, false);
  }
});

test('the space key that moves the page places nothing', () => {
  const { page, shapes } = keyboard('rectangle');
  page.keyDown(' ');
  page.dispatch(page.body, 'pointermove');
  page.dispatch(page.body, 'keyup', { key: ' ' });
  page.keyDown(' ');
  page.keyDown(' ', { repeat: true });
  page.dispatch(page.body, 'keyup', { key: ' ' });
  assert.equal(shapes.size, 0);
  page.keyDown('Enter', { repeat: true });
  assert.equal(shapes.size, 0);
});

test('the pen draws between two presses, and its cross is shown to the others', () => {
  const { page, shapes, said, cross, pointers, toolbar } = keyboard('pen');
  assert.equal(cross().hidden, true);
  page.press('Enter');
  assert.deepEqual([cross().hidden, said(), shapes.size], [false, 'Cross: middle.', 0]);
  assert.deepEqual(pointers, [[500, 338]]);
  page.press(' ');
  for (const step of [{}, { shiftKey: true }, { ctrlKey: true }]) page.press('ArrowRight', step);
  page.press('Enter');
  const [{ points }] = /** @type {any[]} */ (shapes.all);
  assert.deepEqual([points.slice(0, 2), points.slice(-2)], [[500, 338], [561, 338]]);
  assert.deepEqual([said(), toolbar.tool], ['Ended.', 'pen']);
  page.press('Escape');
  assert.deepEqual([cross().hidden, said(), pointers.at(-1)], [true, 'Cross hidden.', null]);
});

test('Escape cancels a stroke; any other key ends it', () => {
  const { page, shapes, drawing } = keyboard('pen');
  for (const key of ['Enter', 'Enter', 'ArrowUp', 'Escape']) page.press(key);
  assert.deepEqual([shapes.size, drawing.canUndo], [0, false]);
  for (const key of ['Enter', 'ArrowUp', 'Shift']) page.press(key);
  assert.equal(drawing.canUndo, false);
  assert.equal(page.press('z', { ctrlKey: true }).defaultPrevented, false);
  assert.deepEqual([shapes.size, drawing.canUndo], [1, true]);
});

test('a press of the pointer, a lost focus or another tool ends a stroke', () => {
  for (const end of ['pointerdown', 'blur', 'tool']) {
    const { page, drawing, canvas, cross, toolbar } = keyboard('pen');
    for (const key of ['Enter', 'Enter', 'ArrowUp']) page.press(key);
    if (end === 'tool') toolbar.choose('select');
    else page.dispatch(canvas, end);
    assert.deepEqual([drawing.canUndo, cross().hidden], [true, true], end);
  }
});

test('a shape is drawn with the cross, unless it is too small', () => {
  const { page, shapes, said, selection } = keyboard('line');
  for (const key of ['ArrowLeft', 'Enter', 'Enter']) page.press(key);
  assert.deepEqual([shapes.size, said()], [0, 'Too small: nothing was drawn.']);
  for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'Enter']) page.press(key);
  assert.deepEqual(/** @type {any} */ (shapes.all[0]).points, [490, 338, 490, 358]);
  assert.equal(selection.size, 1);
});

test('the number of erased objects is announced', () => {
  const { page, shapes, said, toolbar } = keyboard('line');
  for (const key of ['Enter', 'Escape']) page.press(key);
  toolbar.choose('eraser');
  for (const key of ['Enter', 'ArrowUp', 'ArrowUp', 'Enter', 'ArrowUp', 'Enter']) page.press(key);
  assert.equal(said(), 'Nothing was removed.');
  page.press('Enter');
  page.press('ArrowDown', { shiftKey: true });
  page.press('Enter');
  assert.deepEqual([said(), shapes.size], ['1 object removed.', 0]);
});

test('a text is selected after it was written by keys, but not after a press elsewhere', async () => {
  for (const isByKey of [true, false]) {
    const { page, textTool, selection, toolbar, shapes } = keyboard('text');
    page.press('Enter');
    assert.equal(textTool.edited?.text, '');
    textTool.setText('Milk');
    if (isByKey) page.press('Escape');
    else page.dispatch(page.body, 'pointerdown');
    textTool.finish();
    await Promise.resolve();
    assert.equal(shapes.size, 1);
    assert.deepEqual([selection.size, toolbar.tool], isByKey ? [1, 'select'] : [0, 'text']);
  }
});

test('Enter places a note, which is selected after it was written on by keys', async () => {
  const { page, textTool, selection, said, shapes } = keyboard('note');
  assert.match(String(page.getElementById('canvas-help')?.textContent), /note/);
  page.press('Enter');
  textTool.setText('Milk');
  page.press('Escape');
  textTool.finish();
  await Promise.resolve();
  const [note] = shapes.all;
  assert.deepEqual([...selection.ids], [note.id]);
  assert.deepEqual('note' in note && note.note, { width: 160, height: 160 });
  assert.equal(said(), 'Placed and selected: Sticky note, middle');
});

test('without a cross or a selection, arrow keys move the page', () => {
  const { page, camera, toolbar, selection } = keyboard('hand');
  page.press('ArrowRight');
  page.press('ArrowDown', { shiftKey: true });
  assert.deepEqual([camera.x, camera.y], [10, 50]);
  toolbar.choose('rectangle');
  page.press('Enter');
  selection.choose([]);
  page.press('ArrowLeft');
  assert.deepEqual([camera.x, camera.y], [0, 50]);
});

test('in an ended session and outside of the canvas, nothing is placed', () => {
  const { page, shapes, state } = keyboard('rectangle');
  state.isEnded = true;
  for (const key of ['Enter', ' ', 'ArrowUp']) page.press(key);
  state.isEnded = false;
  const button = page.createElement('button');
  page.body.append(button);
  button.focus();
  for (const key of ['Enter', ' ', 'ArrowUp']) assert.equal(page.press(key).defaultPrevented, false);
  page.body.focus();
  for (const modifier of ['altKey', 'metaKey', 'ctrlKey']) page.press('Enter', { [modifier]: true });
  assert.equal(shapes.size, 0);
});

test('the description of the canvas is that of the tool; a letter that chooses a tool announces it', () => {
  const { page, canvas, toolbar, said } = keyboard('pen');
  assert.deepEqual([canvas.getAttribute('role'), canvas.getAttribute('aria-describedby')], [
    'application',
    'summary canvas-help',
  ]);
  const help = () => page.getElementById('canvas-help')?.textContent;
  assert.match(String(help()), /cross/);
  page.window.addEventListener('keydown', ({ key }) => key === 'o' && toolbar.choose('ellipse'), { capture: true });
  page.press('o');
  assert.equal(said(), `Ellipse. ${help()}`);
  toolbar.choose('pen');
  page.press('o');
  assert.equal(said(), 'Ellipse.');
});

/** A page with tools and a canvas that has the focus. @param {string} tool the chosen one */
function keyboard(tool) {
  const page = new FakeDocument('canvas', 'summary', 'cursors', 'live');
  const shapes = new Shapes();
  const index = new ShapeIndex();
  shapes.observe(index);
  let keys = 0;
  const newKey = () => `key${keys += 1}`;
  const drawing = new Drawing(shapes, newKey);
  const camera = new Camera();
  const selection = new Selection(shapes, new Items());
  const textTool = new TextTool(drawing, index, () => ({ ...INK, size: 26 }), () => camera.scale, newKey);
  const toolbar = Object.assign(new EventTarget(), {
    tool,
    choose: (/** @type {string} */ name) => {
      toolbar.tool = name;
      toolbar.dispatchEvent(new Event('tool'));
    },
  });
  const style = (/** @type {string} */ name) => () => ({ ...INK, tool: name });
  const shapeTool = (/** @type {string} */ name) => new ShapeTool(drawing, style(name), () => camera.scale, newKey);
  const tools = {
    pen: new PenTool(drawing, style('pen')),
    eraser: new EraserTool(drawing, index, () => camera.scale),
    rectangle: shapeTool('rectangle'),
    line: shapeTool('line'),
    note: new NoteTool({ drawing, textTool, style: () => ({ ...INK, size: 26, fill: '' }), scale: () => 1, newKey }),
  };
  const state = { isEnded: false };
  /** @type {([number, number] | null)[]} */
  const pointers = [];
  const control = new KeyboardControl({
    tools,
    toolbar: /** @type {any} */ (toolbar),
    textTool,
    selectTool: /** @type {any} */ ({ select: (/** @type {string[]} */ ids) => selection.choose(ids) }),
    selection,
    shapes,
    index,
    drawing,
    camera,
    view: { width: 1000, height: 700 },
    cursors: { moved: (point) => pointers.push(point) },
    isEnded: () => state.isEnded,
    requestFrame: () => {},
  });
  const canvas = /** @type {import('./fakeDocument.js').FakeElement} */ (page.getElementById('canvas'));
  canvas.focus();
  const cross = () => {
    control.frame();
    return page.body.children.filter(({ attributes }) => attributes.get('class') === 'cross')[0];
  };
  const said = () => page.getElementById('live')?.textContent;
  return { page, canvas, shapes, drawing, camera, selection, textTool, toolbar, state, pointers, cross, said };
}
