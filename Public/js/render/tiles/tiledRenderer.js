/**
 * Renders a scene that is too large for one frame: finished drawables are on tiles, changing ones are painted above the tiles.
 */

import { Tiles } from './tiles.js';
import { mainThreadTiles, supportsWorkers, tileWorker } from './tileWorker.js';

/**
 * @typedef {import('../../model/item.js').Item} Item
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('./tile.js').Tile} Tile
 * @typedef {import('./tiles.js').View} View
 *
 * @typedef {object} Environment
 * @property {import('../layer.js').Paint} paint
 * @property {() => string} ink returns the color of adaptive ink
 * @property {(width: number, height: number) => HTMLCanvasElement} newCanvas
 * @property {() => number} now milliseconds
 * @property {() => void} requestFrame
 */

/** The time without changes after which a drawable is painted on tiles; and the longer one for an unfinished stroke. */
const REST_MS = 150;
const STILL_MS = 1500;
/** The maximum number of drawables above the tiles. If more arrive at once, they are shown only when their tiles are painted. */
const MAX_LIVE_BURST = 64;
/** The maximum number of drawables that are sent to the tile painter per frame. */
const MAX_SENT_PER_FRAME = 2000;
/** The time for painting tiles in a frame without a worker, in milliseconds. */
const SLICE_MS = 8;
/** The resolution of cards, in pixels per point. */
const CARD_PIXELS_PER_POINT = 2;

export class TiledRenderer {
  #env;
  #tiles;
  #worker;
  /** @type {Map<Drawable, number>} the versions that were sent to the tile painter */
  #sentVersions = new Map();
  /** @type {Set<Drawable>} drawables that are not sent yet, and not shown until then */
  #queued = new Set();
  /** @type {Map<Drawable, number>} the drawables above the tiles, with the times of their last changes */
  #live = new Map();
  /**
   * @type {Map<Drawable, number>} sent drawables that some tiles do not show yet, with the first revision of a tile that shows
   *   them
   */
  #sentUnpainted = new Map();
  /** @type {Drawable[]} since the last frame */
  #added = [];
  /** @type {Drawable[]} since the last frame */
  #removed = [];
  #isDirty = true;

  /**
   * @param {Iterable<Drawable>} drawables @param {Environment} env
   * @param {(() => void) | null} broke called if the worker fails; null: use no worker
   */
  constructor(drawables, env, broke) {
    this.#env = env;
    const painted = (/** @type {import('./tilePainter.js').Image} */ image) => {
      this.#tiles.receive(image);
      this.#isDirty = true;
      env.requestFrame();
    };
    this.#worker = broke && supportsWorkers()
      ? tileWorker(painted, broke)
      : mainThreadTiles(painted, (size) => env.newCanvas(size, size), env.now);
    this.#tiles = new Tiles(this.#worker, env.now, env.ink);
    for (const one of drawables) this.#queued.add(one);
  }

  get hasOverview() {
    return this.#tiles.hasOverview;
  }

  /** True while something is not displayed yet, or not at full resolution. */
  get hasPendingWork() {
    return this.#queued.size + this.#live.size + this.#sentUnpainted.size + this.#added.length + this.#removed.length >
        0 ||
      this.#tiles.isOutdated;
  }

  /** @param {Drawable} drawable */
  shown(drawable) {
    this.#added.push(drawable);
  }

