/** The tiles of a large scene: which exist, which are requested next, and which are displayed. */

import { isOutdated, TILE, Tile } from './tile.js';

/**
 * @typedef {import('../layer.js').ViewTransform} ViewTransform
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('../../model/stroke.js').Bounds} Bounds
 * @typedef {import('./tilePainter.js').Image} Image
 * @typedef {import('./tileWorker.js').TileWorker} TileWorker
 * @typedef {{ transform: ViewTransform, width: number, height: number, bounds: Bounds | null }} View the transform and size of
 *   the canvas in device pixels; `bounds` of the scene
 */

/** The maximum side of the overview, in device pixels. */
const MAX_OVERVIEW_SIDE = 1536;
/** The maximum number of requested tiles. With more, tiles that the camera has already left would be painted first. */
const MAX_PENDING = 2;
/** The wait before an outdated tile is painted again: a multiple of its last painting time, but at least these milliseconds. */
const WAIT_FACTOR = 4;
const MIN_WAIT_MS = 60;
const OVERVIEW_WAIT_MS = 1500;
/** The time without changes after which outdated tiles no longer wait. */
const QUIET_MS = 200;
/**
 * While thousands of drawables arrive, all tiles are outdated all the time. The wait is then this part of the time since the
 * first arrival. It is below 1, because the wait would never end otherwise.
 */
const BURST_WAIT_PART = 0.6;
const BURST_MS = 300;
/** With this number of changes at once, all tiles are marked as outdated, instead of only those at the changes. */
const MAX_BOXES = 64;
const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
/** The maximum number of cached tiles besides the visible ones and the overview. */
const MAX_CACHED = 24;

/**
 * The tiles of a scene that is too large to be painted in a frame. They are painted by a worker or in time slices. Tiles of the
 * camera's scale are shown above tiles of its previous scale, and these above a coarse overview, so that no part is ever blank.
 */
export class Tiles {
  #worker;
  #now;
  #ink;
  /** @type {Map<number, Map<string, Tile>>} by scale, then by position */
  #scales = new Map();
  /** @type {{ tile: Tile, revision: number }[]} requested tiles, in order */
  #pending = [];
  #revision = 0;
  #changedAt = -Infinity;
  #burstSince = 0;
  #burstAt = -Infinity;
  /** The camera's scale when it last rested, and the one before. */
  #scale = 0;
  #scaleBefore = 0;
  #overviewScale = 0;
  #isAtRest = false;
  /** @type {Tile[]} of the camera's scale, in the last frame; none while it zooms */
  #seen = [];
  /** @type {Tile[]} */
  #overview = [];

  /** @param {TileWorker} worker @param {() => number} now milliseconds @param {() => string} ink the color of adaptive ink */
  constructor(worker, now, ink) {
    this.#worker = worker;
    this.#now = now;
    this.#ink = ink;
  }

  /** Counts changes of the scene. */
  get revision() {
    return this.#revision;
  }

  /** True if the camera has the scale at which it last rested. */
  get isAtRest() {
    return this.#isAtRest;
  }

  /** @returns {readonly Tile[]} of the camera's scale, in the last frame; none while it zooms */
  get seen() {
    return this.#seen;
  }

  /** True if a visible tile is missing or older than the scene. */
  get isOutdated() {
    return !this.#isAtRest || this.#seen.some(isOutdated) || this.#overview.some(isOutdated);
  }

  /** True if the overview is complete, so that no part of the scene is blank. */
  get hasOverview() {
    return this.#overview.length > 0 && this.#overview.every(({ image }) => image);
  }

  /** @param {Drawable[]} drawables @param {(item: import('../../model/item.js').Item) => HTMLCanvasElement} imageOf */
  put(drawables, imageOf) {
    this.#worker.put(drawables, imageOf);
    this.#invalidate(drawables);
  }

  /** @param {Drawable[]} drawables */
  remove(drawables) {
    this.#worker.remove(drawables);
    this.#invalidate(drawables);
  }

