/** A square of a large scene, painted at one scale. */

import { overlap } from './stroke.js';

/**
 * @typedef {import('./layer.js').Transform} Transform
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./tilePainter.js').Image} Image
 */

/** Its sides, in device pixels. */
export const TILE = 512;

export class Tile {
  /** Device pixels a point. */
  scale;
  /** Which one it is, of the squares of its scale. */
  x;
  y;
  /** @type {Image | null} */
  image = null;
  /** Of what is painted on it; and the first with which it is right. */
  revision = -1;
  wanted = 0;
  askedAt = -Infinity;
  tookMs = 0;
  usedAt = 0;

  /** @param {number} scale @param {number} x @param {number} y */
  constructor(scale, x, y) {
    this.scale = scale;
    this.x = x;
    this.y = y;
  }

  get key() {
    return `${this.x},${this.y}`;
  }

  get part() {
    return { scale: this.scale, left: this.x * TILE, top: this.y * TILE, size: TILE };
  }

  /** @param {Bounds} bounds of the plane */
  meets(bounds) {
    const side = TILE / this.scale;
    const [left, top] = [this.x * side, this.y * side];
    return overlap(bounds, { left, top, right: left + side, bottom: top + side });
  }

  /** Something on it has changed. @param {number} revision */
  outdate(revision) {
    this.wanted = revision;
  }

  /** @param {Image} image @param {number} revision @param {number} now */
  painted(image, revision, now) {
    this.close();
    this.image = image;
    this.revision = revision;
    this.tookMs = now - this.askedAt;
  }

  close() {
    if (this.image && 'close' in this.image) this.image.close();
    this.image = null;
    this.revision = -1;
  }

  /** @param {Transform} transform @returns {[number, number, number, number]} left, top, width and height in device pixels: whole ones, so that there are no seams */
  place({ scale, x, y }) {
    const side = TILE * scale / this.scale;
    const [left, top] = [Math.round(this.x * side + x), Math.round(this.y * side + y)];
    return [left, top, Math.round((this.x + 1) * side + x) - left, Math.round((this.y + 1) * side + y) - top];
  }

  /** @param {CanvasRenderingContext2D} context in device pixels @param {Transform} transform */
  show(context, transform) {
    if (!this.image) return;
    const place = this.place(transform);
    // What lies under it is not to shine through.
    context.clearRect(...place);
    context.drawImage(this.image, ...place);
  }

  /** @param {Transform} transform @param {number} x @param {number} y in device pixels @returns {number} of its middle from there */
  distance(transform, x, y) {
    const [left, top, width, height] = this.place(transform);
    return Math.hypot(left + width / 2 - x, top + height / 2 - y);
  }
}

/** @param {Tile} tile @returns {boolean} whether it is not painted as it is now */
export function isBehind({ revision, wanted }) {
  return revision < wanted;
}
