/** The positions of connected ends: the position of an end on its object, and the points of a connection as it is shown. */

import { canConnect } from './connection.js';
import { isInside } from './lineStyle.js';
import { boundsOfRotated, centerOf, mapping, rotationAbout } from './rotation.js';
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
 * @typedef {{ corner: Point, across: Point, down: Point }} Frame a corner of an object, and the sides that begin there
 */

/** The distance, in points, within which an end is already at its position, because coordinates are rounded. */
const SLACK = 0.03;
/** The inverse of the step to which positions on an object are rounded, as parts of a side. */
const FINENESS = 1e6;

/** @param {Drawable} one @returns {boolean} true if ends of lines can be attached to it */
export function canHoldEnds(one) {
  return 'place' in one || one instanceof Text || isClosed(one.tool);
}

/** @param {Drawable} one @returns {Bounds} the bounds around it, without the width of its line */
export function boundsForEnds(one) {
  return one instanceof Text ? boundsOfRotated(one.box, one.angle) : one.extent;
}

/**
 * Returns the frame to which ends are attached. It is rotated with the object. Rectangles and ellipses have no angle, because
 * their points are rotated. So the frame of a rectangle begins at its first point, and the frame of an ellipse has the directions
 * of its axes.
 * @param {Drawable} one @returns {Frame}
 */
function frameOf(one) {
  if (one instanceof Stroke) return frameOfStroke(one);
  const { box, angle } = one;
  const { left, top, right, bottom } = box;
  return frameBetween(mapping(rotationAbout(angle, centerOf(box))), [left, top], [right, bottom]);
}

/** @param {Stroke} stroke @returns {Frame} */
function frameOfStroke({ tool, points, extent: { left, top, right, bottom } }) {
  const at = (/** @type {number} */ index) => /** @type {Point} */ ([points[2 * index], points[2 * index + 1]]);
  const count = points.length / 2;
  if (tool === 'rectangle' && count === 5) {
    const [corner, second, , fourth] = [0, 1, 2, 3].map(at);
    return { corner, across: between(corner, second), down: between(corner, fourth) };
  }
  // The first point, which is repeated as the last one, is an end of an axis. The other ends of the axes are at the quarters.
  if (tool === 'ellipse' && count % 4 === 1) {
    const quarter = (count - 1) / 4;
    const [first, below, opposite, above] = [0, 1, 2, 3].map((part) => at(part * quarter));
    const [across, down] = [between(opposite, first), between(above, below)];
    return { corner: [opposite[0] - down[0] / 2, opposite[1] - down[1] / 2], across, down };
  }
  return frameBetween((x, y) => [x, y], [left, top], [right, bottom]);
}

/** @param {(x: number, y: number) => Point} map @param {Point} from @param {Point} to opposite corners @returns {Frame} */
function frameBetween(map, [left, top], [right, bottom]) {
  const corner = map(left, top);
  return { corner, across: between(corner, map(right, top)), down: between(corner, map(left, bottom)) };
}

/** @param {Point} from @param {Point} to @returns {Point} */
function between(from, to) {
  return [to[0] - from[0], to[1] - from[1]];
}

/**
 * Returns the topmost object to which an end at a point would be attached. A rectangle or an ellipse without a fill attracts ends
 * everywhere inside, unless it is large, because a large shape is usually a frame around other objects.
 * @param {Pick<Plane, 'items' | 'index'>} plane @param {Point} point @param {number} reach points
 * @param {number} largest the largest side of such a shape
 * @returns {Drawable | null}
 */
export function objectForEnd({ items, index }, [x, y], reach, largest) {
  /** @type {(Drawable | null)[]} */
  const hits = [...index.near([x, y], [x, y], reach), items.at(x, y)];
  const around = index.within({ left: x, top: y, right: x, bottom: y })
    .filter((shape) => 'tool' in shape && isClosed(shape.tool) && isInside(shape.points, [x, y]))
    .filter(({ bounds }) => sideOf(bounds) <= largest);
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
export function endAt(one, point) {
  const { corner, across, down } = frameOf(one);
  const [x, y] = between(corner, point);
  const part = (/** @type {Point} */ side) => {
    const square = side[0] ** 2 + side[1] ** 2;
    const exact = square > 0 ? (x * side[0] + y * side[1]) / square : 0.5;
    return Math.min(2, Math.max(-1, Math.round(exact * FINENESS) / FINENESS));
  };
  return { id: one.id, x: part(across), y: part(down) };
}

/**
 * Returns a connection with its ends at the present positions of the objects.
 * @param {Shape} shape @param {(id: string) => Drawable | null} find returns an object
 * @returns {Shape} the same shape if it is no connection, or its ends have these positions already. An end whose object does not
 *   exist stays
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
  const { corner, across, down } = frameOf(one);
  return [
    corner[0] + end.x * across[0] + end.y * down[0],
    corner[1] + end.x * across[1] + end.y * down[1],
  ];
}

/** @param {Point} a @param {Point} b */
function isNear(a, b) {
  return Math.abs(a[0] - b[0]) <= SLACK && Math.abs(a[1] - b[1]) <= SLACK;
}
