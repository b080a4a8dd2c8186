/** The ways to show a place to the others. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Camera } from '../../Public/js/model/camera.js';
import { PingInput } from '../../Public/js/ui/pingInput.js';

const LONG_MS = 600;

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

test('a long press on empty paper shows the place, while the pointer is still down', () => {
  const { point, shown, camera, cancelled } = page('select');
  camera.zoom(2, 0, 0);
  point('pointerdown', 100, 60);
  mock.timers.tick(LONG_MS);
  assert.deepEqual(shown, [[45, 25]]);
  // The select tool does not select what is below.
  assert.equal(cancelled(), 1);
  point('pointerup', 100, 60);
  mock.timers.tick(LONG_MS);
  assert.equal(shown.length, 1);
});

test('a small movement is still a press', () => {
  const { point, shown } = page('hand');
  point('pointerdown', 100, 60);
  point('pointermove', 104, 63);
  mock.timers.tick(LONG_MS);
  assert.equal(shown.length, 1);
});

/** @type {[string, (page: ReturnType<typeof page>) => void][]} */
const NO_PRESSES = [
  ['a short press', ({ point }) => point('pointerup', 100, 60)],
  ['a drag', ({ point }) => point('pointermove', 130, 60)],
  ['a second finger', ({ point }) => point('pointerdown', 300, 60, { pointerId: 2 })],
  ['a wheel', ({ point }) => point('wheel', 100, 60)],
  ['a cancelled pointer', ({ point }) => point('pointercancel', 100, 60)],
];

for (const [rule, act] of NO_PRESSES) {
  test(`no place is shown by ${rule}`, () => {
    const opened = page('hand');
    opened.point('pointerdown', 100, 60);
    mock.timers.tick(200);
    act(opened);
    mock.timers.tick(LONG_MS);
    assert.deepEqual(opened.shown, []);
  });
}

test('no place is shown on ink, with a pen, with another button, or while the space key moves the page', () => {
  /** @type {[string, object, object][]} */
  const cases = [
    ['select', { cursor: 'move' }, {}],
    ['pen', {}, {}],
    ['laser', {}, {}],
    ['hand', {}, { button: 2 }],
    ['hand', { isSpaceDown: true }, {}],
  ];
  for (const [tool, options, event] of cases) {
    const { point, shown } = page(tool, options);
    point('pointerdown', 100, 60, event);
    mock.timers.tick(LONG_MS);
    assert.deepEqual(shown, [], tool);
  }
});

test('the key shows the pointer, or else the selection, or else the middle of the view', () => {
  const selected = { left: 100, top: 100, right: 200, bottom: 300 };
  /** @type {[object, [number, number] | null, number[]][]} */
  const cases = [
    [{ selected }, [17, 18], [7, 8]],
    [{ selected }, null, [150, 200]],
    [{}, null, [500, 350]],
  ];
  for (const [options, at, place] of cases) {
    const { input, point, shown, camera } = page('pen', options);
    if (at) point('pointermove', ...at);
    input.pingHere();
    assert.deepEqual(shown, [place]);
    if (!at) continue;
    // The mouse rests while a wheel moves the page.
    camera.pan(-100, 0);
    input.pingHere();
    assert.deepEqual(shown[1], [107, 8]);
  }
});

/**
 * A page with the parts of a document that are used.
 * @param {string} tool
 * @param {{ cursor?: string, isSpaceDown?: boolean, selected?: any }} [options]
 */
function page(tool, { cursor = '', isSpaceDown = false, selected = null } = {}) {
  const canvas = Object.assign(new EventTarget(), {
    hasAttribute: () => isSpaceDown,
    getBoundingClientRect: () => ({ left: 10, top: 10 }),
  });
  Object.assign(globalThis, { document: { getElementById: () => canvas } });
  const camera = new Camera();
  /** @type {[number, number][]} */
  const shown = [];
  let cancelled = 0;
  const input = new PingInput({
    camera,
    view: { width: 1000, height: 700 },
    toolbar: /** @type {any} */ (Object.assign(new EventTarget(), { tool })),
    selectTool: /** @type {any} */ ({ cursorAt: () => cursor, cancel: () => cancelled += 1 }),
    selected: () => selected,
    ping: (place) => shown.push(place),
  });
  const point = (/** @type {string} */ type, /** @type {number} */ clientX, /** @type {number} */ clientY, more = {}) =>
    canvas.dispatchEvent(Object.assign(new Event(type), { pointerId: 1, button: 0, clientX, clientY, ...more }));
  return { input, camera, shown, point, cancelled: () => cancelled };
}
