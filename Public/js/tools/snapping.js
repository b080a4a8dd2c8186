/** Snapping: the edges and centers of moving objects snap to those of other objects in view. */

import { grown } from '../model/selectionBox.js';
import { centerOf } from '../model/rotation.js';
import { isShapeTool } from '../model/strokeOutline.js';
import { overlap } from '../model/stroke.js';

/**
 * @typedef {import('../model/rotation.js').Point} Point
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {{ from: Point, to: Point }} Guide a line through edges or centers that coincide
 *
 * An edge or the center of an object.
 * @typedef {object} Line
 * @property {number} at its position on one axis
 * @property {number} low the extent of the object on the other axis
 * @property {number} high
 *
 * @typedef {object} Parts
 * @property {import('../model/scene.js').Items} items
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => void} changed the guides have changed
 */

/** The maximum distance over which an edge or a center snaps, in pixels. */
const REACH = 6;
/** The maximum distance of positions that count as equal, in points, because coordinates are rounded to hundredths. */
const SLACK = 0.011;
/** The maximum number of objects to which others snap. If more are in view, only some of those near the moving box count. */
const MAX_OBJECTS = 300;
/**
 * Two distances in pixels: the margin around the moving box in which objects count as near, and the distance after which they are
 * searched again.
 */
const NEAR = 240;
const RENEWED = 120;
/** The minimum size of freehand lines to which others snap, in pixels. Most smaller lines are letters. */
const MIN_INK = 64;

/** Finds the other objects' edges and centers, and corrects positions near them. */
export class Snapping {
  #parts;
  isOn = true;
  /** @type {readonly Guide[]} */
  guides = [];
  /** The ids of the objects that move. @type {ReadonlySet<string>} */
  #moving = new Set();
  /** The lines of the other objects by axis, x and y, by position; null: to be found. @type {[Line[], Line[]] | null} */
  #lines = null;
  #cameraVersion = -1;
  /** The position of the box when `#lines` was found; null if these are the lines of the whole view. @type {Point | null} */
  #foundAt = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Begins a movement. @param {ReadonlySet<string>} moving the ids of the objects that move */
  begin(moving) {
    this.#moving = moving;
    this.#lines = null;
    this.#foundAt = null;
  }

  /** Ends the movement, and removes the guides. */
  end() {
    this.#lines = null;
    this.#show([]);
  }

