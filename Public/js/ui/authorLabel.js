/** The label that shows who drew the object under the pointer, and when. */

import { topmostAt } from '../model/hitTest.js';
import { identity } from '../protocol/presence.js';
import { authorText } from './authorText.js';
import { announce } from './dialogs.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('./authorText.js').Author} Author
 * @typedef {import('../model/scene.js').Drawable} Drawable
 *
 * @typedef {object} Parts
 * @property {HTMLCanvasElement} canvas
 * @property {import('../model/camera.js').Camera} camera
 * @property {import('../model/hitTest.js').Plane} plane
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('../app/sharing.js').Sharing} sharing
 * @property {import('../app/frameScheduler.js').FrameScheduler} frames
 */

/** The time for which the pointer rests, or a finger is held, before the label appears. */
const REST_MS = 500;
/** The time for which the label stays after the finger is lifted. */
const READING_MS = 3000;
/** The distances, in pixels, by which a pointer or a finger may move and still counts as resting. */
const SLOP = 5;
const FINGER_SLOP = 10;
/** The maximum distance from an object, in pixels. */
const NEAR = 9;
/** The distances of the label from the pointer, from a finger and from a selected object, in pixels. */
const ABOVE = 14;
const ABOVE_FINGER = 44;
const BELOW = 10;
/** The widths of the edges that the label keeps clear of, in pixels: the sides of the page, the header and the tools. */
const SIDE = 8;
const TOP = 60;
const BOTTOM = 84;
/** Stands for the number of an unknown participant. */
const UNKNOWN = -1;

/**
 * Shows the label after the pointer has rested on an object for a moment, while a finger is held on it, or when it is selected by
 * a key. The label appears only with tools that do not draw.
 */