  /** @param {Drawable} drawable */
  changed(drawable) {
    // A snapshot reports all shapes as changed, even if they look the same.
    if (this.#sentVersions.get(drawable) === drawable.version) return;
    this.#isDirty = true;
    if (this.#live.has(drawable)) this.#live.set(drawable, this.#env.now());
    else if (this.#remove(drawable)) this.#added.push(drawable);
  }

  /** @param {Drawable} drawable */
  hidden(drawable) {
    if (!this.#remove(drawable)) this.#added = this.#added.filter((one) => one !== drawable);
  }

  /** Paints everything again from the next frame on. */
  redraw() {
    for (const drawable of this.#live.keys()) this.#live.set(drawable, -Infinity);
    this.#send([...this.#sentVersions.keys()].filter((one) => 'place' in one), false);
    this.#tiles.invalidateAll();
    this.#isDirty = true;
  }

  /** Requests painting in the next frame. */
  markDirty() {
    this.#isDirty = true;
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {View} view @param {boolean} isZooming
   * @param {() => void} under paints the background of missing tiles @returns {boolean} true if something was painted
   */
  frame(context, view, isZooming, under) {
    this.#sendChanges();
    this.#worker.work(this.#env.now() + SLICE_MS);
    this.#tiles.update(view, isZooming);
    if (!this.#isDirty) return false;
    this.#isDirty = false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    this.#tiles.draw(context, view, under);
    this.#paintAbove(context, view);
    return true;
  }

  stop() {
    this.#tiles.stop();
  }

  /** @param {Drawable} drawable @returns {boolean} true if it was queued, shown or sent */
  #remove(drawable) {
    this.#sentUnpainted.delete(drawable);
    if (this.#live.delete(drawable) || this.#queued.delete(drawable)) return true;
    if (!this.#sentVersions.delete(drawable)) return false;
    this.#removed.push(drawable);
    return true;
  }

  /** Sends additions, changes and removals to the tile painter. */
  #sendChanges() {
    const now = this.#env.now();
    this.#isDirty ||= this.#removed.length > 0;
    if (this.#removed.length > 0) this.#tiles.remove(this.#removed);
    const moved = new Set(this.#removed.map(({ id }) => id));
    const isBurst = this.#added.length + this.#live.size > MAX_LIVE_BURST;
    for (const one of this.#added) {
      if (isBurst && !moved.has(one.id)) this.#queued.add(one);
      else {
        this.#live.set(one, now);
        this.#isDirty = true;
      }
    }
    this.#removed = [];
    this.#added = [];
    const rested = [...this.#live].filter(([one, since]) => now - since >= (one.isFinished ? REST_MS : STILL_MS));
    this.#send(rested.map(([one]) => one), true);
    if (this.#queued.size === 0) return;
    const some = [];
    for (const one of this.#queued) {
      if (some.push(one) >= MAX_SENT_PER_FRAME) break;
    }
    this.#send(some, false);
  }

  /** @param {Drawable[]} drawables @param {boolean} isSeen true to paint them above the tiles until the tiles show them */
  #send(drawables, isSeen) {
    if (drawables.length === 0) return;
    this.#tiles.put(drawables, (item) => this.#imageOf(item));
    for (const one of drawables) {
      this.#live.delete(one);
      this.#queued.delete(one);
      this.#sentVersions.set(one, one.version);
      if (isSeen) this.#sentUnpainted.set(one, this.#tiles.revision);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {View} view */
  #paintAbove(context, { transform }) {
    const { seen, isAtRest } = this.#tiles;
    for (const [one, revision] of this.#sentUnpainted) {
      const behind = seen.filter((tile) => tile.revision < revision && tile.meets(one.bounds));
      if (isAtRest && behind.length === 0) this.#sentUnpainted.delete(one);
      else this.#paint(context, transform, one, behind);
    }
    for (const one of this.#live.keys()) this.#paint(context, transform, one, []);
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {import('../layer.js').ViewTransform} transform @param {Drawable} one
   * @param {Tile[]} tiles the drawable is painted only on these; empty: everywhere
   */
  #paint(context, transform, one, tiles) {
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (tiles.length > 0) {
      context.beginPath();
      for (const tile of tiles) context.rect(...tile.deviceRect(transform));
      context.clip();
    }
    context.setTransform(transform.scale, 0, 0, transform.scale, transform.x, transform.y);
    this.#env.paint(context, one);
    context.restore();
  }

  /** @param {Item} item @returns {HTMLCanvasElement} its picture */
  #imageOf(item) {
    const { place, angle, bounds: { left, top, right, bottom } } = item;
    const { width, height } = item.bitmap?.image ??
      { width: place.width * CARD_PIXELS_PER_POINT, height: place.height * CARD_PIXELS_PER_POINT };
    // The bounds of a rotated picture are larger.
    const [across, down] = angle === 0 ? [1, 1] : [(right - left) / place.width, (bottom - top) / place.height];
    const canvas = this.#env.newCanvas(Math.ceil(width * across), Math.ceil(height * down));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.setTransform(canvas.width / (right - left), 0, 0, canvas.height / (bottom - top), 0, 0);
    context.translate(-left, -top);
    this.#env.paint(context, item);
    return canvas;
  }
}
