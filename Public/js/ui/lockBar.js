/** The bar that unlocks locked objects. It appears after a tap on a locked object with the select tool, or after a key. */

import { isOn } from '../model/hitTest.js';
import { isInside } from '../model/lineStyle.js';
import { isClosed } from '../model/strokeOutline.js';
import { drawnBefore, overlap } from '../model/stroke.js';
import { laterStrings } from '../i18n/later.js';
import { announce, toast } from './dialogs.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';
import { PRESS_MS } from './longPress.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 *
 * @typedef {object} Parts
 * @property {HTMLElement} canvas
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('../edit/objectCommands.js').ObjectCommands} commands
 * @property {() => boolean} isEnded
 */

/** The maximum movement of a pointer during a tap, in pixels. */
const SLOP = 4;
/** The maximum distance of a tap from a thin line, in pixels. */
const REACH = 9;
/** The margins of the bar to the edges of the page, where other bars are, in pixels. */
const SIDE = 8;
const TOP = 64;
const BOTTOM = 140;

export class LockBar {
  #parts;
  #words = make('span');
  #unlock = make('button', { type: 'button', class: 'quiet' }, laterStrings.unlock);
  #bar = make('div', { id: 'lock-bar', class: 'chosen-bar', role: 'group', 'aria-label': laterStrings.locked });
  /** The objects that the bar unlocks. @type {Set<string>} */
  #ids = new Set();
  /** @type {{ id: number, x: number, y: number, at: number, wasEmpty: boolean } | null} */
  #pressed = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { canvas, toolbar, selection, scene } = parts;
    this.#bar.hidden = true;
    this.#bar.append(icon('lock'), this.#words, this.#unlock);
    element('chosen-bar').after(this.#bar);
    this.#unlock.addEventListener('click', () => this.#unlockAll());
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      this.#hide();
    });
    // This listener must run before the select tool, which changes the selection.
    addEventListener('pointerdown', (event) => this.#down(event), { capture: true });
    canvas.addEventListener('pointerup', (event) => this.#up(event));
    toolbar.addEventListener('tool', () => this.#hide());
    selection.addEventListener('change', () => selection.size > 0 && this.#hide());
    // Another participant may have unlocked or removed them.
    const changed = (/** @type {Drawable} */ { id }) => this.#ids.has(id) && queueMicrotask(() => this.#check());
    scene.observe({ shown: changed, changed, hidden: changed });
  }

  /** Locks the selection; or, if nothing is selected, shows the bar for all locked objects in view. */
  toggle() {
    const { selection, camera, view, scene } = this.#parts;
    if (selection.size > 0) return this.lock();
    const seen = camera.seen(view.width, view.height);
    const ids = scene.all.filter((one) => one.isLocked && overlap(one.bounds, seen)).map(({ id }) => id);
    if (ids.length === 0) return announce(laterStrings.nothingLocked);
    this.#show(ids, view.width / 2, view.height / 3);
    this.#unlock.focus();
  }

  /** Offers to unlock objects. @param {readonly Drawable[]} objects at least one */
  offer(objects) {
    const [{ bounds: { left, top, right, bottom } }] = objects;
    const [x, y] = this.#parts.camera.toCanvas((left + right) / 2, (top + bottom) / 2);
    this.#show(objects.map(({ id }) => id), x, y);
    this.#unlock.focus();
  }

  /** Locks the selection. */
  lock() {
    const { selection, commands, canvas } = this.#parts;
    const { size } = selection;
    if (size === 0) return;
    commands.setLocked([...selection.ids], true);
    canvas.focus({ preventScroll: true });
    toast(laterStrings.isLocked(size));
  }

  #unlockAll() {
    const { commands, selection, toolbar, canvas } = this.#parts;
    const ids = this.#ids;
    this.#hide();
    commands.setLocked(ids, false);
    canvas.focus({ preventScroll: true });
    toolbar.choose('select');
    // The unlocked objects are selected, so that the person can move them at once.
    selection.choose(ids);
    announce(laterStrings.isUnlocked(ids.size));
  }

  /** @param {PointerEvent} event */
  #down({ target, isPrimary, pointerId, clientX, clientY, timeStamp }) {
    const { canvas, selection } = this.#parts;
    if (target !== canvas) return;
    const wasShown = !this.#bar.hidden;
    this.#hide();
    this.#pressed = isPrimary && !wasShown
      ? { id: pointerId, x: clientX, y: clientY, at: timeStamp, wasEmpty: selection.size === 0 }
      : null;
  }

  /** @param {PointerEvent} event */
  #up({ pointerId, clientX, clientY, timeStamp }) {
    const { toolbar, selection, camera, canvas, isEnded } = this.#parts;
    const pressed = this.#pressed;
    this.#pressed = null;
    if (!pressed?.wasEmpty || pressed.id !== pointerId || selection.size > 0) return;
    // A long press is no tap: it points at this position for the others.
    if (toolbar.tool !== 'select' || isEnded() || timeStamp - pressed.at >= PRESS_MS) return;
    if (Math.hypot(clientX - pressed.x, clientY - pressed.y) > SLOP) return;
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y] = camera.toPlane(clientX - left, clientY - top);
    const one = this.#lockedAt(x, y);
    if (one) this.#show([one.id], clientX - left, clientY - top);
  }

  /** @param {number} x @param {number} y @returns {Drawable | undefined} the topmost locked object at a point */
  #lockedAt(x, y) {
    const { scene, camera } = this.#parts;
    const reach = REACH / camera.scale;
    const hits = scene.all.filter((one) => one.isLocked && isAt(one, x, y, reach));
    return hits.sort(drawnBefore).at(-1);
  }

  /** @param {string[]} ids @param {number} x @param {number} y the position on the canvas */
  #show(ids, x, y) {
    const { view } = this.#parts;
    this.#ids = new Set(ids);
    this.#words.textContent = laterStrings.lockedThings(ids.length);
    this.#bar.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.#bar;
    const left = Math.max(SIDE, Math.min(view.width - width - SIDE, x - width / 2));
    const top = Math.max(TOP, Math.min(view.height - height - BOTTOM, y - height - SIDE));
    this.#bar.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    announce(this.#words.textContent);
  }

  #check() {
    const { scene } = this.#parts;
    const locked = new Set(scene.all.filter(({ isLocked }) => isLocked).map(({ id }) => id));
    if ([...this.#ids].some((id) => !locked.has(id))) this.#hide();
  }

  #hide() {
    if (this.#bar.hidden) return;
    const hadFocus = this.#bar.contains(document.activeElement);
    this.#bar.hidden = true;
    this.#ids = new Set();
    if (hadFocus) this.#parts.canvas.focus({ preventScroll: true });
  }
}

/** @param {Drawable} one @param {number} x @param {number} y @param {number} reach points */
function isAt(one, x, y, reach) {
  if (!('points' in one)) return isOn(one, x, y, reach);
  // A locked shape that encloses an area can be tapped anywhere in this area.
  return one.touches([x, y], [x, y], reach) || isClosed(one.tool) && isInside(one.points, [x, y]);
}
