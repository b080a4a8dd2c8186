/** Hit tests: the shape, item or corner at a point, and all objects that touch a rectangle. Locked objects are never found. */

import { isInside } from './lineStyle.js';
import { MAX_SIDE, MIN_SIDE } from './placement.js';
import { boundsOfRotated, centerOf, toBox } from './rotation.js';
import { isClosed } from './strokeOutline.js';
import { drawnBefore, overlap } from './stroke.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {[1 | -1, 1 | -1]} Corner the horizontal and the vertical side: right and bottom are 1
 */

/** @type {Corner[]} */
const CORNERS = [[-1, -1], [1, -1], [-1, 1], [1, 1]];

/**
 * @param {Bounds} bounds @param {number} x @param {number} y
 * @param {number} [slack] the margin around the bounds that counts too, in points
 */
export function contains({ left, top, right, bottom }, x, y, slack = 0) {
  return x >= left - slack && x <= right + slack && y >= top - slack && y <= bottom + slack;
}

/**
 * @param {import('./rotation.js').Rotated} rotated @param {number} x @param {number} y @param {number} [slack] points
 * @returns {boolean} true if the point is in the rotated box, or at most that far from it
 */
export function isOn(rotated, x, y, slack) {
  return contains(rotated.box, ...toBox(rotated, [x, y]), slack);
}

/**
 * Returns the corner at a point. Inside the bounds, a corner extends at most a quarter of the way to the next corner, so that
 * a small object can still be dragged at its middle.
 * @param {Bounds} bounds @param {number} x @param {number} y @param {number} reach points @returns {Corner | null}
 */
export function cornerAt({ left, top, right, bottom }, x, y, reach) {
  const [width, height] = [right - left, bottom - top];
  const inside = { x: Math.min(reach, width / 4), y: Math.min(reach, height / 4) };
  return CORNERS.find(([toRight, down]) => {
    const outX = (x - (left + right) / 2) * toRight - width / 2;
    const outY = (y - (top + bottom) / 2) * down - height / 2;
    return outX >= -inside.x && outX <= reach && outY >= -inside.y && outY <= reach;
  }) ?? null;
}

/**
 * Returns the factor of a resize by a corner. The opposite corner and the aspect ratio stay.
 * @param {Bounds} bounds
 * @param {Corner} corner
 * @param {number} dx
 * @param {number} dy the distance by which the corner was dragged
 * @param {boolean} isPicture true if no side may become too small
 * @returns {number}
 */
export function resizeFactor({ left, top, right, bottom }, [toRight, down], dx, dy, isPicture) {
  const [width, height] = [right - left, bottom - top];
  // The projection onto the diagonal: a movement along it counts fully, and one across it does not count.
  const along = (dx * toRight * width + dy * down * height) / (width * width + height * height);
  const least = Math.min(1, MIN_SIDE / (isPicture ? Math.min(width, height) : Math.max(width, height)));
  const most = Math.max(1, MAX_SIDE / Math.max(width, height));
  return Math.min(most, Math.max(least, 1 + along));
}

/**
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./shapes.js').Shape} Shape
 *
 * @typedef {object} Plane
 * @property {import('./shapes.js').Shapes} shapes
 * @property {import('./scene.js').Items} items
 * @property {import('./spatialIndex.js').ShapeIndex} index
 */

/**
 * @param {Plane} plane @param {number} x @param {number} y @param {number} reach points
 * @returns {Drawable | null} the topmost object at a point
 */
export function topmostAt({ items, index }, x, y, reach) {
  const on = items.all.findLast((item) => !item.isLocked && isOn(item, x, y));
  /** @type {Drawable[]} */
  const hits = index.near([x, y], [x, y], reach);
  if (on) hits.push(on);
  return topmost(hits) ?? items.at(x, y, reach);
}

/** @param {Plane} plane @param {number} x @param {number} y @returns {Shape | null} the topmost closed shape around a point */
export function closedShapeAround({ index }, x, y) {
  const around = index.within({ left: x, top: y, right: x, bottom: y });
  return topmost(around.filter((shape) => 'tool' in shape && isClosed(shape.tool) && isInside(shape.points, [x, y])));
}

/** @param {Plane} plane @param {Bounds} box @returns {Drawable[]} the objects that touch the box */
export function touching({ index, items }, box) {
  return [
    ...index.within(box).filter((shape) => meets(shape, box)),
    ...items.all.filter((item) => !item.isLocked && overlap(item.bounds, box) && meetsRotated(item, box)),
  ];
}

/** @param {Shape} shape @param {Bounds} box */
function meets(shape, box) {
  if (!('points' in shape)) return meetsRotated(shape, box);
  const { left, top, right, bottom } = box;
  const [x, y] = shape.points;
  if (x >= left && x <= right && y >= top && y <= bottom) return true;
  /** @type {[number, number][]} */
  const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
  // A shape that starts outside of the box and reaches into it crosses an edge.
  return corners.some((corner, at) => shape.touches(corner, corners[(at + 1) % 4], 0));
}

/**
 * @param {import('./rotation.js').Rotated} rotated whose bounds overlap the area @param {Bounds} area
 * @returns {boolean} true if its rotated box overlaps the area
 */
function meetsRotated({ box, angle }, area) {
  return angle === 0 || overlap(box, boundsOfRotated(area, -angle, centerOf(box)));
}

/** @template {Drawable} T @param {T[]} drawables @returns {T | null} */
function topmost(drawables) {
  return drawables.length > 0 ? drawables.reduce((a, b) => drawnBefore(a, b) > 0 ? a : b) : null;
}
