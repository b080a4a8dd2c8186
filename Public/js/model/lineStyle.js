/** The styles of lines besides color and width: the fill of closed lines, and dashes. */

import { isClosed, isShapeTool } from './strokeOutline.js';

/** The fills: a tint of the line's color, or the color itself. */
export const FILLS = Object.freeze(['tint', 'solid']);
export const DASHES = Object.freeze(['dashed', 'dotted']);
export const MIN_OPACITY = 0.1;

/** The opacity of an area, relative to that of its line. @type {Record<string, number>} */
export const AREA_OPACITY = Object.freeze({ tint: 0.2, solid: 1 });

/** The maximum gap between the ends of a freehand line that counts as closed: as a part of its size, or in line widths. */
const MAX_GAP = 0.15;
const MAX_GAP_WIDTHS = 2;

/**
 * The lengths of dashes and gaps, in widths of the line. The round ends make a dash one width longer, and its gap one width
 * shorter. A length of 0 would not be painted in every browser.
 * @type {Record<string, [number, number]>}
 */
const PATTERNS = { dashed: [2, 2.5], dotted: [0.01, 2] };
/** The width, in points, below which dashes do not become shorter. */
const MIN_DASHED_WIDTH = 2;
/** The maximum number of dashes of a line. A line with more is painted solid, because painting it would take too long. */
const MAX_DASHES = 10_000;

/**
 * @typedef {object} Line the style and the points of a stroke
 * @property {ArrayLike<number>} points x and y in turn
 * @property {number} width
 * @property {string} tool
 * @property {string} fill
 * @property {string} dash
 */

/** @param {Line} line @returns {boolean} true if it has a fill and is closed */
export function isFilled({ fill, tool, points, width }) {
  if (fill === '' || tool === 'highlighter' || points.length < 6) return false;
  return isShapeTool(tool) ? isClosed(tool) : isLoop(points, width);
}

/** @param {ArrayLike<number>} points of a freehand line @param {number} width @returns {boolean} true if its ends nearly meet */
function isLoop(points, width) {
  const { left, top, right, bottom } = extentOf(points);
  const gap = Math.hypot(points[points.length - 2] - points[0], points[points.length - 1] - points[1]);
  return gap <= Math.max(MAX_GAP_WIDTHS * width, MAX_GAP * Math.hypot(right - left, bottom - top));
}

/**
 * @param {ArrayLike<number>} points of a closed line @param {[number, number]} point
 * @returns {boolean} true if the line winds around the point
 */
export function isInside(points, [x, y]) {
  let winding = 0;
  let [fromX, fromY] = [points[points.length - 2], points[points.length - 1]];
  for (let at = 0; at < points.length; at += 2) {
    const [toX, toY] = [points[at], points[at + 1]];
    if (fromY <= y !== toY <= y) {
      const side = (toX - fromX) * (y - fromY) - (x - fromX) * (toY - fromY);
      if (toY > fromY && side > 0) winding += 1;
      else if (toY < fromY && side < 0) winding -= 1;
    }
    [fromX, fromY] = [toX, toY];
  }
  return winding !== 0;
}

/** @param {Line} line @returns {[number, number] | null} the lengths of its dashes and gaps, in points; null: it is solid */
export function dashPattern({ dash, tool, points, width }) {
  const pattern = tool === 'highlighter' ? undefined : PATTERNS[dash];
  if (!pattern) return null;
  const unit = Math.max(MIN_DASHED_WIDTH, width);
  const [length, gap] = [pattern[0] * unit, pattern[1] * unit];
  return lengthOf(points) <= MAX_DASHES * (length + gap) ? [length, gap] : null;
}

/** @param {ArrayLike<number>} points @returns {import('./stroke.js').Bounds} */
export function extentOf(points) {
  const extent = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let at = 0; at < points.length; at += 2) {
    const [x, y] = [points[at], points[at + 1]];
    extent.left = Math.min(extent.left, x);
    extent.right = Math.max(extent.right, x);
    extent.top = Math.min(extent.top, y);
    extent.bottom = Math.max(extent.bottom, y);
  }
  return extent;
}

/** @param {ArrayLike<number>} points @returns {number} */
export function lengthOf(points) {
  let length = 0;
  for (let at = 2; at < points.length; at += 2) {
    length += Math.hypot(points[at] - points[at - 2], points[at + 1] - points[at - 1]);
  }
  return length;
}
