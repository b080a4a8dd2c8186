/** The camera: the visible part of the plane, by the point at the top left and the scale. */

/** @typedef {import('./stroke.js').Bounds} Bounds */

export const MIN_SCALE = 0.05;
export const MAX_SCALE = 16;
/** The margin around bounds that are shown whole, in pixels. Bars cover the top and the bottom. */
const MARGIN = 24;
const BARS = 84;

export class Camera {
  /** The point of the plane at the canvas's top left. */
  x = 0;
  y = 0;
  /** CSS pixels per point. */
  scale = 1;
  /** Counts changes. */
  version = 0;
  /** The top left of the initial view, in the plane. */
  homeX = 0;
  homeY = 0;
  /** Returns the nearest view that is allowed. @type {(view: { x: number, y: number, scale: number }) => object} */
  limit = (view) => view;

  get isHome() {
    return this.x === this.homeX && this.y === this.homeY && this.scale === 1;
  }

  /** @param {number} x @param {number} y of the canvas @returns {[number, number]} of the plane */
  toPlane(x, y) {
    return [this.x + x / this.scale, this.y + y / this.scale];
  }

  /** @param {number} x @param {number} y of the plane @returns {[number, number]} of the canvas */
  toCanvas(x, y) {
    return [(x - this.x) * this.scale, (y - this.y) * this.scale];
  }

  /** @param {number} dx @param {number} dy pixels by which the picture moves */
  pan(dx, dy) {
    this.#set(this.x - dx / this.scale, this.y - dy / this.scale, this.scale);
  }

  /**
   * Zooms about a point of the canvas, which stays in place.
   * @param {number} factor @param {number} x @param {number} y of the canvas
   */
  zoom(factor, x, y) {
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor));
    const [planeX, planeY] = this.toPlane(x, y);
    this.#set(planeX - x / scale, planeY - y / scale, scale);
  }

  home() {
    this.#set(this.homeX, this.homeY, 1);
  }

  /**
   * Shows the whole of some bounds, at most at their actual size.
   * @param {Bounds} bounds @param {number} width @param {number} height of the canvas
   */
  fit({ left, top, right, bottom }, width, height) {
    const room = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * BARS) / (bottom - top));
    const scale = Math.min(1, Math.max(MIN_SCALE, room));
    this.#set((left + right - width / scale) / 2, (top + bottom - height / scale) / 2, scale);
  }

  /** @param {number} width @param {number} height of the canvas @returns {Bounds} the visible part of the plane */
  seen(width, height) {
    const [right, bottom] = this.toPlane(width, height);
    return { left: this.x, top: this.y, right, bottom };
  }

  /** @param {number} x @param {number} y @param {number} scale */
  #set(x, y, scale) {
    const before = [this.x, this.y, this.scale].join();
    Object.assign(this, this.limit({ x, y, scale }));
    // If the view stays, for example because it is already within a new sheet, nothing is interrupted.
    if ([this.x, this.y, this.scale].join() !== before) this.version += 1;
  }
}
