/** A movement of the camera to a part of the plane. */

import { MAX_SCALE, MIN_SCALE } from './camera.js';

/**
 * @typedef {import('./camera.js').Camera} Camera
 * @typedef {import('./stroke.js').Bounds} Bounds
 */

/** The time constant: the camera covers most of the distance in this time. */
const GLIDE_MS = 90;
/** The distance in pixels, and the ratio of scales, at which the camera has arrived. */
const NEAR_PX = 0.25;
const NEAR_RATIO = 1.0005;
/** The distance and the ratio from which the last step is exact. */
const LAST_PX = 2;
const LAST_RATIO = 1.003;

/** Moves the camera until a target is visible as a whole. Another movement of the camera interrupts it. */
export class CameraGlide {
  #camera;
  #size;
  #glides;
  /** @type {Bounds | null} */
  #target = null;
  /** The version of the camera after the last movement. */
  #version = -1;
  #frameAt = 0;

  /**
   * @param {Camera} camera
   * @param {{ size: () => { width: number, height: number }, glides?: () => boolean }} options `size` of the canvas, in pixels;
   *   `glides` returns false if the camera jumps
   */
  constructor(camera, { size, glides = () => true }) {
    this.#camera = camera;
    this.#size = size;
    this.#glides = glides;
  }

  /** True if the camera was moved in another way since the glide began. */
  get isInterrupted() {
    return this.#target !== null && this.#camera.version !== this.#version;
  }

  /** Moves toward other bounds from the next frame on. @param {Bounds} bounds */
  to(bounds) {
    if (!this.#target) this.#version = this.#camera.version;
    this.#target = bounds;
  }

  stop() {
    this.#target = null;
  }

  /** @param {number} now milliseconds @returns {boolean} true if the camera has not arrived yet */
  frame(now) {
    const elapsed = Math.min(100, Math.max(0, now - this.#frameAt));
    this.#frameAt = now;
    const target = this.#target;
    if (!target || this.isInterrupted) return false;
    const camera = this.#camera;
    const { width, height } = this.#size();
    const { left, top, right, bottom } = target;
    const room = Math.min(width / (right - left), height / (bottom - top));
    // A rounded view must not miss the actual size by a tiny factor.
    const scale = Math.abs(room - 1) < 1e-4 ? 1 : Math.min(MAX_SCALE, Math.max(MIN_SCALE, room));
    const [x, y] = camera.toPlane(width / 2, height / 2);
    const [dx, dy] = [(left + right) / 2 - x, (top + bottom) / 2 - y];
    const ratio = scale / camera.scale;
    const isWithin = (/** @type {number} */ px, /** @type {number} */ most) =>
      Math.hypot(dx, dy) * scale < px && Math.max(ratio, 1 / ratio) < most;
    if (isWithin(NEAR_PX, NEAR_RATIO)) return false;
    const isLast = !this.#glides() || isWithin(LAST_PX, LAST_RATIO);
    const part = isLast ? 1 : 1 - Math.exp(-elapsed / GLIDE_MS);
    const before = [camera.x, camera.y, camera.scale];
    if (ratio !== 1) camera.zoom(ratio ** part, width / 2, height / 2);
    if (isLast && scale === 1) camera.zoom(1 / camera.scale, width / 2, height / 2);
    camera.pan(-dx * part * camera.scale, -dy * part * camera.scale);
    this.#version = camera.version;
    // The camera may have a limit, such as the border of a sheet.
    const isAtLimit = part > 0 && [camera.x, camera.y, camera.scale].join() === before.join();
    return !isLast && !isAtLimit;
  }
}
