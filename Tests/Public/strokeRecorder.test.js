import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { replayStrokes } from '../../Public/js/app/strokeReplay.js';
import { Camera } from '../../Public/js/model/camera.js';
import { PointerInput } from '../../Public/js/tools/pointerInput.js';
import { PUBLIC } from './release.js';

const SOURCE = readFileSync(join(PUBLIC, 'js/app/strokeRecorder.js'), 'utf8');
const MOUSE = { pointerType: 'mouse', pointerId: 1 };
const PEN = { pointerType: 'pen', pointerId: 2 };
const FINGER = { pointerType: 'touch', pointerId: 3 };
const SECOND_FINGER = { pointerType: 'touch', pointerId: 4 };

for (const pointer of [MOUSE, PEN, FINGER]) {
  test(`strokes of a ${pointer.pointerType} are painted, and replayed in their order`, () => {
    const { at, lines, replayed } = loadingPage();
    at('pointerdown', pointer, 1, 1, { pressure: 0.25 });
    at('pointermove', pointer, 2, 2, { pressure: 0.5 });
    at('pointerup', pointer, 2, 2);
    at('pointerdown', pointer, 7, 7, { pressure: 0.75 });
    at('pointerup', pointer, 7, 7);
    assert.deepEqual(lines().map(({ to }) => to), [[1, 1], [2, 2], [7, 7]]);
    const felt = (/** @type {number} */ pressure) => pointer === PEN ? pressure : null;
    assert.deepEqual(replayed().calls, [
      ['begin', 1, 1, felt(0.25)],
      ['move', 2, 2, felt(0.5)],
      ['end'],
      ['begin', 7, 7, felt(0.75)],
      ['end'],
    ]);
  });
}

test('all positions of a coalesced event are recorded', () => {
  const { at, lines, replayed } = loadingPage();
  at('pointerdown', PEN, 1, 1, { pressure: 0.5 });
  const coalesced = [2, 3].map((clientX) => ({ clientX, clientY: 1, pressure: 0.5 }));
  at('pointermove', PEN, 3, 1, { getCoalescedEvents: () => coalesced });
  assert.deepEqual(lines().map(({ from, to }) => [from, to]).slice(1), [[[1, 1], [2, 1]], [[2, 1], [3, 1]]]);
  assert.deepEqual(replayed().calls, [['begin', 1, 1, 0.5], ['move', 2, 1, 0.5], ['move', 3, 1, 0.5]]);
});

test('a second finger soon after the first one makes no stroke', () => {
  const { at, lines, replayed } = loadingPage();
  at('pointerdown', MOUSE, 50, 50);
  at('pointerup', MOUSE, 50, 50);
  at('pointerdown', FINGER, 1, 1, { timeStamp: 1000 });
  at('pointermove', FINGER, 2, 2, { timeStamp: 1100 });
  at('pointerdown', SECOND_FINGER, 90, 90, { timeStamp: 1349 });
  at('pointermove', FINGER, 3, 3);
  at('pointermove', SECOND_FINGER, 80, 80);
  at('pointerup', FINGER, 3, 3);
  at('pointerdown', FINGER, 5, 5, { timeStamp: 3000 });
  at('pointerup', FINGER, 5, 5);
  at('pointerup', SECOND_FINGER, 80, 80);
  assert.deepEqual(lines().map(({ to }) => to), [[50, 50]]);
  assert.deepEqual(replayed().calls, [['begin', 50, 50, null], ['end']]);
});

test('a second finger later ends the stroke; after both are lifted, the next finger draws', () => {
  const { at, replayed } = loadingPage();
  at('pointerdown', FINGER, 1, 1, { timeStamp: 1000 });
  at('pointerdown', SECOND_FINGER, 90, 90, { timeStamp: 1350 });
  at('pointermove', FINGER, 3, 3);
  at('pointerup', FINGER, 3, 3);
  at('pointerup', SECOND_FINGER, 80, 80);
  at('pointerdown', FINGER, 5, 5, { timeStamp: 3000 });
  const { calls, camera } = replayed();
  assert.deepEqual(calls, [['begin', 1, 1, null], ['end'], ['begin', 5, 5, null]]);
  assert.equal(camera.isHome, true);
});

