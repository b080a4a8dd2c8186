/** The view of rotation and snapping: the handle at the selection, the present angle, and the guides. */

import { element, make, makeSVG } from './elements.js';

/** The arrow on the handle. */
const ARROW = 'M17.5 8.2A6.7 6.7 0 1 0 18.7 12M18.2 4.6v3.9h-3.9';

/** Shows the handle and the guides. */
export class TransformView {
  #transforms;
  #snapping;
  #camera;
  #chosen = element('chosen');
  #handle = make('b', { class: 'turn' }, makeSVG('svg', { viewBox: '0 0 24 24' }, makeSVG('path', { d: ARROW })));
  #lines = makeSVG('path', {});
  #handleShown = '';
  #linesShown = '';

  /**
   * @param {import('../tools/transforms.js').Transforms} transforms @param {import('../tools/snapping.js').Snapping} snapping
   * @param {import('../model/camera.js').Camera} camera
   */
  constructor(transforms, snapping, camera) {
    this.#transforms = transforms;
    this.#snapping = snapping;
    this.#camera = camera;
    this.#chosen.append(this.#handle);
    this.#chosen.after(makeSVG('svg', { class: 'guides', 'aria-hidden': 'true' }, this.#lines));
  }

  /** @returns {false} no other frame is needed */
  frame() {
    const { turning, isHandleBelow } = this.#transforms;
    const handle = [turning, isHandleBelow].join();
    if (handle !== this.#handleShown) this.#showHandle(turning, isHandleBelow);
    this.#handleShown = handle;
    const parts = this.#snapping.guides.flatMap(({ from, to }) => ['M', this.#place(from), 'L', this.#place(to)]);
    const path = parts.join(' ');
    if (path !== this.#linesShown) this.#lines.setAttribute('d', path);
    this.#linesShown = path;
    return false;
  }

  /** @param {number | null} turning the angle of a rotation under way @param {boolean} isBelow */
  #showHandle(turning, isBelow) {
    const { dataset, style } = this.#handle;
    this.#chosen.toggleAttribute('data-below', isBelow);
    dataset.angle = turning === null ? '' : `${Math.round(turning) % 360}°`;
    // The number stays upright in the rotated box.
    style.setProperty('--upright', `${-(turning ?? 0)}deg`);
  }

  /** @param {import('../model/rotation.js').Point} point @returns {string} in the middle of a pixel, so that lines are thin */
  #place(point) {
    return this.#camera.toCanvas(...point).map((value) => Math.round(value - 0.5) + 0.5).join(' ');
  }
}
