/** Keeps a selection in view while keys move it, and announces its position. */

import { follow, freeView } from '../model/viewPlace.js';
import { overlap } from '../model/stroke.js';
import { announce } from './dialogs.js';
import { placeName } from './objectNames.js';

/**
 * @typedef {object} Parts
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => void} requestFrame
 */

export class SelectionFollower {
  #parts;
  /** The position that was announced last. */
  #place = '';

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.selection.addEventListener('change', () => this.#place = '');
  }

  /** Moves the camera if the selection has left the view. To be called after each movement by a key. */
  moved() {
    const { selection: { bounds }, camera, view, requestFrame } = this.#parts;
    if (!bounds || overlap(bounds, camera.seen(view.width, view.height))) return;
    follow(camera, view, bounds);
    requestFrame();
  }

  /** Announces the position of the selection if it has changed. To be called after the last movement. */
  stopped() {
    const before = this.#place;
    const place = this.place;
    if (place !== '' && place !== before) announce(place);
  }

  /** The position of the selection in words, which then is not announced again; '': nothing is selected. */
  get place() {
    const { selection: { bounds }, camera, view } = this.#parts;
    this.#place = bounds ? placeName(bounds, freeView(camera, view)) : '';
    return this.#place;
  }
}
