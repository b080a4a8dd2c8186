/** Paints any part of all that is drawn, as it is told to it. Knows no document: a worker does it, or the page in slices. */

import { SpatialIndex } from '../../model/spatialIndex.js';
import { lookOf, paintShape } from '../shapePainter.js';
import { drawnBefore } from '../../model/stroke.js';
import { Text } from '../../model/text.js';

/**
 * @typedef {import('../../model/shapes.js').Shape} Shape
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('../../model/stroke.js').Bounds} Bounds
 * @typedef {ImageBitmap | HTMLCanvasElement} Image
 *
 * @typedef {object} Told
 * @property {string} id
 * @property {number} z
 * @property {Bounds} bounds
 * @property {any} [look] of a shape: all that is its own but its points
 * @property {number} [points] how many numbers are its points; its pressures come after them
 * @property {number} [pressures]
 * @property {Image} [image] of what is no shape, as large as its bounds
 *
 * @typedef {{ id: string, z: number, bounds: Bounds, shape: Shape | null, image: Image | null }} Placed
 */

/**
 * @param {Drawable[]} drawables @param {(drawable: import('../../model/item.js').Item) => Image} imageOf
 * @returns {{ told: Told[], numbers: Float64Array<ArrayBuffer> }}
 */
export function tell(drawables, imageOf) {
  const told = drawables.map((drawable) => toldOf(drawable, imageOf));
  const numbers = new Float64Array(told.reduce((sum, { points = 0, pressures = 0 }) => sum + points + pressures, 0));
  let at = 0;
  for (const drawable of drawables) {
    if (!('points' in drawable)) continue;
    numbers.set(drawable.points, at);
    at += drawable.points.length;
    numbers.set(drawable.pressures ?? [], at);
    at += drawable.pressures?.length ?? 0;
  }
  return { told, numbers };
}

/** @param {Drawable} drawable @param {(drawable: import('../../model/item.js').Item) => Image} imageOf @returns {Told} */
function toldOf(drawable, imageOf) {
  const { id, z, bounds } = drawable;
  if ('place' in drawable) return { id, z, bounds, image: imageOf(drawable) };
  if (!('points' in drawable)) return { id, z, bounds, look: { ...drawable } };
  const { points, pressures, ...look } = drawable;
  return { id, z, bounds, look, points: points.length, pressures: pressures?.length ?? 0 };
}

/** @param {Told[]} told @param {Float64Array} numbers @returns {Placed[]} */
export function hear(told, numbers) {
  let at = 0;
  return told.map(({ id, z, bounds, look, points, pressures = 0, image = null }) => {
    if (points === undefined) return { id, z, bounds, shape: look ? new Text(look) : null, image };
    const shape = { ...look, points: numbers.subarray(at, at + points), pressures: null };
    at += points;
    if (pressures > 0) shape.pressures = numbers.subarray(at, at + pressures);
    at += pressures;
    return { id, z, bounds, shape, image };
  });
}

/**
 * @typedef {import('../shapePainter.js').Context} Context
 */

/** In device pixels: what is broader has a shape. */
const THIN = 1;
const NEAR = 0.7;

/** Paints strokes that are thinner than a pixel: as lines, without the points between which nobody could see a way. */
export class ThinLines {
  #context;
  #scale;
  #color = '';
  #width = 0;

  /** @param {Context} context in points of the plane @param {number} scale device pixels a point */
  constructor(context, scale) {
    this.#context = context;
    this.#scale = scale;
  }

  /** @param {Shape} shape @returns {boolean} whether it is painted, or will be with the next or at the end */
  paint(shape) {
    if (!('points' in shape) || shape.width * this.#scale > THIN || lookOf(shape).alpha < 1) return false;
    if (shape.rgb !== this.#color || shape.width !== this.#width) {
      this.end();
      this.#context.beginPath();
      [this.#color, this.#width] = [shape.rgb, shape.width];
    }
    follow(this.#context, shape.points, NEAR / this.#scale);
    return true;
  }

  /** What comes next lies above all that was painted. */
  end() {
    if (this.#width === 0) return;
    this.#context.strokeStyle = this.#color;
    this.#context.lineWidth = this.#width;
    this.#context.stroke();
    this.#width = 0;
  }
}

/** @param {Context} context @param {ArrayLike<number>} points @param {number} near */
function follow(context, points, near) {
  let [x, y] = [points[0], points[1]];
  const last = points.length - 2;
  context.moveTo(x, y);
  for (let at = 2; at < last; at += 2) {
    if (Math.abs(points[at] - x) < near && Math.abs(points[at + 1] - y) < near) continue;
    [x, y] = [points[at], points[at + 1]];
    context.lineTo(x, y);
  }
  // A dot is to be seen too.
  const isDot = x === points[last] && y === points[last + 1];
  context.lineTo(points[last] + (isDot ? near : 0), points[last + 1]);
}

/**
 * @typedef {{ scale: number, left: number, top: number, size: number }} Part of the plane: device pixels a point, and a square of these
 */

/** So many are painted between two looks at the clock. */
const STEP = 50;

/** Holds all that is drawn and paints any part of it. Knows no document: a worker does it, or the page in slices. */
export class TilePainter {
  /** @type {SpatialIndex<Placed>} */
  #grid = new SpatialIndex();
  /** @type {Map<string, Placed>} */
  #placed = new Map();

  /** What is already there under the same id makes room. @param {Told[]} told @param {Float64Array} numbers */
  put(told, numbers) {
    for (const one of hear(told, numbers)) {
      this.#drop(one.id);
      this.#placed.set(one.id, one);
      this.#grid.put(one);
    }
  }

  /** @param {string[]} ids */
  drop(ids) {
    for (const id of ids) this.#drop(id);
  }

  /** @param {Context} context @param {Part} part @returns {Generator<void>} stops now and then */
  *paint(context, { scale, left, top, size }) {
    const bounds = { left: left / scale, top: top / scale, right: (left + size) / scale, bottom: (top + size) / scale };
    const all = this.#grid.within(bounds).sort(drawnBefore);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, size, size);
    context.setTransform(scale, 0, 0, scale, -left, -top);
    const lines = new ThinLines(context, scale);
    for (const [at, { shape, image, bounds }] of all.entries()) {
      if (at % STEP === STEP - 1) yield;
      if (shape && lines.paint(shape)) continue;
      lines.end();
      // A copy: the paths that are made for a shape are kept as long as it is, and these would be too many.
      if (shape) paintShape(context, 'text' in shape ? shape : { ...shape });
      else if (image) {
        context.drawImage(image, bounds.left, bounds.top, bounds.right - bounds.left, bounds.bottom - bounds.top);
      }
    }
    lines.end();
  }

  /** @param {string} id */
  #drop(id) {
    const placed = this.#placed.get(id);
    if (!placed) return;
    this.#placed.delete(id);
    this.#grid.remove(placed);
    if (placed.image && 'close' in placed.image) placed.image.close();
  }
}
