/** The tile worker's copy of the scene: its serialization, and the painting of any part. Needs no document. */

import { SpatialIndex } from '../../model/spatialIndex.js';
import { paintShape, paintStyleOf } from '../shapePainter.js';
import { drawnBefore } from '../../model/stroke.js';
import { Text } from '../../model/text.js';

/**
 * @typedef {import('../../model/shapes.js').Shape} Shape
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('../../model/stroke.js').Bounds} Bounds
 * @typedef {ImageBitmap | HTMLCanvasElement} Image
 *
 * @typedef {object} SerializedItem
 * @property {string} id
 * @property {number} z
 * @property {Bounds} bounds
 * @property {any} [style] the properties of a shape without its points and pressures
 * @property {number} [points] the number of its coordinates in `numbers`; its pressures follow them
 * @property {number} [pressures]
 * @property {Image} [image] the picture of an item, as large as its bounds
 *
 * @typedef {{ id: string, z: number, bounds: Bounds, shape: Shape | null, image: Image | null }} TileItem
 */

/**
 * @param {Drawable[]} drawables @param {(drawable: import('../../model/item.js').Item) => Image} imageOf
 * @returns {{ items: SerializedItem[], numbers: Float64Array<ArrayBuffer> }}
 */
export function serialize(drawables, imageOf) {
  const items = drawables.map((drawable) => serializeItem(drawable, imageOf));
  const numbers = new Float64Array(items.reduce((sum, { points = 0, pressures = 0 }) => sum + points + pressures, 0));
  let at = 0;
  for (const drawable of drawables) {
    if (!('points' in drawable)) continue;
    numbers.set(drawable.points, at);
    at += drawable.points.length;
    numbers.set(drawable.pressures ?? [], at);
    at += drawable.pressures?.length ?? 0;
  }
  return { items, numbers };
}

/**
 * @param {Drawable} drawable @param {(drawable: import('../../model/item.js').Item) => Image} imageOf @returns {SerializedItem}
 */
function serializeItem(drawable, imageOf) {
  const { id, z, bounds } = drawable;
  if ('place' in drawable) return { id, z, bounds, image: imageOf(drawable) };
  if (!('points' in drawable)) return { id, z, bounds, style: { ...drawable } };
  const { points, pressures, ...style } = drawable;
  return { id, z, bounds, style, points: points.length, pressures: pressures?.length ?? 0 };
}

/** @param {SerializedItem[]} items @param {Float64Array} numbers @returns {TileItem[]} */
export function deserialize(items, numbers) {
  let at = 0;
  return items.map(({ id, z, bounds, style, points, pressures = 0, image = null }) => {
    if (points === undefined) return { id, z, bounds, shape: style ? new Text(style) : null, image };
    const shape = { ...style, points: numbers.subarray(at, at + points), pressures: null };
    at += points;
    if (pressures > 0) shape.pressures = numbers.subarray(at, at + pressures);
    at += pressures;
    return { id, z, bounds, shape, image };
  });
}

/**
 * @typedef {import('../shapePainter.js').Context} Context
 */

/** The maximum width of a hairline, in device pixels. A broader stroke is painted as an outline. */
const MAX_HAIRLINE_WIDTH = 1;
const MIN_POINT_DISTANCE = 0.7;

/** Paints strokes thinner than a pixel as polylines, and skips points that are closer than a pixel to the last one. */
export class HairlineBatch {
  #context;
  #scale;
  #ink;
  #color = '';
  #width = 0;

  /** @param {Context} context in points of the plane @param {number} scale device pixels per point @param {string} ink */
  constructor(context, scale, ink) {
    this.#context = context;
    this.#scale = scale;
    this.#ink = ink;
  }

  /** Adds a shape to the batch. @param {Shape} shape @returns {boolean} false if it is no hairline */
  paint(shape) {
    if (!('points' in shape) || shape.width * this.#scale > MAX_HAIRLINE_WIDTH) return false;
    const { color, alpha, dashes, area } = paintStyleOf(shape, this.#ink);
    if (alpha < 1 || dashes || area > 0) return false;
    if (color !== this.#color || shape.width !== this.#width) {
      this.end();
      this.#context.beginPath();
      [this.#color, this.#width] = [color, shape.width];
    }
    traceHairline(this.#context, shape.points, MIN_POINT_DISTANCE / this.#scale);
    return true;
  }

  /** Paints the collected strokes, so that the next ones are above them. */
  end() {
    if (this.#width === 0) return;
    this.#context.strokeStyle = this.#color;
    this.#context.lineWidth = this.#width;
    this.#context.stroke();
    this.#width = 0;
  }
}

/** @param {Context} context @param {ArrayLike<number>} points @param {number} near */
function traceHairline(context, points, near) {
  let [x, y] = [points[0], points[1]];
  const last = points.length - 2;
  context.moveTo(x, y);
  for (let at = 2; at < last; at += 2) {
    if (Math.abs(points[at] - x) < near && Math.abs(points[at + 1] - y) < near) continue;
    [x, y] = [points[at], points[at + 1]];
    context.lineTo(x, y);
  }
  // A dot must be visible, too.
  const isDot = x === points[last] && y === points[last + 1];
  context.lineTo(points[last] + (isDot ? near : 0), points[last + 1]);
}

/**
 * @typedef {{ scale: number, left: number, top: number, size: number, ink: string }} Part a square part of the plane: device
 *   pixels per point; left, top and side in device pixels; and the color of adaptive ink
 */

/** The number of items between two checks of the clock. */
const ITEMS_PER_STEP = 50;

/** Stores the scene and paints any part of it. Runs in a worker, or on the page in time slices. */
export class TilePainter {
  /** @type {SpatialIndex<TileItem>} */
  #index = new SpatialIndex();
  /** @type {Map<string, TileItem>} */
  #items = new Map();

  /** Adds items, or replaces those with the same id. @param {SerializedItem[]} items @param {Float64Array} numbers */
  put(items, numbers) {
    for (const one of deserialize(items, numbers)) {
      this.#remove(one.id);
      this.#items.set(one.id, one);
      this.#index.put(one);
    }
  }

  /** @param {string[]} ids */
  remove(ids) {
    for (const id of ids) this.#remove(id);
  }

  /** @param {Context} context @param {Part} part @returns {Generator<void>} yields after a number of items */
  *paint(context, { scale, left, top, size, ink }) {
    const bounds = { left: left / scale, top: top / scale, right: (left + size) / scale, bottom: (top + size) / scale };
    const all = this.#index.within(bounds).sort(drawnBefore);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, size, size);
    context.setTransform(scale, 0, 0, scale, -left, -top);
    const lines = new HairlineBatch(context, scale, ink);
    for (const [at, { shape, image, bounds }] of all.entries()) {
      if (at % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
      if (shape && lines.paint(shape)) continue;
      lines.end();
      // Paints a copy, because the paths of a shape are cached as long as the shape exists, and would need too much memory here.
      if (shape) paintShape(context, 'text' in shape ? shape : { ...shape }, ink);
      else if (image) {
        context.drawImage(image, bounds.left, bounds.top, bounds.right - bounds.left, bounds.bottom - bounds.top);
      }
    }
    lines.end();
  }

  /** @param {string} id */
  #remove(id) {
    const item = this.#items.get(id);
    if (!item) return;
    this.#items.delete(id);
    this.#index.remove(item);
    if (item.image && 'close' in item.image) item.image.close();
  }
}