export class AuthorLabel {
  #parts;
  #layer = element('cursors');
  /** @type {ReturnType<typeof setTimeout> | undefined} until the label appears or disappears */
  #timer;
  /** The position at which the pointer rests, in pixels. @type {[number, number]} */
  #rest = [0, 0];
  /**
   * The label on the page. `above`: its distance from the pointer or finger that rests on the object, in pixels; null: none does.
   * @type {{ shown: HTMLElement, one: Drawable, version: number, cameraVersion: number, above: number | null } | null}
   */
  #current = null;
  /** True if the last input was a key. */
  #isByKey = false;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { canvas, selection, toolbar, frames } = parts;
    canvas.addEventListener('pointermove', (event) => this.#moved(event));
    canvas.addEventListener('pointerdown', (event) => this.#pressed(event));
    canvas.addEventListener('pointerup', (event) => this.#released(event));
    canvas.addEventListener('pointercancel', () => this.#hide());
    // A lifted finger causes this event, too, but then the label stays for a moment.
    canvas.addEventListener('pointerleave', ({ pointerType }) => pointerType !== 'touch' && this.#hide());
    const options = { capture: true, passive: true };
    addEventListener('wheel', () => this.#hide(), options);
    addEventListener('pointerdown', () => (this.#isByKey = false), options);
    // This listener must run before those that may select an object.
    addEventListener('keydown', () => (this.#hide(), this.#isByKey = true), options);
    toolbar.addEventListener('tool', () => this.#hide());
    selection.addEventListener('change', () => this.#selectionChanged());
    frames.run(() => this.#frame());
  }

  /**
   * Hides the label if the object or the camera has moved. If the pointer keeps resting, the label appears again when the object
   * has not changed for a moment.
   * @returns {false} no other frame is needed
   */
  #frame() {
    if (this.#current) {
      const { one, version, cameraVersion, above } = this.#current;
      const { camera, plane: { shapes, items } } = this.#parts;
      const isSame = ('place' in one ? items : shapes).find(one.id) === one && one.version === version;
      const isSameView = camera.version === cameraVersion;
      if (!isSame || !isSameView) this.#hide();
      if (!isSame && isSameView && above !== null) this.#showLater(above, this.#at(...this.#rest));
    }
    return false;
  }

  /** @param {PointerEvent} event */
  #moved({ pointerType, buttons, offsetX, offsetY }) {
    const slop = pointerType === 'touch' ? FINGER_SLOP : SLOP;
    if (Math.hypot(offsetX - this.#rest[0], offsetY - this.#rest[1]) < slop) return;
    this.#hide();
    this.#rest = [offsetX, offsetY];
    if (buttons === 0) this.#showLater(ABOVE);
  }

  /** @param {PointerEvent} event */
  #pressed({ pointerType, isPrimary, offsetX, offsetY }) {
    this.#hide();
    this.#rest = [offsetX, offsetY];
    if (pointerType === 'touch' && isPrimary) this.#showLater(ABOVE_FINGER);
  }

  /** @param {PointerEvent} event */
  #released({ pointerType }) {
    if (pointerType !== 'touch') return;
    clearTimeout(this.#timer);
    if (!this.#current) return;
    this.#current.above = null;
    this.#timer = setTimeout(() => this.#hide(), READING_MS);
  }

  #selectionChanged() {
    const { sole } = this.#parts.selection;
    if (!sole || !this.#isByKey) return;
    this.#hide();
    this.#timer = setTimeout(() => {
      if (this.#parts.selection.sole?.id !== sole.id) return;
      const { camera } = this.#parts;
      const { left, right, bottom } = sole.bounds;
      const [x, y] = camera.toCanvas((left + right) / 2, bottom);
      announce(this.#show(sole, x, y, -BELOW));
    }, REST_MS);
  }

  /**
   * Shows the label after the pointer has rested.
   * @param {number} above the distance from the pointer
   * @param {Drawable | null} [changed] an object that was changed; its label waits until its changes end
   */
  #showLater(above, changed = null) {
    if (!['select', 'hand'].includes(this.#parts.toolbar.tool)) return;
    const version = changed?.version;
    this.#timer = setTimeout(() => {
      const one = this.#at(...this.#rest);
      if (!one) return;
      const isChanging = changed !== null && (one !== changed || one.version !== version);
      if (isChanging || !one.isFinished) return this.#showLater(above, one);
      this.#show(one, ...this.#rest, above);
      if (this.#current) this.#current.above = above;
    }, REST_MS);
  }

  /** @param {number} x @param {number} y pixels @returns {Drawable | null} */
  #at(x, y) {
    const { camera, plane } = this.#parts;
    return topmostAt(plane, ...camera.toPlane(x, y), NEAR / camera.scale);
  }

  /**
   * @param {Drawable} one @param {number} x @param {number} y pixels
   * @param {number} above the distance of the label above this point; negative: below it
   * @returns {string} its text; '' if nothing is known about the object
   */
  #show(one, x, y, above) {
    this.#hide();
    const { text, color } = this.#describe(one);
    if (!one.isFinished || !text) return '';
    const shown = make('div', { class: 'author-label' });
    if (color) {
      shown.append(make('span', { class: 'dot' }));
      shown.style.setProperty('--own', color);
    }
    shown.append(make('span', {}, text));
    this.#layer.append(shown);
    this.#place(shown, x, y, above);
    this.#current = { shown, one, version: one.version, cameraVersion: this.#parts.camera.version, above: null };
    return text;
  }

  /** @param {HTMLElement} shown @param {number} x @param {number} y @param {number} above */
  #place(shown, x, y, above) {
    const { offsetWidth, offsetHeight } = shown;
    const left = Math.max(SIDE, Math.min(innerWidth - offsetWidth - SIDE, x - offsetWidth / 2));
    const wanted = above < 0 ? y - above : y - above - offsetHeight;
    // Without room above the pointer, the label is below it.
    const top = wanted < TOP ? y + Math.abs(above) : Math.min(wanted, innerHeight - BOTTOM - offsetHeight);
    shown.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
  }

  /** @param {Drawable} one @returns {{ text: string, color: string }} */
  #describe(one) {
    const { author, editor, madeAt } = 'place' in one ? originOfItem(one) : one;
    const [by, changed] = [this.#name(author), this.#name(editor)];
    const isChanged = author !== editor && !isSameAuthor(by, changed);
    const text = authorText({ author: by, editor: isChanged ? changed : null, madeAt });
    return { text, color: this.#participant(author)?.color ?? '' };
  }

  /** @param {number} number of a participant @returns {Author | null} null: the label does not name this participant */
  #name(number) {
    if (number === UNKNOWN || !this.#parts.sharing.session) return null;
    const me = this.#participant(0);
    const found = this.#participant(number);
    if (number === 0 || found && me && identity(found) === identity(me)) return 'you';
    return found ? { name: found.name } : 'former';
  }

  /** @param {number} number 0: this person */
  #participant(number) {
    const { session } = this.#parts.sharing;
    return (number === 0 ? session?.localParticipant : session?.participant(number)) ?? null;
  }

  #hide() {
    clearTimeout(this.#timer);
    this.#current?.shown.remove();
    this.#current = null;
  }
}

/** @param {Author | null} one @param {Author | null} other */
function isSameAuthor(one, other) {
  if (one === 'you' || other === 'you') return one === other;
  // A person who joins again has another number.
  return typeof one === 'object' && typeof other === 'object' && one?.name === other?.name;
}

/** @param {import('../model/item.js').Item} item @returns {import('../model/origin.js').Origin} */
function originOfItem({ attachment }) {
  const at = Date.parse(attachment?.createdAt ?? '');
  const author = attachment ? attachment.participant ?? UNKNOWN : 0;
  return { author, editor: author, madeAt: Number.isFinite(at) ? Math.floor(at / 1000) : 0 };
}
