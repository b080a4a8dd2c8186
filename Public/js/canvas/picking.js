/** What is meant by a place on the page, and what lies in a part of it. */

import { contains } from './grip.js';
import { isClosed } from './shapes.js';
import { drawnBefore, overlap } from './stroke.js';

/**
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./marks.js').Mark} Mark
 *
 * @typedef {object} Plane
 * @property {import('./marks.js').Marks} marks
 * @property {import('./items.js').Items} items
 * @property {import('./markIndex.js').MarkIndex} index
 */

/** @param {Plane} plane @param {number} x @param {number} y @param {number} reach points @returns {Drawable | null} the topmost there */
export function topmostAt({ items, index }, x, y, reach) {
  const on = items.all.findLast(({ bounds }) => contains(bounds, x, y));
  /** @type {Drawable[]} */
  const there = index.near([x, y], [x, y], reach);
  if (on) there.push(on);
  return topmost(there) ?? items.at(x, y, reach);
}

/** @param {Plane} plane @param {number} x @param {number} y @returns {Mark | null} the topmost shape around it */
export function shapeAround({ index }, x, y) {
  const around = index.within({ left: x, top: y, right: x, bottom: y });
  return topmost(around.filter((mark) => 'tool' in mark && isClosed(mark.tool)));
}

/** @param {Plane} plane @param {Bounds} box @returns {Drawable[]} all that touches it */
export function touching({ index, items }, box) {
  return [
    ...index.within(box).filter((mark) => meets(mark, box)),
    ...items.all.filter(({ bounds }) => overlap(bounds, box)),
  ];
}

/** @param {Mark} mark @param {Bounds} box */
function meets(mark, box) {
  if (!('points' in mark)) return true;
  const { left, top, right, bottom } = box;
  const [x, y] = mark.points;
  if (x >= left && x <= right && y >= top && y <= bottom) return true;
  /** @type {[number, number][]} */
  const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
  // What begins outside and comes in crosses its edge.
  return corners.some((corner, at) => mark.touches(corner, corners[(at + 1) % 4], 0));
}

/** @template {Drawable} T @param {T[]} drawables @returns {T | null} */
function topmost(drawables) {
  return drawables.length > 0 ? drawables.reduce((a, b) => drawnBefore(a, b) > 0 ? a : b) : null;
}
