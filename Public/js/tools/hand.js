/** Takes hold of the picture and moves it. */

export class Hand {
  #camera;
  /** What of the plane is in the hand. */
  #x = 0;
  #y = 0;

  /** @param {import('../canvas/camera.js').Camera} camera */
  constructor(camera) {
    this.#camera = camera;
  }

  /** @param {import('./pen.js').Sample} sample */
  begin({ x, y }) {
    [this.#x, this.#y] = [x, y];
  }

  /** @param {import('./pen.js').Sample[]} samples */
  move(samples) {
    const { scale } = this.#camera;
    const last = samples.at(-1);
    if (last) this.#camera.pan((last.x - this.#x) * scale, (last.y - this.#y) * scale);
  }

  end() {}

  cancel() {}
}
