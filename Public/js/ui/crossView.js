/** The cross at the position of the pointer that is moved by keys. */

import { element, make } from './elements.js';

export class CrossView {
  #cross = make('div', { class: 'cross', 'aria-hidden': 'true', hidden: '' });
  #pointer;
  #camera;

  /**
   * @param {import('../tools/keyboardPointer.js').KeyboardPointer} pointer
   * @param {import('../model/camera.js').Camera} camera
   */
  constructor(pointer, camera) {
    this.#pointer = pointer;
    this.#camera = camera;
    element('cursors').before(this.#cross);
  }

  /** Shows the cross where the pointer is. @param {string} tool its ring shows the reach of an eraser */
  show(tool) {
    const { point, isDown } = this.#pointer;
    this.#cross.hidden = point === null;
    if (!point) return;
    const [x, y] = this.#camera.toCanvas(...point);
    this.#cross.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    this.#cross.toggleAttribute('data-down', isDown);
    this.#cross.dataset.kind = tool;
  }
}
