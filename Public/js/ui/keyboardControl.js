/**
 * Makes the canvas usable by keys alone. Enter places a shape or a text in the middle of the view. Arrow keys show a cross, with
 * which each drawing tool can be used as with a pointer. Without such a tool, arrow keys move the selection or the page.
 */

import { follow, freeView } from '../model/viewPlace.js';
import { ErasedCount } from '../tools/erasedCount.js';
import { KeyboardPlacing } from '../tools/keyboardPlacing.js';
import { KeyboardPointer } from '../tools/keyboardPointer.js';
import { isApple } from '../i18n/platform.js';
import { strings } from '../i18n/i18n.js';
import { joinParts, laterStrings } from '../i18n/later.js';
import { CanvasHelp, useOf } from './canvasHelp.js';
import { CrossView } from './crossView.js';
import { announce } from './dialogs.js';
import { element } from './elements.js';
import { isBusy } from './keys.js';
import { placeName, toolName } from './objectNames.js';
import { isPageFromRight } from './pageDirection.js';
import { openPopover } from './popovers.js';
import { SelectionFollower } from './selectionFollower.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../tools/pointerInput.js').Tool} Tool
 *
 * @typedef {object} Parts
 * @property {Record<string, Tool> & { eraser: import('../tools/eraserTool.js').EraserTool }} tools by name
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('../tools/textTool.js').TextTool} textTool
 * @property {import('../tools/selectTool.js').SelectTool} selectTool
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {{ moved: (point: [number, number] | null) => void }} cursors
 * @property {() => boolean} isEnded returns true if the session has ended
 * @property {() => void} requestFrame
 */

/** The steps of the cross and of the page, in pixels: with Ctrl (Command on a Mac), without a modifier, and with Shift. */
const FINE_STEP = 1;
const STEP = 10;
const LONG_STEP = 50;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MODIFIER = /^(?:Shift|Control|Alt|Meta|CapsLock)$/;

