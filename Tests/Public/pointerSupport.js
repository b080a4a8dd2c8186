/** The page's own pointer input, with a fake canvas, a fake window, and a tool that records its calls. */

import { setMaxListeners } from 'node:events';
import { Camera } from '../../Public/js/model/camera.js';
import { PointerInput } from '../../Public/js/tools/pointerInput.js';

/** @typedef {ReturnType<typeof pointerInput>} Input */

/** @param {Camera} [camera] */
export function pointerInput(camera = new Camera()) {
  const window = new EventTarget();
  const { signal } = new AbortController();
  // Each listener of the input uses this signal.
  setMaxListeners(0, signal);
  const canvas = Object.assign(new EventTarget(), {
    getBoundingClientRect: () => ({ left: 0, top: 0 }),
    ownerDocument: { body: null },
    focus: () => {},
    setPointerCapture: () => {},
    toggleAttribute: () => {},
  });
  /** @type {string[]} */
  const calls = [];
  /** @type {import('../../Public/js/tools/pointerInput.js').Sample[]} */
  const samples = [];
  /** @type {([number, number] | null)[]} */
  const hovers = [];
  let moves = 0;
  const tool = {
    begin: (/** @type {any} */ sample) => {
      calls.push(`begin ${sample.x} ${sample.y}`);
      samples.push(sample);
    },
    move: (/** @type {any[]} */ all) => {
      calls.push(...all.map(({ x, y }) => `move ${x} ${y}`));
      samples.push(...all);
    },
    end: () => calls.push('end'),
    cancel: () => calls.push('cancel'),
  };
  const input = new PointerInput(/** @type {any} */ (canvas), camera, {
    tool: () => tool,
    hovered: (point) => hovers.push(point),
    moved: () => moves += 1,
    signal,
    window: /** @type {any} */ (window),
  });
  return {
    input,
    camera,
    canvas,
    window,
    calls,
    samples,
    hovers,
    get moves() {
      return moves;
    },
  };
}

/**
 * @param {EventTarget} target @param {string} type @param {object} properties
 * @returns {Event} after its dispatch
 */
export function dispatch(target, type, properties) {
  const event = new Event(type, { cancelable: true });
  // An assignment to `timeStamp` of an event has no effect.
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(event, name, { value });
  target.dispatchEvent(event);
  return event;
}

/**
 * @param {Input} input @param {'down' | 'move' | 'up' | 'cancel'} type @param {number} pointerId @param {number} x
 * @param {number} y @param {object} [more]
 */
export function finger({ canvas }, type, pointerId, x, y, more = {}) {
  dispatch(canvas, `pointer${type}`, { ...pointer('touch', pointerId, x, y), ...more });
}

/**
 * @param {Input} input @param {'down' | 'move' | 'up' | 'cancel'} type @param {number} x @param {number} y @param {object} [more]
 */
export function pen({ canvas }, type, x, y, more = {}) {
  dispatch(canvas, `pointer${type}`, { ...pointer('pen', 100, x, y), ...more });
}

/** @param {string} pointerType @param {number} pointerId @param {number} x @param {number} y */
function pointer(pointerType, pointerId, x, y) {
  return { pointerType, pointerId, button: 0, pressure: 0, clientX: x, clientY: y };
}
