/** Finds the transform by which strokes were moved or resized together. */

import { Stroke } from './stroke.js';

/**
 * @typedef {import('./shapes.js').Shape} Shape
 * @typedef {import('./stroke.js').Transform} Transform
 */

/** Two positions are the same if they differ by no more than this, in points: coordinates are rounded. */
const SLACK = 0.05;

/**
 * Returns the transform of strokes that were moved or resized together since then.
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
  // The largest one shows the factor most exactly, because coordinates are rounded.
  const { from, to } = pairs.reduce((a, b) => sizeOf(b.from) > sizeOf(a.from) ? b : a);
  const transform = transformOf(from, to);
  return pairs.every((pair) => leadsTo(transform, pair.from, pair.to)) ? transform : null;
}

/** @param {Stroke} from @param {Stroke} to @returns {Transform} that of its first point, and of its size */
function transformOf(from, to) {
  const size = sizeOf(from);
  const factor = size > 0 ? sizeOf(to) / size : 1;
  return { factor, x: to.points[0] - from.points[0] * factor, y: to.points[1] - from.points[1] * factor };
}

/** @param {Stroke} stroke */
function sizeOf({ bounds: { left, top, right, bottom }, width }) {
  return Math.max(right - left, bottom - top) - 2 * (width + 1);
}

/** @param {Transform} transform @param {Stroke} from @param {Stroke} to */
function leadsTo({ factor, x, y }, from, to) {
  return from.points.every((value, at) =>
    Math.abs(value * factor + (at % 2 === 0 ? x : y) - to.points[at]) <= SLACK * Math.max(1, factor)
  );
}