export class KeyboardControl {
  #parts;
  #canvas = element('canvas');
  #pointer;
  #placing;
  #erased;
  #cross;
  #help;
  #follower;
  /** The lowest `z` that the cross may have given to a new shape since its last press. */
  #from = 0;
  /** True while the space key is down and has not moved the page. */
  #isSpaceDown = false;
  /** True if the last input was a key. */
  #isByKey = false;
  /** The tool at the last press of a key. */
  #toolBefore = '';
  /** The id of the text that a key began. */
  #text = '';

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { camera, shapes, toolbar, textTool } = parts;
    this.#pointer = new KeyboardPointer(() => camera.scale);
    this.#placing = new KeyboardPlacing({ ...parts, isFromRight: isPageFromRight() });
    this.#erased = new ErasedCount(shapes);
    this.#cross = new CrossView(this.#pointer, camera);
    this.#help = new CanvasHelp(toolbar);
    this.#follower = new SelectionFollower(parts);
    const canvas = this.#canvas;
    // This listener must run before the others: with a drawing tool, these keys have no other meaning.
    addEventListener('keydown', (event) => this.#down(event), { capture: true });
    addEventListener('keydown', (event) => this.#afterKey(event));
    addEventListener('keyup', (event) => this.#up(event));
    for (const type of ['pointerdown', 'pointermove']) {
      addEventListener(type, () => this.#isSpaceDown = this.#isByKey = false, { passive: true, capture: true });
    }
    canvas.addEventListener('pointerdown', () => this.finish(), { capture: true });
    canvas.addEventListener('blur', () => this.finish());
    addEventListener('pagehide', () => this.finish(), { capture: true });
    toolbar.addEventListener('tool', () => this.#isPointing ? this.finish() : this.#pointer.lift());
    textTool.addEventListener('change', () => this.#textChanged());
  }

  /** Ends what is being drawn, and hides the cross. */
  finish() {
    if (!this.#pointer.point) return;
    this.#pointer.hide();
    this.#parts.cursors.moved(null);
  }

  /** Updates the position of the cross. @returns {false} no other frame is needed */
  frame() {
    this.#cross.show(this.#parts.toolbar.tool);
    return false;
  }

  /** @param {KeyboardEvent} event */
  #down(event) {
    this.#isByKey = true;
    this.#toolBefore = this.#parts.toolbar.tool;
    if (!this.#isForCanvas(event)) return;
    this.#isSpaceDown = event.key === ' ' && !event.repeat && !this.#isPointing;
    if (this.#act(event)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (this.#pointer.isDown && !MODIFIER.test(event.key)) this.#pointer.lift();
  }

  /** @param {KeyboardEvent} event @returns {boolean} true if it had an effect */
  #act({ key, repeat, shiftKey, ctrlKey, metaKey }) {
    const { selection, isEnded } = this.#parts;
    const arrow = ARROWS[key];
    const isMod = isApple() ? metaKey : ctrlKey;
    const step = isMod ? FINE_STEP : shiftKey ? LONG_STEP : STEP;
    if (arrow && this.#isPointing) {
      if (selection.size > 0 || isMod) return false;
      this.#pan(arrow, step);
      return true;
    }
    if (isEnded() || this.#isPointing) return false;
    if (arrow) {
      this.#move(arrow, step);
      return true;
    }
    const isShown = this.#pointer.point !== null;
    // Without a cross, the space key may begin a movement of the page by the mouse.
    if (!isMod && (key === 'Enter' || (key === ' ' && isShown))) {
      this.#isSpaceDown = false;
      if (!repeat) this.#enter();
      return true;
    }
    if (key !== 'Escape' || !isShown) return false;
    this.#escape();
    return true;
  }

  /** @param {KeyboardEvent} event */
  #up(event) {
    const { key } = event;
    if (key === ' ' && this.#isSpaceDown) {
      this.#isSpaceDown = false;
      if (!this.#parts.isEnded()) this.#enter();
    }
    if (ARROWS[key] && this.#isPointing && this.#isForCanvas(event)) this.#follower.stopped();
  }

  /** Reacts to the effects of the other listeners. @param {KeyboardEvent} event */
  #afterKey(event) {
    if (!this.#isForCanvas(event)) return;
    if (this.#parts.toolbar.tool !== this.#toolBefore && /^[a-z]$/i.test(event.key)) this.#help.announceTool();
    if (ARROWS[event.key] && this.#isPointing) this.#follower.moved();
  }

  /** @param {KeyboardEvent} event @returns {boolean} true if the event is for the canvas, or for no other part of the page */
  #isForCanvas({ target, altKey, metaKey, ctrlKey }) {
    // The other modifiers belong to the system.
    if (altKey || (isApple() ? ctrlKey : metaKey)) return false;
    return (target === this.#canvas || target === document.body) && !isBusy(target) && !openPopover();
  }

  /** True if the chosen tool has no cross. */
  get #isPointing() {
    return useOf(this.#parts.toolbar.tool) === 'pointing';
  }

  #enter() {
    const { tools, toolbar: { tool }, requestFrame } = this.#parts;
    const { point, isDown } = this.#pointer;
    const use = useOf(tool);
    this.#canvas.focus({ preventScroll: true });
    if (use === 'text') this.#write(point ?? this.#placing.textPoint);
    else if (isDown) this.#lift();
    else if (point) this.#press();
    else if (use === 'path') this.#showCross();
    else this.#choose(this.#placing.place(tool, tools[tool]));
    requestFrame();
  }

  #escape() {
    const { isDown } = this.#pointer;
    if (isDown) this.#pointer.cancel();
    else this.finish();
    announce(isDown ? laterStrings.cancelled : laterStrings.crossGone);
    this.#parts.requestFrame();
  }

  #showCross() {
    const { camera, view, cursors } = this.#parts;
    const { left, top, right, bottom } = freeView(camera, view);
    this.#canvas.focus({ preventScroll: true });
    this.#pointer.show([(left + right) / 2, (top + bottom) / 2]);
    cursors.moved(this.#pointer.point);
    announce(laterStrings.crossShown(this.#placeOfCross));
  }

  /** @param {[number, number]} direction @param {number} step */
  #move([x, y], step) {
    const { camera, view, cursors, requestFrame } = this.#parts;
    if (!this.#pointer.point) this.#showCross();
    const before = this.#placeOfCross;
    this.#pointer.moveBy(x * step, y * step);
    follow(camera, view, this.#boundsOfCross);
    if (this.#placeOfCross !== before) announce(this.#placeOfCross);
    cursors.moved(this.#pointer.point);
    requestFrame();
  }

  get #boundsOfCross() {
    const [x, y] = this.#pointer.point ?? [0, 0];
    return { left: x, top: y, right: x, bottom: y };
  }

  get #placeOfCross() {
    const { camera, view } = this.#parts;
    return placeName(this.#boundsOfCross, freeView(camera, view));
  }

  /** @param {[number, number]} direction in which the view moves @param {number} step */
  #pan([x, y], step) {
    this.#parts.camera.pan(-x * step, -y * step);
    this.#parts.requestFrame();
  }

  #press() {
    const { tools, toolbar, drawing } = this.#parts;
    this.#from = drawing.nextZ;
    this.#erased.begin();
    this.#pointer.press(tools[toolbar.tool]);
    announce(laterStrings.begun);
  }

  #lift() {
    const { tools, toolbar: { tool } } = this.#parts;
    if (useOf(tool) !== 'path') return this.#choose(this.#placing.endDrawing(this.#pointer, this.#from));
    this.#pointer.lift();
    const count = this.#erased.end();
    if (tool !== 'eraser' || (count > 0 && tools.eraser.partial)) announce(laterStrings.ended);
    else announce(count > 0 ? strings.thingsRemoved(count) : laterStrings.nothingErased);
  }

  /** @param {[number, number]} point the middle of the left edge of a new text */
  #write([x, y]) {
    const { textTool } = this.#parts;
    textTool.editAt(x, y);
    this.#text = textTool.edited?.id ?? '';
  }

  #textChanged() {
    const { textTool, shapes } = this.#parts;
    const id = this.#text;
    if (id === '' || textTool.edited) return;
    this.#text = '';
    // The tool reports the end of the editing before it keeps the text, or removes an empty one.
    queueMicrotask(() => {
      const text = shapes.find(id);
      if (!text) return;
      this.#placing.remember(id);
      if (this.#isByKey) this.#choose([text]);
    });
  }

  /** Selects new shapes, so that keys move and resize them. @param {Shape[]} made */
  #choose(made) {
    const { toolbar, selectTool, textTool } = this.#parts;
    const last = made[made.length - 1];
    // Some tools continue with a text, which is selected when its editing ends.
    if (textTool.edited) {
      this.#text = textTool.edited.id;
      return;
    }
    if (!last) return announce(laterStrings.tooSmall);
    this.finish();
    toolbar.choose('select');
    selectTool.select(made.map(({ id }) => id));
    const what = toolName('tool' in last ? last.tool : last.note ? 'note' : 'text');
    announce(laterStrings.placed(joinParts([what, this.#follower.place])));
  }
}
