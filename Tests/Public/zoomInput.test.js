import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatch, finger, pointerInput } from './pointerSupport.js';

/** @typedef {import('./pointerSupport.js').Input} Input */

const IN_LINES = 1;

test('Ctrl-wheel away from the person zooms in, towards them zooms out, at the pointer', () => {
  for (const key of ['ctrlKey', 'metaKey']) {
    const input = pointerInput();
    const { camera } = input;
    const point = camera.toPlane(300, 200);
    wheel(input, { [key]: true, deltaY: -60, clientX: 300, clientY: 200 });
    const closer = camera.scale;
    assert.ok(closer > 1.5 && closer < 2, `${key}: ${closer}`);
    isAt(camera.toCanvas(...point), 300, 200);
    wheel(input, { [key]: true, deltaY: 60, clientX: 300, clientY: 200 });
    wheel(input, { [key]: true, deltaY: 60, clientX: 300, clientY: 200 });
    assert.ok(Math.abs(camera.scale - 1 / closer) < 1e-9, `${key}: ${camera.scale}`);
    isAt(camera.toCanvas(...point), 300, 200);
    assert.equal(input.moves, 3);
  }
});

test('fingers that spread on a trackpad zoom in, with many small steps as far as with a large one', () => {
  const input = pointerInput();
  const { camera } = input;
  for (let step = 0; step < 100; step += 1) wheel(input, { ctrlKey: true, deltaY: -0.5, clientX: 80, clientY: 90 });
  const stepped = camera.scale;
  assert.ok(stepped > 1.4, String(stepped));
  isAt(camera.toCanvas(80, 90), 80, 90);
  const once = pointerInput();
  wheel(once, { ctrlKey: true, deltaY: -50, clientX: 80, clientY: 90 });
  assert.ok(Math.abs(stepped - once.camera.scale) < 1e-9);
});

test('a notch of any wheel zooms by less than twice', () => {
  // A mouse in Chromium, a fast one, and three lines in Firefox.
  for (const turn of [{ deltaY: -120 }, { deltaY: -4000 }, { deltaY: -3, deltaMode: IN_LINES }]) {
    const input = pointerInput();
    wheel(input, { ctrlKey: true, ...turn });
    assert.ok(input.camera.scale > 1.2 && input.camera.scale < 2, JSON.stringify(turn));
  }
});

test('a wheel moves the page vertically and horizontally, and with Shift horizontally', () => {
  const input = pointerInput();
  const { camera } = input;
  wheel(input, { deltaY: 50 });
  assert.deepEqual([camera.x, camera.y, camera.scale], [0, 50, 1]);
  wheel(input, { deltaX: 30, deltaY: -50 });
  assert.deepEqual([camera.x, camera.y], [30, 0]);
  wheel(input, { deltaY: 20, shiftKey: true });
  assert.deepEqual([camera.x, camera.y], [50, 0]);
  wheel(input, { deltaY: 2, deltaMode: IN_LINES });
  assert.ok(camera.y > 20, `two lines: ${camera.y} pixels`);
});

test('no wheel scrolls or zooms the page itself, even over a bar', () => {
  const input = pointerInput();
  assert.equal(wheel(input, { deltaY: 9 }).defaultPrevented, true);
  assert.equal(dispatch(input.window, 'wheel', { ctrlKey: true, deltaY: 9 }).defaultPrevented, true);
  assert.equal(dispatch(input.window, 'wheel', { ctrlKey: false, deltaY: 9 }).defaultPrevented, false);
});

test('a gesture on a trackpad in Safari zooms at the pointer, by its change of scale', () => {
  const input = pointerInput();
  const { camera, window } = input;
  const at = { clientX: 100, clientY: 50 };
  for (let gesture = 0; gesture < 2; gesture += 1) {
    dispatch(window, 'gesturestart', { ...at, scale: 1 });
    dispatch(window, 'gesturechange', { ...at, scale: 1.25 });
    dispatch(window, 'gesturechange', { ...at, scale: 1.5 });
    assert.equal(dispatch(window, 'gestureend', { ...at, scale: 1.5 }).defaultPrevented, true);
  }
  assert.ok(Math.abs(camera.scale - 2.25) < 1e-9, String(camera.scale));
  isAt(camera.toCanvas(100, 50), 100, 50);
});

test('the points of the plane under two fingers stay under them', () => {
  const input = pointerInput();
  const { camera, window } = input;
  finger(input, 'down', 1, 100, 100);
  finger(input, 'down', 2, 200, 100);
  finger(input, 'move', 1, 80, 220);
  finger(input, 'move', 2, 280, 220);
  // Safari reports the same fingers a second time.
  dispatch(window, 'gesturechange', { clientX: 180, clientY: 220, scale: 2 });
  assert.ok(Math.abs(camera.scale - 2) < 1e-9, String(camera.scale));
  isAt(camera.toCanvas(100, 100), 80, 220);
  isAt(camera.toCanvas(200, 100), 280, 220);
});

/** @param {Input} input @param {object} properties @returns {Event} */
function wheel({ canvas }, properties) {
  const still = { deltaX: 0, deltaY: 0, deltaMode: 0, clientX: 0, clientY: 0 };
  return dispatch(canvas, 'wheel', { ...still, ...properties });
}

/** @param {[number, number]} point @param {number} x @param {number} y */
function isAt(point, x, y) {
  assert.ok(Math.hypot(point[0] - x, point[1] - y) < 1e-6, `${point} is not ${x},${y}`);
}
