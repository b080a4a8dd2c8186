/** A stroke: a line with its points, its pressures and its style. */

import { sameEnd } from './connection.js';
import { isFilled, isInside } from './lineStyle.js';
import { mapping } from './rotation.js';
import { segmentDistance } from './strokeOutline.js';

/** The bound of the plane: coordinates beyond it are neither sent nor accepted. */
export const PLANE = 1_000_000;
export const MIN_WIDTH = 0.5;
export const MAX_WIDTH = 200;
/** The width of strokes without one, such as those of Apple's sample. */
export const DEFAULT_WIDTH = 3;
/** The maximum number of points of a stroke. Further points are ignored. */
export const MAX_POINTS = 50_000;

/**
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Bounds
 * @typedef {{ factor: number, x: number, y: number, angle?: number }} Transform multiplies every point by the factor, rotates it
 *   about the origin by the angle (0 if it is missing), and then adds x and y
 */

export class Stroke {
  id;
  /** @type {string} */
  rgb;
  /** @type {number} of the same or the nearest color of the palette */
  color;
  width;
  tool;
  /** The fill of a closed line: one of `FILLS`; '': none. @type {string} */
  fill;
  /** One of `DASHES`; '': a solid line. @type {string} */
  dash;
  /** 0.1…1 */
  opacity;
  /** Drawn in the order of `z`, then of `id`. */
  z;
  /** True if nobody can select or erase it. */
  isLocked;
  /** The objects to which its ends are attached; null if an end is free. @type {import('./connection.js').End | null} */
  from;
  /** @type {import('./connection.js').End | null} */
  to;
  /** @type {number[]} x and y in turn */
  points = [];
  /** @type {number[] | null} 0…1 for each point; null if the device has none */
  pressures = null;
  /** As in `Origin`. */
  author;
  editor;
  madeAt;
  /** True once no more points are expected. */
  isFinished = false;
  /** Counts changes. */
  version = 0;
  /** @type {Bounds} of its points */
  #extent = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };

  /**
   * @param {{ id: string, rgb: string, color: number, width: number, tool: string, z: number, fill?: string, dash?: string,
   *   opacity?: number, isLocked?: boolean, from?: import('./connection.js').End | null,
   *   to?: import('./connection.js').End | null } & Partial<import('./origin.js').Origin>} look
   */
  constructor(look) {
    const { id, rgb, color, width, tool, z, fill = '', dash = '', opacity = 1 } = look;
    const { isLocked = false, from = null, to = null, author = 0, editor = 0, madeAt = 0 } = look;
    this.id = id;
    this.rgb = rgb;
    this.color = color;
    this.width = width;
    this.tool = tool;
    this.fill = fill;
    this.dash = dash;
    this.opacity = opacity;
    this.z = z;
    this.isLocked = isLocked;
    this.from = from;
    this.to = to;
    this.author = author;
    this.editor = editor;
    this.madeAt = madeAt;
  }

  get length() {
    return this.points.length / 2;
  }

  /**
   * @param {number[]} points x and y in turn
   * @param {number[] | null} pressures one for each point, or null
   */
  append(points, pressures) {
    const room = MAX_POINTS - this.length;
    const count = Math.min(points.length / 2, room);
    if (count <= 0) return;
    if (pressures || this.pressures) {
      this.pressures ??= Array.from({ length: this.length }, () => 0.5);
      for (let at = 0; at < count; at += 1) this.pressures.push(pressures?.[at] ?? 0.5);
    }
    const extent = this.#extent;
    for (let at = 0; at < 2 * count; at += 2) {
      const [x, y] = [points[at], points[at + 1]];
      this.points.push(x, y);
      extent.left = Math.min(extent.left, x);
      extent.right = Math.max(extent.right, x);
      extent.top = Math.min(extent.top, y);
      extent.bottom = Math.max(extent.bottom, y);
    }
    this.version += 1;
  }

  finish() {
    this.isFinished = true;
    this.version += 1;
  }

  /** @returns {Bounds} of its points */
  get extent() {
    return this.#extent;
  }

  /** @returns {Bounds} its extent, including its width */
  get bounds() {
    const { left, top, right, bottom } = this.#extent;
    const margin = this.width + 1;
    return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
  }

  /** @param {Transform} transform @returns {Stroke} a transformed copy */
  moved(transform) {
    const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, rounded(this.width * transform.factor)));
    const moved = new Stroke({ ...this, width });
    const to = mapping(transform);
    const points = [];
    for (let at = 0; at < this.points.length; at += 2) {
      const [x, y] = to(this.points[at], this.points[at + 1]);
      points.push(onPlane(x), onPlane(y));
    }
    moved.append(points, this.pressures);
    moved.isFinished = this.isFinished;
    return moved;
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {boolean} true if it comes within `reach` of the segment, its own width included; or if its filled area contains
   *   the start of the segment
   */
  touches(from, to, reach) {
    const { points } = this;
    if (isFilled(this) && isInside(points, from)) return true;
    const within = reach + this.width / 2;
    for (let at = 0; at < points.length; at += 2) {
      const next = at + 2 < points.length ? at + 2 : at;
      const distance = segmentDistance(from, to, [points[at], points[at + 1]], [points[next], points[next + 1]]);
      if (distance <= within) return true;
    }
    return false;
  }

  /** @param {Stroke} other @returns {boolean} true if both look the same */
  looksLike(other) {
    return this.z === other.z && this.rgb === other.rgb && this.width === other.width && this.tool === other.tool &&
      this.fill === other.fill && this.dash === other.dash && this.opacity === other.opacity &&
      this.isFinished === other.isFinished && this.isLocked === other.isLocked && sameEnd(this.from, other.from) &&
      sameEnd(this.to, other.to) && sameNumbers(this.points, other.points) &&
      sameNumbers(this.pressures ?? [], other.pressures ?? []);
  }
}

/** @param {number} value @returns {number} rounded for sending: a hundredth of a point is finer than any screen */
export function rounded(value) {
  return Math.round(value * 100) / 100;
}

/** @param {number} value @returns {number} rounded for sending, within the plane */
export function onPlane(value) {
  return rounded(Math.max(-PLANE, Math.min(PLANE, value)));
}

/**
 * Compares two drawables by the order of drawing.
 * @param {{ z: number, id: string }} a @param {{ z: number, id: string }} b @returns {number} negative: `a` is drawn first
 */
export function drawnBefore(a, b) {
  if (a.z !== b.z) return a.z - b.z;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** @param {Bounds} a @param {Bounds} b */
export function overlap(a, b) {
  return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

/** @param {number[]} a @param {number[]} b */
function sameNumbers(a, b) {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
