/** The frames around the objects to which the ends of a line would be attached. */

import { element, make } from './elements.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 */

/** The distance of a frame from its object, in pixels. */
const GAP = 4;

export class EndHighlight {
  #camera;
  #frames = [0, 1].map(() => make('div', { class: 'end-highlight', 'aria-hidden': 'true' }));

  /** @param {Camera} camera */
  constructor(camera) {
    this.#camera = camera;
    for (const frame of this.#frames) frame.hidden = true;
    element('marquee').after(...this.#frames);
  }

  /** @param {Bounds[]} objects at most two */
  show(objects) {
    this.#frames.forEach((frame, at) => {
      const object = objects[at];
      frame.hidden = !object;
      if (!object) return;
      const { scale } = this.#camera;
      const [x, y] = this.#camera.toCanvas(object.left, object.top);
      frame.style.transform = `translate(${(x - GAP).toFixed(1)}px, ${(y - GAP).toFixed(1)}px)`;
      frame.style.width = `${((object.right - object.left) * scale + 2 * GAP).toFixed(1)}px`;
      frame.style.height = `${((object.bottom - object.top) * scale + 2 * GAP).toFixed(1)}px`;
    });
  }
}
