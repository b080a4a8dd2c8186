/** Shows a scene too large to be painted in a frame: what rests is on tiles, what grows or moves is painted above them. */

import { Tiles } from './tiles.js';
import { canWork, tilesOnPage, tileWorker } from './tileWorker.js';

/**
 * @typedef {import('../../model/item.js').Item} Item
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('./tiles.js').Tile} Tile
 * @typedef {import('./tiles.js').View} View
 *
 * @typedef {object} Surroundings
 * @property {import('../layer.js').Paint} paint
 * @property {(width: number, height: number) => HTMLCanvasElement} newCanvas
 * @property {() => number} now milliseconds
 * @property {() => void} ask for a frame
 */

/** What has not changed for so long goes onto the tiles; a stroke that nobody finishes, later. */
const REST_MS = 150;
const STILL_MS = 1500;
/** More than so many that come at once are not painted above the tiles, but wait for them. */
const MANY = 64;
/** So many are told in a frame. */
const TOLD = 2000;
/** Of a frame, in milliseconds, where no worker paints. */
const SLICE_MS = 8;
/** Pixels a point, of cards. */
const SHARPNESS = 2;

export class LargeScene {
  #around;
  #tiles;
  #worker;
  /** @type {Map<Drawable, number>} the versions that are on the tiles, or told to whoever paints them */
  #told = new Map();
  /** @type {Set<Drawable>} to be told, without being seen before */
  #waiting = new Set();
  /** @type {Map<Drawable, number>} when those changed that are painted above the tiles */
  #live = new Map();
  /** @type {Map<Drawable, number>} told, with the revision from which on a tile shows it */
  #fresh = new Map();
  /** @type {Drawable[]} since the last frame */
  #came = [];
  /** @type {Drawable[]} since the last frame */
  #dropped = [];
  #isDirty = true;

  /** @param {Iterable<Drawable>} drawables @param {Surroundings} around @param {(() => void) | null} broke a worker cannot be had; null: none is wanted */
  constructor(drawables, around, broke) {
    this.#around = around;
    const painted = (/** @type {import('./tilePainter.js').Image} */ image) => {
      this.#tiles.painted(image);
      this.#isDirty = true;
      around.ask();
    };
    this.#worker = broke && canWork()
      ? tileWorker(painted, broke)
      : tilesOnPage(painted, (size) => around.newCanvas(size, size), around.now);
    this.#tiles = new Tiles(this.#worker, around.now);
    for (const one of drawables) this.#waiting.add(one);
  }

  get hasOverview() {
    return this.#tiles.hasOverview;
  }

  /** Whether there is more to be seen than is seen, or sharper. */
  get isBehind() {
    return this.#waiting.size + this.#live.size + this.#fresh.size + this.#came.length + this.#dropped.length > 0 ||
      this.#tiles.isBehind;
  }

  /** @param {Drawable} drawable */
  shown(drawable) {
    this.#came.push(drawable);
  }

