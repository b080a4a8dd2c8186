/** The places of connected ends: where on an object an end is attached, and where a connection is shown. */

import { canConnect } from './connection.js';
import { drawnBefore, onPlane, Stroke } from './stroke.js';
import { isClosed, shapeToolPoints } from './strokeOutline.js';
import { Text } from './text.js';

/**
 * @typedef {import('./connection.js').End} End
 * @typedef {import('./hitTest.js').Plane} Plane
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./shapes.js').Shape} Shape
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./strokeOutline.js').Point} Point
 */

/** Coordinates are rounded, so an end that is no farther from its place is there, in points. */
const SLACK = 0.03;
/** The fraction to which places on an object are rounded. */
const FINENESS = 1e6;

/** @param {Drawable} one @returns {boolean} true if ends of lines can be attached to it */
export function canHoldEnds(one) {
  return 'place' in one || one instanceof Text || isClosed(one.tool);
}

/** @param {Drawable} one @returns {Bounds} the bounds to which ends are attached, without the width of its line */
export function boundsForEnds(one) {
  if ('place' in one) return one.bounds;
  if (one instanceof Text) return one.box;
  const { left, top, right, bottom } = one.bounds;
  const margin = one.width + 1;
  return { left: left + margin, top: top + margin, right: right - margin, bottom: bottom - margin };
}

/**
 * Returns the topmost object to which an end at a point would be attached. Inside of a rectangle or an ellipse that is not filled,
 * it is this shape, unless the shape is large: then it is rather a frame around other things.
 * @param {Pick<Plane, 'items' | 'index'>} plane @param {Point} point @param {number} reach points
 * @param {number} largest the largest side of such a shape
 * @returns {Drawable | null}
 */
export function objectForEnd({ items, index }, [x, y], reach, largest) {
  /** @type {(Drawable | null)[]} */
  const hits = [...index.near([x, y], [x, y], reach), items.at(x, y)];
  const around = index.within({ left: x, top: y, right: x, bottom: y })
    .filter((shape) => 'tool' in shape && isClosed(shape.tool) && sideOf(shape.bounds) <= largest);
  return topmost(hits) ?? topmost(around);
}

/** @param {(Drawable | null)[]} all @returns {Drawable | null} the topmost one to which ends can be attached */
function topmost(all) {
  const holding = all.filter((one) => one !== null).filter(canHoldEnds);
  return holding.sort(drawnBefore).at(-1) ?? null;
}

/** @param {Bounds} bounds @returns {number} the longer side */
function sideOf({ left, top, right, bottom }) {
  return Math.max(right - left, bottom - top);
}

/** @param {Drawable} one @param {Point} point @returns {End} an end at this point of it */
export function endAt(one, [x, y]) {
  const { left, top, right, bottom } = boundsForEnds(one);
  const part = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ at) =>
    to > from ? Math.min(2, Math.max(-1, Math.round((at - from) / (to - from) * FINENESS) / FINENESS)) : 0.5;
  return { id: one.id, x: part(left, right, x), y: part(top, bottom, y) };
}

/**
 * Returns a connection with its ends at the places of the objects as they are now.
 * @param {Shape} shape @param {(id: string) => Drawable | null} find returns an object
 * @returns {Shape} the same one if it is no connection, or its ends are there already. An end stays if its object does not exist
 */
export function connected(shape, find) {
  if (!(shape instanceof Stroke) || !(shape.from || shape.to) || !canConnect(shape)) return shape;
  const [x, y, toX, toY] = shape.points;
  const [from, to] = [objectOf(shape.from, find), objectOf(shape.to, find)];
  const begin = pointOn(from, shape.from) ?? [x, y];
  const end = pointOn(to, shape.to) ?? [toX, toY];
  if (isNear(begin, [x, y]) && isNear(end, [toX, toY])) return shape;
  const moved = new Stroke({ ...shape });
  moved.append(shapeToolPoints(shape.tool, begin, end, shape.width).map(onPlane), null);
  // While one of the objects is dragged, each frame shows another version.
  moved.isFinished = shape.isFinished && from?.isFinished !== false && to?.isFinished !== false;
  return moved;
}

/** @param {End | null} end @param {(id: string) => Drawable | null} find @returns {Drawable | null} */
function objectOf(end, find) {
  const one = end && find(end.id);
  return one && canHoldEnds(one) ? one : null;
}

/** @param {Drawable | null} one @param {End | null} end @returns {Point | null} */
function pointOn(one, end) {
  if (!one || !end) return null;
  const { left, top, right, bottom } = boundsForEnds(one);
  return [left + end.x * (right - left), top + end.y * (bottom - top)];
}

/** @param {Point} a @param {Point} b */
function isNear(a, b) {
  return Math.abs(a[0] - b[0]) <= SLACK && Math.abs(a[1] - b[1]) <= SLACK;
}
