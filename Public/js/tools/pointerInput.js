/** The input by pen, touch and mouse on the canvas: one pointer uses a tool, and two fingers or a wheel move the picture. */

import { Pinch } from './panTool.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {Event & { scale: number, clientX: number, clientY: number }} GestureEvent
 * @typedef {{ begin(sample: Sample): void, move(samples: Sample[]): void, end(): void, cancel(): void }} Tool
 * @typedef {{ clientX: number, clientY: number, pressure: number }} PointerSample as in `PointerEvent`
 *
 * The position of a pointer.
 * @typedef {object} Sample
 * @property {number} x of the plane
 * @property {number} y
 * @property {number | null} pressure 0…1; null if the device has none
 * @property {boolean} [shift] true while the Shift key is down
 * @property {boolean} [alt] true while the Alt key is down
 *
 * @typedef {object} RecordedStroke a stroke that was drawn before the page was loaded
 * @property {number} pointerId
 * @property {string} pointerType
 * @property {number} button
 * @property {number} timeStamp when it began
 * @property {PointerSample[]} samples
 * @property {boolean} isOver false while the pointer is down
 */

/** The time, after a first finger began to draw, within which a second finger cancels the stroke. */
const PINCH_MS = 350;
/** `deltaMode` of a wheel that counts lines (UI Events §3.4.2), and the height of such a line, in pixels. */
const DELTA_IN_LINES = 1;
const WHEEL_LINE = 24;
/** The button number of a pen's eraser end. */
const ERASER_END = 5;

export class PointerInput {
  #canvas;
  #camera;
  #tool;
  #penSeen;
  #hovered;
  #moved;
  #pinch;
  /** @type {{ id: number, tool: Tool, type: string, at: number } | null} */
  #working = null;
  /** @type {{ id: number, x: number, y: number } | null} */
  #dragging = null;
  #isSpaceDown = false;
  /** The scale of Safari's gesture so far. */
  #gestured = 1;

