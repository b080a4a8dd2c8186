import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../../Public/js/model/camera.js';
import { PointerInput } from '../../Public/js/tools/pointerInput.js';

test('a pen takes over from an earlier palm touch', () => {
  const { canvas, camera, said, hovers } = fakeCanvas();
  point(canvas, 'pointerdown', { pointerType: 'touch', pointerId: 1 }, 1, 1);
  point(canvas, 'pointerdown', { pointerType: 'pen', pointerId: 2 }, 50, 50);
  hovers.length = 0;
  point(canvas, 'pointermove', { pointerType: 'touch', pointerId: 1 }, 2, 2);
  point(canvas, 'pointermove', { pointerType: 'pen', pointerId: 2 }, 51, 51);
  point(canvas, 'pointerup', { pointerType: 'touch', pointerId: 1 }, 2, 2);
  point(canvas, 'pointerup', { pointerType: 'pen', pointerId: 2 }, 51, 51);
  assert.deepEqual(said, ['begin 1 1', 'cancel', 'begin 50 50', 'move 51 51', 'end']);
  assert.deepEqual(hovers[0], [51, 51]);
  assert.equal(camera.isHome, true);
});

test('a pen draws while two fingers touch, which then do not pan', () => {
  const { canvas, camera, said } = fakeCanvas();
  for (const pointerId of [1, 2]) point(canvas, 'pointerdown', { pointerType: 'touch', pointerId }, 9 * pointerId, 1);
  said.length = 0;
  point(canvas, 'pointerdown', { pointerType: 'pen', pointerId: 3 }, 50, 50);
  point(canvas, 'pointermove', { pointerType: 'touch', pointerId: 1 }, 30, 30);
  point(canvas, 'pointerup', { pointerType: 'pen', pointerId: 3 }, 50, 50);
  assert.deepEqual(said, ['begin 50 50', 'end']);
  assert.equal(camera.isHome, true);
});

/** A canvas at the window's corner, and a tool that records its calls. */
function fakeCanvas() {
  globalThis.addEventListener ??= () => {};
  const canvas = /** @type {any} */ (new EventTarget());
  canvas.getBoundingClientRect = () => ({ left: 0, top: 0 });
  canvas.focus = canvas.setPointerCapture = canvas.toggleAttribute = () => {};
  const camera = new Camera();
  /** @type {string[]} */
  const said = [];
  /** @type {([number, number] | null)[]} */
  const hovers = [];
  const tool = {
    begin: (/** @type {any} */ { x, y }) => said.push(`begin ${x} ${y}`),
    move: (/** @type {any[]} */ samples) => said.push(...samples.map(({ x, y }) => `move ${x} ${y}`)),
    end: () => said.push('end'),
    cancel: () => said.push('cancel'),
  };
  const { signal } = new AbortController();
  const hovered = (/** @type {[number, number] | null} */ point) => hovers.push(point);
  new PointerInput(canvas, camera, { tool: () => tool, hovered, moved: () => {}, signal });
  return { canvas, camera, said, hovers };
}

/** @param {EventTarget} canvas @param {string} type @param {object} pointer @param {number} x @param {number} y */
function point(canvas, type, pointer, x, y) {
  canvas.dispatchEvent(Object.assign(new Event(type), { button: 0, pressure: 0, clientX: x, clientY: y, ...pointer }));
}