test('a palm before the pen or beside it makes no stroke', () => {
  const { at, lines, replayed } = loadingPage();
  at('pointerdown', FINGER, 1, 1);
  at('pointerdown', PEN, 50, 50, { pressure: 0.5 });
  at('pointermove', FINGER, 2, 2);
  at('pointerdown', SECOND_FINGER, 3, 3);
  at('pointermove', PEN, 60, 60, { pressure: 0.5 });
  at('pointerup', PEN, 60, 60);
  assert.deepEqual(lines().map(({ to }) => to), [[50, 50], [60, 60]]);
  assert.deepEqual(replayed().calls, [['begin', 50, 50, 0.5], ['move', 60, 60, 0.5], ['end']]);
});

test('a stroke that the system cancels is removed', () => {
  const { at, lines, replayed } = loadingPage();
  at('pointerdown', FINGER, 1, 1);
  at('pointercancel', FINGER, 1, 1);
  assert.deepEqual([lines(), replayed().calls], [[], []]);
});

test('events of other buttons and other elements are not recorded, and reach the page', () => {
  const { at, replayed } = loadingPage();
  assert.equal(at('pointerdown', MOUSE, 1, 1, { button: 2 }).isStopped, false);
  assert.equal(at('pointerdown', MOUSE, 1, 1, { target: {} }).isStopped, false);
  assert.equal(at('pointermove', MOUSE, 1, 1).isStopped, false);
  assert.deepEqual(replayed().calls, []);
});

test('recorded events do not reach the page; otherwise it would draw them, too', () => {
  const { at } = loadingPage();
  assert.equal(at('pointerdown', MOUSE, 1, 1).isStopped, true);
  assert.equal(at('pointermove', MOUSE, 2, 2).isStopped, true);
});

test('a stroke whose pointer is down continues on the page', () => {
  const { at, replayed } = loadingPage();
  at('pointerdown', MOUSE, 1, 1);
  const { canvas, calls } = replayed();
  for (const [type, x] of /** @type {const} */ ([['pointermove', 2], ['pointerup', 2]])) {
    canvas.dispatchEvent(Object.assign(new Event(type), { ...MOUSE, button: 0, clientX: x, clientY: x }));
  }
  assert.deepEqual(calls, [['begin', 1, 1, null], ['move', 2, 2, null], ['end']]);
});

test('the painted lines stay until the frame that shows the strokes; after that, nothing is recorded', () => {
  const page = loadingPage();
  page.at('pointerdown', MOUSE, 1, 1);
  page.at('pointerup', MOUSE, 1, 1);
  const { frames, input, calls } = page.replayed();
  assert.equal(page.hasLines(), true);
  frames.forEach((frame) => frame());
  assert.equal(page.hasLines(), false);
  assert.equal(page.listeners.size, 0);
  replayStrokes(input, page.place, () => assert.fail('there is nothing to clear'));
  assert.equal(calls.length, 2);
});

test('the page works without the recorder', () => {
  const { replayed } = loadingPage('');
  assert.deepEqual(replayed().calls, []);
});

test('lines have the chosen color and width', () => {
  const storage = { 'drawtogether:color': '#123456', 'drawtogether:width': '14' };
  const { at, lines } = loadingPage(SOURCE, storage);
  at('pointerdown', MOUSE, 1, 1);
  assert.deepEqual(lines().map(({ color, width }) => [color, width]), [['#123456', 14]]);
});

test('lines have another color than the person’s own if it was chosen', () => {
  const storage = { 'drawtogether:color': '#123456', 'drawtogether:ink': '#e5484d' };
  const { at, lines } = loadingPage(SOURCE, storage);
  at('pointerdown', MOUSE, 1, 1);
  assert.equal(lines()[0].color, '#e5484d');
  assert.equal(storage['drawtogether:color'], '#123456');
});

test('on a first visit the color is stored for the page', () => {
  /** @type {Record<string, string>} */
  const storage = {};
  const { at, lines } = loadingPage(SOURCE, storage);
  at('pointerdown', MOUSE, 1, 1);
  assert.equal(storage['drawtogether:color'], lines()[0].color);
  assert.equal(lines()[0].width, 6);
});