  /**
   * Corrects a moved box.
   * @param {Bounds} box @param {{ alt?: boolean }} sample with Alt nothing is corrected
   * @returns {Point} the offset that makes one of its edges or centers coincide with another object's
   */
  snapBox(box, { alt }) {
    if (!this.isOn || alt) return this.#none([0, 0]);
    const [xs, ys] = [sidesOf(box.left, box.right), sidesOf(box.top, box.bottom)];
    const [dx, dy] = [this.#correction(0, xs, box) ?? 0, this.#correction(1, ys, box) ?? 0];
    const moved = { left: box.left + dx, top: box.top + dy, right: box.right + dx, bottom: box.bottom + dy };
    this.#guide(moved, xs.map((x) => x + dx), ys.map((y) => y + dy));
    return [dx, dy];
  }

  /**
   * Corrects a corner of a new shape.
   * @param {{ x: number, y: number, shift?: boolean, alt?: boolean }} sample with Alt, or with Shift from the second corner on,
   *   nothing is corrected
   * @param {Point} [from] the opposite corner @returns {Point}
   */
  snapPoint({ x, y, shift, alt }, from) {
    if (!this.isOn || alt || shift && from) return this.#none([x, y]);
    const near = boxOfCorners([x, y], from ?? [x, y]);
    const toX = x + (this.#correction(0, [x], near) ?? 0);
    const toY = y + (this.#correction(1, [y], near) ?? 0);
    this.#guide(boxOfCorners([toX, toY], from ?? [toX, toY]), [toX], [toY]);
    return [toX, toY];
  }

  /**
   * Corrects the factor of a resize about a point.
   * @param {Bounds} box before the resize @param {Point} anchor @param {Point} corner the dragged one @param {number} factor
   * @param {{ alt?: boolean }} sample with Alt nothing is corrected @returns {number}
   */
  snapFactor(box, [x, y], [cornerX, cornerY], factor, { alt }) {
    if (!this.isOn || alt) return this.#none(factor);
    const resized = (/** @type {number} */ by) => ({
      left: x + (box.left - x) * by,
      top: y + (box.top - y) * by,
      right: x + (box.right - x) * by,
      bottom: y + (box.bottom - y) * by,
    });
    const [atX, atY] = [x + (cornerX - x) * factor, y + (cornerY - y) * factor];
    const near = resized(factor);
    const candidates = [[this.#correction(0, [atX], near), cornerX - x], [
      this.#correction(1, [atY], near),
      cornerY - y,
    ]];
    let [snapped, least] = [factor, Infinity];
    for (const [by, length] of candidates) {
      if (by === null || !length || Math.abs(by) >= least) continue;
      const corrected = factor + by / length;
      if (corrected > 0) [snapped, least] = [corrected, Math.abs(by)];
    }
    this.#guide(resized(snapped), [x + (cornerX - x) * snapped], [y + (cornerY - y) * snapped]);
    return snapped;
  }

  /** @template T @param {T} value @returns {T} the same, without guides */
  #none(value) {
    this.#show([]);
    return value;
  }

  /**
   * @param {0 | 1} axis @param {number[]} positions @param {Bounds} box that moves
   * @returns {number | null} the smallest offset from one of the positions to a line; null: none is near
   */
  #correction(axis, positions, box) {
    const lines = this.#linesNear(box)[axis];
    let [nearest, least] = [/** @type {number | null} */ (null), REACH / this.#parts.camera.scale];
    for (const position of positions) {
      const next = indexFrom(lines, position);
      for (const line of [lines[next - 1], lines[next]]) {
        if (!line || Math.abs(line.at - position) > least) continue;
        if (nearest !== null && Math.abs(line.at - position) === least) continue;
        [nearest, least] = [line.at - position, Math.abs(line.at - position)];
      }
    }
    return nearest;
  }

  /** Shows the lines that coincide with positions of a box. @param {Bounds} box @param {number[]} xs @param {number[]} ys */
  #guide(box, xs, ys) {
    const [vertical, horizontal] = this.#linesNear(box);
    this.#show([
      ...xs.flatMap((x) => {
        const range = rangeAt(vertical, x, box.top, box.bottom);
        return range ? [{ from: /** @type {Point} */ ([x, range[0]]), to: /** @type {Point} */ ([x, range[1]]) }] : [];
      }),
      ...ys.flatMap((y) => {
        const range = rangeAt(horizontal, y, box.left, box.right);
        return range ? [{ from: /** @type {Point} */ ([range[0], y]), to: /** @type {Point} */ ([range[1], y]) }] : [];
      }),
    ]);
  }

  /** @param {readonly Guide[]} guides */
  #show(guides) {
    if (guides.length + this.guides.length === 0) return;
    this.guides = guides;
    this.#parts.changed();
  }

  /** @param {Bounds} box that moves @returns {[Line[], Line[]]} the lines of the other objects */
  #linesNear(box) {
    const { camera, view } = this.#parts;
    const [x, y] = centerOf(box);
    const isSameView = this.#lines !== null && this.#cameraVersion === camera.version;
    const isFar = this.#foundAt !== null &&
      Math.hypot(x - this.#foundAt[0], y - this.#foundAt[1]) * camera.scale > RENEWED;
    if (this.#lines && isSameView && !isFar) return this.#lines;
    this.#cameraVersion = camera.version;
    let objects = isSameView ? null : this.#objectsWithin(camera.seen(view.width, view.height));
    if (objects && objects.length <= MAX_OBJECTS) this.#foundAt = null;
    else {
      objects = this.#objectsWithin(grown(box, NEAR / camera.scale)).slice(0, MAX_OBJECTS);
      this.#foundAt = [x, y];
    }
    const extents = objects.map(({ extent }) => extent);
    const sorted = (/** @type {Line[]} */ lines) => lines.sort((a, b) => a.at - b.at);
    return this.#lines = [
      sorted(
        extents.flatMap(({ left, top, right, bottom }) =>
          sidesOf(left, right).map((at) => ({ at, low: top, high: bottom }))
        ),
      ),
      sorted(
        extents.flatMap(({ left, top, right, bottom }) =>
          sidesOf(top, bottom).map((at) => ({ at, low: left, high: right }))
        ),
      ),
    ];
  }

  /** @param {Bounds} area @returns {Drawable[]} the objects that attract others */
  #objectsWithin(area) {
    const { items, index, camera } = this.#parts;
    const least = MIN_INK / camera.scale;
    const shapes = index.within(area).filter((shape) => {
      if (this.#moving.has(shape.id)) return false;
      if ('text' in shape || isShapeTool(shape.tool)) return true;
      const { left, top, right, bottom } = shape.extent;
      return Math.max(right - left, bottom - top) >= least;
    });
    return [...items.all.filter(({ id, bounds }) => !this.#moving.has(id) && overlap(bounds, area)), ...shapes];
  }
}

/** @param {Point} one @param {Point} other @returns {Bounds} */
function boxOfCorners([x, y], [otherX, otherY]) {
  return {
    left: Math.min(x, otherX),
    top: Math.min(y, otherY),
    right: Math.max(x, otherX),
    bottom: Math.max(y, otherY),
  };
}

/** @param {number} from @param {number} to @returns {number[]} both, and their middle */
function sidesOf(from, to) {
  return [from, (from + to) / 2, to];
}

/** @param {readonly Line[]} lines sorted @param {number} position @returns {number} the index of the first one at or after it */
function indexFrom(lines, position) {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle].at < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param {readonly Line[]} lines sorted @param {number} position @param {number} low @param {number} high of the moving box
 * @returns {[number, number] | null} the extent of the box and of all objects with a line there; null: there is no line
 */
function rangeAt(lines, position, low, high) {
  let isFound = false;
  for (let at = indexFrom(lines, position - SLACK); lines[at]?.at <= position + SLACK; at += 1) {
    isFound = true;
    [low, high] = [Math.min(low, lines[at].low), Math.max(high, lines[at].high)];
  }
  return isFound ? [low, high] : null;
}