  /** @param {Drawable} drawable */
  changed(drawable) {
    // Told anew, it may look the same.
    if (this.#told.get(drawable) === drawable.version) return;
    this.#isDirty = true;
    if (this.#live.has(drawable)) this.#live.set(drawable, this.#around.now());
    else if (this.#take(drawable)) this.#came.push(drawable);
  }

  /** @param {Drawable} drawable */
  hidden(drawable) {
    if (!this.#take(drawable)) this.#came = this.#came.filter((one) => one !== drawable);
  }

  /** The next frame paints all anew, exactly. */
  redraw() {
    for (const drawable of this.#live.keys()) this.#live.set(drawable, -Infinity);
    this.#put([...this.#told.keys()].filter((one) => 'place' in one), false);
    this.#tiles.forget();
    this.#isDirty = true;
  }

  /** The next frame shows what there is. */
  show() {
    this.#isDirty = true;
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {View} view @param {boolean} isZooming
   * @param {() => void} under paints what may be seen where nothing is @returns {boolean} whether there was something new to see
   */
  frame(context, view, isZooming, under) {
    this.#tell();
    this.#worker.work(this.#around.now() + SLICE_MS);
    this.#tiles.look(view, isZooming);
    if (!this.#isDirty) return false;
    this.#isDirty = false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    this.#tiles.show(context, view, under);
    this.#paintAbove(context, view);
    return true;
  }

  stop() {
    this.#tiles.stop();
  }

  /** @param {Drawable} drawable @returns {boolean} whether it was somewhere, and is nowhere now */
  #take(drawable) {
    this.#fresh.delete(drawable);
    if (this.#live.delete(drawable) || this.#waiting.delete(drawable)) return true;
    if (!this.#told.delete(drawable)) return false;
    this.#dropped.push(drawable);
    return true;
  }

  /** Brings whoever paints the tiles up to date. */
  #tell() {
    const now = this.#around.now();
    this.#isDirty ||= this.#dropped.length > 0;
    if (this.#dropped.length > 0) this.#tiles.drop(this.#dropped);
    const moved = new Set(this.#dropped.map(({ id }) => id));
    const isCrowd = this.#came.length + this.#live.size > MANY;
    for (const one of this.#came) {
      if (isCrowd && !moved.has(one.id)) this.#waiting.add(one);
      else {
        this.#live.set(one, now);
        this.#isDirty = true;
      }
    }
    this.#dropped = [];
    this.#came = [];
    const rested = [...this.#live].filter(([one, since]) => now - since >= (one.isFinished ? REST_MS : STILL_MS));
    this.#put(rested.map(([one]) => one), true);
    if (this.#waiting.size === 0) return;
    const some = [];
    for (const one of this.#waiting) {
      if (some.push(one) >= TOLD) break;
    }
    this.#put(some, false);
  }

  /** @param {Drawable[]} drawables @param {boolean} isSeen whether they are painted above the tiles until these show them */
  #put(drawables, isSeen) {
    if (drawables.length === 0) return;
    this.#tiles.put(drawables, (item) => this.#imageOf(item));
    for (const one of drawables) {
      this.#live.delete(one);
      this.#waiting.delete(one);
      this.#told.set(one, one.version);
      if (isSeen) this.#fresh.set(one, this.#tiles.revision);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {View} view */
  #paintAbove(context, { transform }) {
    const { seen, isAtRest } = this.#tiles;
    for (const [one, revision] of this.#fresh) {
      const behind = seen.filter((tile) => tile.revision < revision && tile.meets(one.bounds));
      if (isAtRest && behind.length === 0) this.#fresh.delete(one);
      else this.#paint(context, transform, one, behind);
    }
    for (const one of this.#live.keys()) this.#paint(context, transform, one, []);
  }

  /** @param {CanvasRenderingContext2D} context @param {import('../layer.js').ViewTransform} transform @param {Drawable} one @param {Tile[]} tiles on which it is to be seen; none: everywhere */
  #paint(context, transform, one, tiles) {
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (tiles.length > 0) {
      context.beginPath();
      for (const tile of tiles) context.rect(...tile.place(transform));
      context.clip();
    }
    context.setTransform(transform.scale, 0, 0, transform.scale, transform.x, transform.y);
    this.#around.paint(context, one);
    context.restore();
  }

  /** @param {Item} item @returns {HTMLCanvasElement} as it looks */
  #imageOf(item) {
    const { left, top, right, bottom } = item.bounds;
    const [width, height] = item.bitmap
      ? [item.bitmap.image.width, item.bitmap.image.height]
      : [(right - left) * SHARPNESS, (bottom - top) * SHARPNESS];
    const canvas = this.#around.newCanvas(Math.ceil(width), Math.ceil(height));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.setTransform(canvas.width / (right - left), 0, 0, canvas.height / (bottom - top), 0, 0);
    context.translate(-left, -top);
    this.#around.paint(context, item);
    return canvas;
  }
}
