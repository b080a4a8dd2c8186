/** The tools that move the camera: the hand, and the pinch gesture. */

/** The hand: pans the camera. */
export class PanTool {
  #camera;
  /** The point of the plane that is being dragged. */
  #x = 0;
  #y = 0;

  /** @param {import('../model/camera.js').Camera} camera */
  constructor(camera) {
    this.#camera = camera;
  }

  /** @param {import('./pointerInput.js').Sample} sample */
  begin({ x, y }) {
    [this.#x, this.#y] = [x, y];
  }

  /** @param {import('./pointerInput.js').Sample[]} samples */
  move(samples) {
    const { scale } = this.#camera;
    const last = samples.at(-1);
    if (last) this.#camera.pan((last.x - this.#x) * scale, (last.y - this.#y) * scale);
  }

  end() {}

  cancel() {}
}

/** @typedef {{ pointerId: number, clientX: number, clientY: number }} Touch */

/** The pinch gesture of two fingers: pans and zooms the camera. */
export class Pinch {
  #camera;
  /** @type {Map<number, { x: number, y: number }>} */
  #fingers = new Map();
  #isActive = false;

  /** @param {import('../model/camera.js').Camera} camera */
  constructor(camera) {
    this.#camera = camera;
  }

  /** True from the second finger on, until all fingers are lifted. */
  get isActive() {
    return this.#isActive;
  }

  /** @param {Touch} touch */
  down({ pointerId, clientX, clientY }) {
    this.#fingers.set(pointerId, { x: clientX, y: clientY });
    if (this.#fingers.size >= 2) this.#isActive = true;
  }

  /** @param {Touch} touch @returns {boolean} true if it is part of a pinch */
  move({ pointerId, clientX, clientY }) {
    if (!this.#fingers.has(pointerId)) return false;
    const before = this.#span();
    this.#fingers.set(pointerId, { x: clientX, y: clientY });
    if (!this.#isActive) return false;
    const after = this.#span();
    if (before && after) {
      this.#camera.pan(after.x - before.x, after.y - before.y);
      if (before.length > 0) this.#camera.zoom(after.length / before.length, after.x, after.y);
    }
    return true;
  }

  /** @param {Touch} touch */
  up({ pointerId }) {
    this.#fingers.delete(pointerId);
    if (this.#fingers.size === 0) this.#isActive = false;
  }

  /** Ignores the fingers that are down. */
  forget() {
    this.#fingers.clear();
    this.#isActive = false;
  }

  /** @returns {{ x: number, y: number, length: number } | null} the center and the distance of the first two fingers */
  #span() {
    const [a, b] = this.#fingers.values();
    if (!a || !b) return null;
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, length: Math.hypot(a.x - b.x, a.y - b.y) };
  }
}