test('strokes are recorded without storage, too', () => {
  const refuse = () => {
    throw new Error('It is switched off.');
  };
  const { at, replayed } = loadingPage(SOURCE, new Proxy({}, { get: refuse, set: refuse }));
  at('pointerdown', MOUSE, 1, 1);
  assert.deepEqual(replayed().calls, [['begin', 1, 1, null]]);
});

/**
 * A page before its modules are loaded, with a canvas at the corner of the window.
 * @param {string} [source] @param {object} [localStorage]
 */
function loadingPage(source = SOURCE, localStorage = {}) {
  class Element extends EventTarget {
    id = '';
  }
  const canvas = /** @type {any} */ (Object.assign(new Element(), { id: 'canvas' }));
  canvas.getBoundingClientRect = () => ({ left: 0, top: 0 });
  canvas.focus = canvas.setPointerCapture = canvas.toggleAttribute = () => {};
  let hasLines = false;
  canvas.after = () => (hasLines = true);
  const context = fakeContext(() => (hasLines = false));
  const document = { createElement: () => ({ getContext: () => context }) };
  /** @type {Map<string, (event: object) => void>} */
  const listeners = new Map();
  /** @type {any} */
  const place = {
    Element,
    document,
    localStorage,
    devicePixelRatio: 2,
    innerWidth: 100,
    innerHeight: 100,
    addEventListener: listeners.set.bind(listeners),
    removeEventListener: (/** @type {string} */ type) => listeners.delete(type),
  };
  runInNewContext(source, place);

  return {
    place,
    listeners,
    lines: () => context.lines,
    hasLines: () => hasLines,
    /** @param {string} type @param {object} pointer @param {number} x @param {number} y @param {object} [more] */
    at(type, pointer, x, y, more = {}) {
      const said = { isStopped: false };
      listeners.get(type)?.({
        type,
        target: canvas,
        button: 0,
        timeStamp: 0,
        pressure: 0,
        ...pointer,
        clientX: x,
        clientY: y,
        preventDefault: () => {},
        stopImmediatePropagation: () => (said.isStopped = true),
        ...more,
      });
      return said;
    },
    /** Loads the page: returns its input, and the calls of its tool. */
    replayed() {
      const camera = new Camera();
      /** @type {unknown[][]} */
      const calls = [];
      const tool = {
        begin: (/** @type {any} */ { x, y, pressure }) => calls.push(['begin', x, y, pressure]),
        move: (/** @type {any[]} */ samples) =>
          calls.push(...samples.map(({ x, y, pressure }) => ['move', x, y, pressure])),
        end: () => calls.push(['end']),
        cancel: () => calls.push(['cancel']),
      };
      const { signal } = new AbortController();
      const input = new PointerInput(canvas, camera, {
        tool: () => tool,
        hovered: () => {},
        moved: () => {},
        signal,
        window: /** @type {any} */ (new EventTarget()),
      });
      /** @type {(() => void)[]} */
      const frames = [];
      replayStrokes(input, place, (frame) => frames.push(frame));
      return { canvas, camera, input, calls, frames };
    },
  };
}

/** Collects the lines that are on the canvas. @param {() => void} remove */
function fakeContext(remove) {
  /** @type {{ from: number[], to: number[], color: string, width: number }[]} */
  let lines = [];
  let from = [0, 0];
  let to = [0, 0];
  let color = '';
  return {
    canvas: { remove },
    lineWidth: 0,
    get lines() {
      return lines;
    },
    get strokeStyle() {
      return color;
    },
    // Like a canvas, ignores invalid colors.
    set strokeStyle(value) {
      if (/^#|^hsl/.test(value)) color = value;
    },
    scale: () => {},
    beginPath: () => {},
    clearRect: () => (lines = []),
    moveTo: (/** @type {number} */ x, /** @type {number} */ y) => (from = [x, y]),
    lineTo: (/** @type {number} */ x, /** @type {number} */ y) => (to = [x, y]),
    stroke() {
      lines.push({ from, to, color, width: this.lineWidth });
    },
  };
}
