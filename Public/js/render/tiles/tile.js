/** One tile of a large scene: its position, its image, and the revision of the scene that the image shows. */

import { overlap } from '../../model/stroke.js';

/**
 * @typedef {import('../layer.js').ViewTransform} ViewTransform
 * @typedef {import('../../model/stroke.js').Bounds} Bounds
 * @typedef {import('./tilePainter.js').Image} Image
 */

/** The side of a tile, in device pixels. */
export const TILE = 512;

/** A square of a large scene, painted at one scale. */
export class Tile {
  /** Device pixels per point. */
  scale;
  /** The column and the row of the tile in the grid of its scale. */
  x;
  y;
  /** @type {Image | null} */
  image = null;
  /** The revision of the scene that the image shows, and the oldest revision that is not outdated. */
  revision = -1;
  requiredRevision = 0;
  askedAt = -Infinity;
  paintMs = 0;
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

  /** Marks the tile as outdated, because something on it has changed. @param {number} revision */
  invalidate(revision) {
    this.requiredRevision = revision;
  }

  /** @param {Image} image @param {number} revision @param {number} now */
  painted(image, revision, now) {
    this.close();
    this.image = image;
    this.revision = revision;
    this.paintMs = now - this.askedAt;
  }

  close() {
    if (this.image && 'close' in this.image) this.image.close();
    this.image = null;
    this.revision = -1;
  }

  /**
   * @param {ViewTransform} transform
   * @returns {[number, number, number, number]} left, top, width and height in whole device pixels, so that there are no seams
   */
  deviceRect({ scale, x, y }) {
    const side = TILE * scale / this.scale;
    const [left, top] = [Math.round(this.x * side + x), Math.round(this.y * side + y)];
    return [left, top, Math.round((this.x + 1) * side + x) - left, Math.round((this.y + 1) * side + y) - top];
  }

  /** @param {CanvasRenderingContext2D} context in device pixels @param {ViewTransform} transform */
  draw(context, transform) {
    if (!this.image) return;
    const rect = this.deviceRect(transform);
    // Lower layers must not be visible through the tile.
    context.clearRect(...rect);
    context.drawImage(this.image, ...rect);
  }

  /**
   * @param {ViewTransform} transform @param {number} x @param {number} y in device pixels
   * @returns {number} the distance of its center from the point
   */
  distance(transform, x, y) {
    const [left, top, width, height] = this.deviceRect(transform);
    return Math.hypot(left + width / 2 - x, top + height / 2 - y);
  }
}

/** @param {Tile} tile @returns {boolean} true if the scene changed since the tile was painted */
export function isOutdated({ revision, requiredRevision }) {
  return revision < requiredRevision;
}