  /** Stores the image of the tile that was requested first. @param {Image} image */
  receive(image) {
    const pending = this.#pending.shift();
    pending?.tile.painted(image, pending.revision, this.#now());
  }

  /** Marks all tiles as outdated. They stay visible until they are painted again. */
  invalidateAll() {
    this.#revision += 1;
    for (const tile of this.#all()) tile.invalidate(this.#revision);
  }

  /** Follows the camera, and requests missing and outdated tiles. @param {View} view @param {boolean} isZooming */
  update(view, isZooming) {
    const { scale } = view.transform;
    if (!isZooming && scale !== this.#scale) [this.#scaleBefore, this.#scale] = [this.#scale, scale];
    this.#isAtRest = scale === this.#scale;
    this.#seen = this.#isAtRest ? this.#within(scale, view, true) : [];
    this.#overview = this.#allOf(this.#overviewScaleOf(view), view);
    const now = this.#now();
    for (const tile of [...this.#seen, ...this.#overview]) tile.usedAt = now;
    this.#evict();
    for (const tile of this.#nextTiles(view, now)) {
      if (this.#pending.length >= MAX_PENDING) break;
      tile.askedAt = now;
      this.#pending.push({ tile, revision: this.#revision });
      this.#worker.paint({ ...tile.part, ink: this.#ink() });
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {View} view @param {() => void} under paints the background of missing tiles
   */
  draw(context, view, under) {
    const layers = [this.#overview];
    for (const scale of new Set([this.#scaleBefore, this.#scale])) {
      if (scale !== view.transform.scale) layers.push(this.#within(scale, view, false));
    }
    layers.push(this.#seen);
    // Nothing is painted below a layer that covers the view.
    let lowest = layers.length - 1;
    while (lowest > 0 && !this.#covers(layers[lowest], view)) lowest -= 1;
    if (lowest === 0 && !this.hasOverview) under();
    context.setTransform(1, 0, 0, 1, 0, 0);
    for (const layer of layers.slice(lowest)) {
      for (const tile of layer) tile.draw(context, view.transform);
    }
  }

  stop() {
    this.#worker.stop();
    for (const tile of this.#all()) tile.close();
    this.#scales.clear();
  }

  *#all() {
    for (const tiles of this.#scales.values()) yield* tiles.values();
  }

  /** @param {Drawable[]} drawables */
  #invalidate(drawables) {
    this.#revision += 1;
    const now = this.#now();
    this.#changedAt = now;
    if (drawables.length >= MAX_BOXES) {
      if (!this.#isBursting(now)) this.#burstSince = now;
      this.#burstAt = now;
    }
    const boxes = drawables.length < MAX_BOXES ? drawables.map(({ bounds }) => bounds) : [EVERYWHERE];
    for (const tile of this.#all()) if (boxes.some((box) => tile.meets(box))) tile.invalidate(this.#revision);
  }

  /** @param {number} now */
  #isBursting(now) {
    return now - this.#burstAt < BURST_MS;
  }

  /** @param {View} view @param {number} now @returns {Tile[]} the tiles to be painted, most urgent first */
  #nextTiles({ transform, width, height }, now) {
    const [x, y] = [width / 2, height / 2];
    const seen = this.#seen.filter(isOutdated).sort((a, b) =>
      a.distance(transform, x, y) - b.distance(transform, x, y)
    );
    const overview = this.#overview.filter(isOutdated);
    const isMissing = (/** @type {Tile} */ { image }) => !image;
    const least = Math.max(MIN_WAIT_MS, this.#isBursting(now) ? (now - this.#burstSince) * BURST_WAIT_PART : 0);
    const isQuiet = now - this.#changedAt > QUIET_MS;
    const isDue = (/** @type {Tile} */ { image, askedAt, paintMs }) =>
      image && (isQuiet || now - askedAt > Math.max(least, WAIT_FACTOR * paintMs));
    return [
      ...seen.filter(isMissing),
      ...overview.filter(isMissing),
      ...seen.filter(isDue),
      ...overview.filter((tile) => isDue(tile) && (isQuiet || now - tile.askedAt > OVERVIEW_WAIT_MS)),
    ].filter((tile) => !this.#pending.some((pending) => pending.tile === tile));
  }

  /**
   * @param {number} scale @param {View} view @param {boolean} isMade true to create missing tiles
   * @returns {Tile[]} the visible tiles of that scale
   */
  #within(scale, view, isMade) {
    const tiles = this.#scales.get(scale) ?? new Map();
    if (isMade) this.#scales.set(scale, tiles);
    const [left, right, top, bottom] = squaresWithin(scale, view);
    // At an earlier scale, the view may cover a huge number of squares, of which only a few have tiles.
    if (!isMade) return [...tiles.values()].filter(({ x, y }) => x >= left && x < right && y >= top && y < bottom);
    const found = [];
    for (let x = left; x < right; x += 1) {
      for (let y = top; y < bottom; y += 1) {
        const key = `${x},${y}`;
        if (!tiles.has(key)) tiles.set(key, new Tile(scale, x, y));
        found.push(tiles.get(key));
      }
    }
    return found;
  }

  /** @param {number} scale @param {View} view @returns {Tile[]} the tiles of the whole scene */
  #allOf(scale, { bounds }) {
    const everywhere = { transform: { scale, x: 1e9, y: 1e9 }, width: 2e9, height: 2e9, bounds };
    return this.#within(scale, everywhere, true);
  }

  /** @param {View} view */
  #overviewScaleOf({ bounds }) {
    if (!bounds) return this.#overviewScale;
    const length = Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top);
    // A power of two, so that the scale changes rarely while the scene grows.
    this.#overviewScale = Math.min(1, 2 ** Math.floor(Math.log2(MAX_OVERVIEW_SIDE / length)));
    return this.#overviewScale;
  }

  /** @param {Tile[]} layer @param {View} view @returns {boolean} true if the layer shows the whole visible part of the scene */
  #covers(layer, view) {
    if (layer.some(({ image }) => !image)) return false;
    if (layer === this.#seen) return this.#isAtRest;
    if (layer.length === 0) return false;
    const [left, right, top, bottom] = squaresWithin(layer[0].scale, view);
    return layer.length === (right - left) * (bottom - top);
  }

  #evict() {
    const needed = new Set([...this.#seen, ...this.#overview, ...this.#pending.map(({ tile }) => tile)]);
    const isWhole = this.#seen.length > 0 && this.#seen.every(({ image }) => image);
    const others = [...this.#all()].filter((tile) => !needed.has(tile)).sort((a, b) => b.usedAt - a.usedAt);
    others.forEach((tile, at) => {
      if (at < MAX_CACHED && (tile.image && !isOutdated(tile) || !isWhole && tile.image)) return;
      tile.close();
      this.#scales.get(tile.scale)?.delete(tile.key);
    });
    for (const [scale, tiles] of this.#scales) if (tiles.size === 0) this.#scales.delete(scale);
  }
}

/**
 * @param {number} scale @param {View} view
 * @returns {number[]} the visible squares of that scale within the scene: the first column, the one after the last, and the same
 *   for rows
 */
function squaresWithin(scale, { transform, width, height, bounds }) {
  if (!bounds || scale === 0) return [0, 0, 0, 0];
  const factor = scale / transform.scale;
  return [
    Math.floor(Math.max(-transform.x * factor, bounds.left * scale) / TILE),
    Math.ceil(Math.min((width - transform.x) * factor, bounds.right * scale) / TILE),
    Math.floor(Math.max(-transform.y * factor, bounds.top * scale) / TILE),
    Math.ceil(Math.min((height - transform.y) * factor, bounds.bottom * scale) / TILE),
  ];
}
