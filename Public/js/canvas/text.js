/** Words on the page. What changes them makes others of the same id. */

import { segmentDistance } from './distance.js';
import { onPlane, rounded } from './stroke.js';
import { LINE, lineWidth } from './textMetrics.js';

/** In points, from line to line a little more. */
export const MINIMUM_SIZE = 4;
export const MAXIMUM_SIZE = 1000;
/** Characters. */
export const MAXIMUM_TEXT = 4000;
/** What letters may stand out over their box, in sizes of the type. */
const OVERHANG = 0.1;

/** Controls but the ends of lines, and what turns the direction of all that follows. */
const UNSAFE = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Motion} Motion
 * @typedef {{ id: string, text: string, x: number, y: number, size: number, rgb: string, color: number, z: number }} Look
 */

export class Text {
  id;
  /** In lines. @type {string} */
  text;
  /** Its upper left corner. */
  x;
  y;
  size;
  /** @type {string} */
  rgb;
  /** @type {number} of the palette's color that is it or is nearest */
  color;
  /** Drawn in the order of `z`, then of `id`. */
  z;
  /** Nobody types it any more. */
  isFinished = true;
  version = 0;
  /** @type {Bounds | null} */
  #box = null;

  /** @param {Look} look */
  constructor({ id, text, x, y, size, rgb, color, z }) {
    this.id = id;
    this.text = text;
    this.x = x;
    this.y = y;
    this.size = size;
    this.rgb = rgb;
    this.color = color;
    this.z = z;
  }

  get lines() {
    return this.text.split('\n');
  }

  /** @returns {Bounds} of the lines as they are set */
  get box() {
    const { x, y, size, lines } = this;
    this.#box ??= {
      left: x,
      top: y,
      right: x + size * lines.reduce((widest, line) => Math.max(widest, lineWidth(line)), 0),
      bottom: y + size * LINE * lines.length,
    };
    return this.#box;
  }

  /** @returns {Bounds} what it can cover */
  get bounds() {
    const { left, top, right, bottom } = this.box;
    const margin = this.size * OVERHANG + 1;
    return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
  }

  finish() {
    this.isFinished = true;
    this.version += 1;
  }

  /** @param {Partial<Look>} changes @returns {Text} */
  with(changes) {
    return new Text({ ...this, ...changes });
  }

  /** @param {Motion} motion @returns {Text} the same there */
  moved({ factor, x, y }) {
    const size = Math.min(MAXIMUM_SIZE, Math.max(MINIMUM_SIZE, rounded(this.size * factor)));
    return this.with({ x: onPlane(this.x * factor + x), y: onPlane(this.y * factor + y), size });
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {boolean} whether its box comes within `reach` of that
   */
  touches(from, to, reach) {
    const { left, top, right, bottom } = this.box;
    if (from[0] >= left && from[0] <= right && from[1] >= top && from[1] <= bottom) return true;
    /** @type {[number, number][]} */
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    return corners.some((corner, at) => segmentDistance(from, to, corner, corners[(at + 1) % 4]) <= reach);
  }

  /** @param {import('./marks.js').Mark} other @returns {boolean} whether both look the same */
  looksLike(other) {
    return other instanceof Text && this.text === other.text && this.x === other.x && this.y === other.y &&
      this.size === other.size && this.rgb === other.rgb && this.z === other.z && this.isFinished === other.isFinished;
  }
}

/** @param {string} text @returns {string} as it may be on a page: lines of letters, not too many */
export function cleanText(text) {
  const clean = text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/\t/g, '  ').replace(UNSAFE, '');
  return [...clean].slice(0, MAXIMUM_TEXT).join('').trimEnd();
}
