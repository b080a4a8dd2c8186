/** Finds the transform by which strokes were moved, resized or rotated together. */

import { mapping, RADIANS } from './rotation.js';
import { Stroke } from './stroke.js';

/**
 * @typedef {import('./shapes.js').Shape} Shape
 * @typedef {import('./stroke.js').Transform} Transform
 */

/** Two positions are the same if they differ by no more than this, in points: coordinates are rounded. */
const SLACK = 0.05;

/**
 * Returns the transform by which strokes were moved, resized or rotated together.
 * @param {Stroke[]} before @param {(Shape | null)[]} now the present versions; null: removed
 * @returns {Transform | null} null: they were not moved, or not together
 */
export function commonTransform(before, now) {
  /** @type {{ from: Stroke, to: Stroke }[]} */
  const pairs = [];
  for (const [at, from] of before.entries()) {
    const to = now[at];
    if (to && !(to instanceof Stroke && to.length === from.length)) return null;
    if (to) pairs.push({ from, to });
  }
  if (pairs.length === 0) return null;
  // The largest stroke gives the most exact factor, because coordinates are rounded.
  const { from, to } = pairs.reduce((a, b) => sizeOf(b.from) > sizeOf(a.from) ? b : a);
  // A stroke that is not rotated has no rounding error in its angle.
  const transforms = [transformOf(from, to), rotatedTransformOf(from, to)];
  return transforms.find((one) => pairs.every((pair) => leadsTo(one, pair.from, pair.to))) ?? null;
}

/** @param {Stroke} from @param {Stroke} to @returns {Transform} that of its first point, and of its size */
function transformOf(from, to) {
  const size = sizeOf(from);
  const factor = size > 0 ? sizeOf(to) / size : 1;
  return { factor, x: to.points[0] - from.points[0] * factor, y: to.points[1] - from.points[1] * factor };
}

/** @param {Stroke} from @param {Stroke} to @returns {Transform} that of its first point, and of the point farthest from it */
function rotatedTransformOf(from, to) {
  let [far, length] = [0, 0];
  for (let at = 2; at < from.points.length; at += 2) {
    const distance = Math.hypot(from.points[at] - from.points[0], from.points[at + 1] - from.points[1]);
    if (distance > length) [far, length] = [at, distance];
  }
  const [before, now] = [from, to].map(({ points }) => [points[far] - points[0], points[far + 1] - points[1]]);
  const linear = {
    factor: length > 0 ? Math.hypot(...now) / length : 1,
    // Not rounded: far from the first point, a hundredth of a degree is visible.
    angle: (Math.atan2(now[1], now[0]) - Math.atan2(before[1], before[0])) / RADIANS,
  };
  const [x, y] = mapping({ ...linear, x: 0, y: 0 })(from.points[0], from.points[1]);
  return { ...linear, x: to.points[0] - x, y: to.points[1] - y };
}

/** @param {Stroke} stroke */
function sizeOf({ bounds: { left, top, right, bottom }, width }) {
  return Math.max(right - left, bottom - top) - 2 * (width + 1);
}

/** @param {Transform} transform @param {Stroke} from @param {Stroke} to */
function leadsTo(transform, from, to) {
  const slack = SLACK * Math.max(1, transform.factor);
  const map = mapping(transform);
  for (let at = 0; at < from.points.length; at += 2) {
    const [x, y] = map(from.points[at], from.points[at + 1]);
    if (Math.abs(x - to.points[at]) > slack || Math.abs(y - to.points[at + 1]) > slack) return false;
  }
  return true;
}