  /**
   * @param {HTMLCanvasElement} canvas @param {Camera} camera
   * @param {object} options
   * @param {(how: { isTurned: boolean, isFinger: boolean }) => Tool} options.tool returns the current tool; `isTurned`: the
   *   eraser end of the pen is down
   * @param {() => void} [options.penSeen] a pen was used
   * @param {(point: [number, number] | null, event: PointerEvent) => void} options.hovered receives the position of the
   *   pointer, in the plane; null: it left
   * @param {() => void} options.moved the camera moved
   * @param {AbortSignal} options.signal
   * @param {Window} [options.window] the target of keys and of gestures outside of the canvas
   */
  constructor(canvas, camera, { tool, penSeen = () => {}, hovered, moved, signal, window = globalThis.window }) {
    this.#canvas = canvas;
    this.#camera = camera;
    this.#tool = tool;
    this.#penSeen = penSeen;
    this.#hovered = hovered;
    this.#moved = moved;
    this.#pinch = new Pinch(camera);
    const options = { signal };
    canvas.addEventListener('pointerdown', (event) => this.#down(event), options);
    canvas.addEventListener('pointermove', (event) => this.#move(event), options);
    canvas.addEventListener('pointerup', (event) => this.#up(event, false), options);
    canvas.addEventListener('pointercancel', (event) => this.#up(event, true), options);
    canvas.addEventListener('lostpointercapture', (event) => this.#up(event, false), options);
    canvas.addEventListener('pointerleave', (event) => this.#hovered(null, event), options);
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), options);
    // Without this, iOS selects text and shows its magnifier under a resting finger.
    canvas.addEventListener('touchstart', (event) => event.preventDefault(), { signal, passive: false });
    // A resting finger on a tool must not open the browser's menu. In text fields, the menu is useful.
    window.addEventListener('contextmenu', (event) => {
      if (event.target instanceof Element && event.target.closest('.top, .tools, main')) event.preventDefault();
    }, options);
    // A pinch on a touchpad over a bar must not zoom the page itself, because the person could not undo this.
    window.addEventListener('wheel', (event) => event.ctrlKey && event.preventDefault(), {
      signal,
      passive: false,
    });
    // Safari reports pinches on a touchpad only by these events, and pinches of fingers in addition to pointer events.
    for (const type of ['gesturestart', 'gesturechange', 'gestureend']) {
      window.addEventListener(type, (event) => this.#gesture(/** @type {GestureEvent} */ (event)), options);
    }
    window.addEventListener('keydown', (event) => this.#space(event, true), options);
    window.addEventListener('keyup', (event) => this.#space(event, false), options);
    window.addEventListener('blur', () => this.#setSpace(false), options);
  }

  /** True from the `begin` of a tool to its `end`. */
  get isWorking() {
    return this.#working !== null;
  }

  /** Ends the current action, as if the pointer had been lifted. */
  finish() {
    this.#working?.tool.end();
    this.#working = null;
  }

  /** Replays a recorded stroke. @param {RecordedStroke} stroke */
  replay({ samples, isOver, ...pointer }) {
    const events = samples.map((sample) => eventOf({ ...pointer, ...sample, preventDefault: () => {} }));
    this.#down(events[0]);
    for (const event of events.slice(1)) this.#move(event);
    if (isOver) this.#up(events[events.length - 1], false);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.pointerType === 'touch' && this.#second(event)) return;
    if (event.pointerType === 'pen') this.#preferPen();
    if (this.#working || this.#pinch.isActive) return;
    if (event.pointerType === 'mouse' && (event.button === 1 || (event.button === 0 && this.#isSpaceDown))) {
      this.#dragging = { id: event.pointerId, x: event.clientX, y: event.clientY };
      this.#capture(event);
      event.preventDefault();
      return;
    }
    if (event.button !== 0 && event.button !== ERASER_END) return;
    event.preventDefault();
    this.#canvas.focus({ preventScroll: true });
    this.#capture(event);
    const tool = this.#tool({ isTurned: event.button === ERASER_END, isFinger: event.pointerType === 'touch' });
    this.#working = { id: event.pointerId, tool, type: event.pointerType, at: event.timeStamp };
    tool.begin(this.#sample(event));
    this.#tellHovered(event);
  }

  /** Cancels the actions of fingers: the hand often touches the screen before its pen does. */
  #preferPen() {
    this.#penSeen();
    this.#pinch.forget();
    if (this.#working?.type !== 'touch') return;
    this.#working.tool.cancel();
    this.#working = null;
  }

  /** @param {PointerEvent} event of a finger @returns {boolean} true if the finger must not start a tool */
  #second(event) {
    // The hand rests on the screen while the pen draws.
    if (this.#working?.type === 'pen') return true;
    this.#pinch.down(event);
    if (!this.#pinch.isActive) return false;
    if (this.#working) {
      if (event.timeStamp - this.#working.at < PINCH_MS) this.#working.tool.cancel();
      else this.#working.tool.end();
      this.#working = null;
    }
    this.#hovered(null, event);
    return true;
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (this.#pinch.move(event)) return this.#moved();
    if (this.#dragging?.id === event.pointerId) {
      this.#camera.pan(event.clientX - this.#dragging.x, event.clientY - this.#dragging.y);
      this.#dragging = { id: event.pointerId, x: event.clientX, y: event.clientY };
      this.#moved();
      return this.#hovered(null, event);
    }
    // Ignores other pointers during an action, such as the hand beside the pen.
    if (this.#working && this.#working.id !== event.pointerId) return;
    this.#tellHovered(event);
    if (!this.#working) return;
    // Coalesced events exist in secure contexts only, and may be an empty list for an event that script made.
    const events = event.getCoalescedEvents?.() ?? [];
    this.#working.tool.move((events.length > 0 ? events : [event]).map((one) => this.#sample(one)));
  }

  /** @param {PointerEvent} event @param {boolean} isCancelled */
  #up(event, isCancelled) {
    this.#pinch.up(event);
    if (this.#dragging?.id === event.pointerId) this.#dragging = null;
    if (this.#working?.id !== event.pointerId) return;
    const { tool } = this.#working;
    this.#working = null;
    if (isCancelled) tool.cancel();
    else tool.end();
    if (event.pointerType !== 'mouse') this.#hovered(null, event);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === DELTA_IN_LINES ? WHEEL_LINE : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    const box = this.#canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      this.#camera.zoom(
        Math.exp(-Math.max(-60, Math.min(60, dy)) / 120),
        event.clientX - box.left,
        event.clientY - box.top,
      );
    } else if (event.shiftKey && dx === 0) this.#camera.pan(-dy, 0);
    else this.#camera.pan(-dx, -dy);
    this.#moved();
  }

  /** @param {GestureEvent} event */
  #gesture(event) {
    event.preventDefault();
    const { scale, clientX, clientY } = event;
    if (event.type === 'gesturechange' && !this.#pinch.isActive) {
      this.#camera.zoom(scale / this.#gestured, clientX, clientY);
      this.#moved();
    }
    this.#gestured = scale;
  }

  /** @param {KeyboardEvent} event @param {boolean} isDown */
  #space(event, isDown) {
    if (event.code !== 'Space' || event.target !== this.#canvas && event.target !== this.#canvas.ownerDocument.body) {
      return;
    }
    event.preventDefault();
    this.#setSpace(isDown);
  }

  /** @param {boolean} isDown */
  #setSpace(isDown) {
    this.#isSpaceDown = isDown;
    this.#canvas.toggleAttribute('data-grab', isDown);
  }

  /** @param {PointerEvent} event */
  #tellHovered(event) {
    const { x, y } = this.#sample(event);
    this.#hovered([x, y], event);
  }

  /** @param {PointerEvent} event @returns {Sample} */
  #sample(event) {
    const box = this.#canvas.getBoundingClientRect();
    const [x, y] = this.#camera.toPlane(event.clientX - box.left, event.clientY - box.top);
    // A pen without a pressure sensor may report 0 while it touches.
    const pressure = event.pointerType === 'pen' && event.pressure > 0 ? event.pressure : null;
    return { x, y, pressure, shift: event.shiftKey, alt: event.altKey };
  }

  /** @param {PointerEvent} event */
  #capture(event) {
    try {
      this.#canvas.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is already lifted, or the event is synthetic.
    }
  }
}

/** @param {object} recorded the properties of an event that this file reads @returns {PointerEvent} */
function eventOf(recorded) {
  return /** @type {PointerEvent} */ (recorded);
}
