/** The outlines and paint styles of shapes, and their painting. Needs no document, so that a worker can use it. */

import { isClosed, isShapeTool, outline } from '../model/strokeOutline.js';
import { baselineOfLine, LINE, setFont, Text } from '../model/text.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/stroke.js').Stroke} Stroke
 * @typedef {Pick<Path2D, 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'arc' | 'closePath'>} Tracer
 *
 * The paint style of a shape.
 * @typedef {object} PaintStyle
 * @property {string} color
 * @property {number} alpha 0…1, for the shape as a whole: it is no darker where it crosses itself
 * @property {number | null} lineWidth of the traced line, with round ends and corners; null: the outline is filled, by the
 *   nonzero rule
 */

/** Text under a highlighter stays readable. */
const HIGHLIGHTER_ALPHA = 0.35;

/** @param {Shape} shape @returns {PaintStyle} */
export function paintStyleOf(shape) {
  const tool = 'tool' in shape ? shape.tool : '';
  return {
    color: shape.rgb,
    alpha: tool === 'highlighter' ? HIGHLIGHTER_ALPHA : 1,
    lineWidth: 'width' in shape && isShapeTool(tool) ? shape.width : null,
  };
}

/** Traces a stroke. All parts of a filled outline have the same direction. @param {Stroke} stroke @param {Tracer} path */
export function trace(stroke, path) {
  if (isShapeTool(stroke.tool)) return tracePolygon(stroke, path);
  const { left, right, joints } = outline(stroke);
  for (const { x, y, radius } of joints) {
    path.moveTo(x + radius, y);
    path.arc(x, y, radius, 0, 2 * Math.PI, true);
  }
  if (left.length < 4) return;
  path.moveTo(left[0], left[1]);
  follow(path, left);
  path.lineTo(right[right.length - 2], right[right.length - 1]);
  follow(path, backwards(right));
  path.closePath();
}

/** @param {Stroke} stroke @param {Tracer} path */
function tracePolygon({ tool, points }, path) {
  const middle = [(points[0] + points[2]) / 2, (points[1] + points[3]) / 2];
  const isRound = tool === 'ellipse' && points.length > 4;
  const [x, y] = isRound ? middle : points;
  path.moveTo(x, y);
  if (isRound) follow(path, [...middle, ...points.slice(2), ...middle]);
  else for (let at = 2; at < points.length; at += 2) path.lineTo(points[at], points[at + 1]);
  if (isClosed(tool)) path.closePath();
}

/**
 * Traces a smooth curve through the midpoints between points, with the points as control points.
 * @param {Tracer} path @param {number[]} side
 */
function follow(path, side) {
  for (let at = 2; at + 3 < side.length; at += 2) {
    const [x, y] = [side[at], side[at + 1]];
    path.quadraticCurveTo(x, y, (x + side[at + 2]) / 2, (y + side[at + 3]) / 2);
  }
  path.lineTo(side[side.length - 2], side[side.length - 1]);
}

/** @param {number[]} side @returns {number[]} */
function backwards(side) {
  const turned = [];
  for (let at = side.length - 2; at >= 0; at -= 2) turned.push(side[at], side[at + 1]);
  return turned;
}

/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context */

/**
 * The paths of outlines, computed once for each version of a stroke.
 * @type {WeakMap<Stroke, { version: number, path: Path2D }>}
 */
const paths = new WeakMap();

/** @param {Context} context in points of the plane @param {Shape} shape */
export function paintShape(context, shape) {
  const { color, alpha, lineWidth } = paintStyleOf(shape);
  context.globalAlpha = alpha;
  context.fillStyle = color;
  if (shape instanceof Text) paintText(context, shape);
  else if (lineWidth === null) context.fill(pathOf(shape));
  else {
    context.strokeStyle = color;
    context.lineWidth = lineWidth;
    context.lineCap = context.lineJoin = 'round';
    context.stroke(pathOf(shape));
  }
  context.globalAlpha = 1;
}

/** @param {Context} context @param {Text} text */
function paintText(context, { lines, x, y, size, font }) {
  setFont(context, font, size);
  lines.forEach((line, at) => context.fillText(line, x, y + (at * LINE + baselineOfLine(font)) * size));
  // The words on cards are painted with the same context.
  context.textRendering = 'auto';
}

/** @param {Stroke} stroke @returns {Path2D} */
function pathOf(stroke) {
  const before = paths.get(stroke);
  if (before && before.version === stroke.version) return before.path;
  const path = new Path2D();
  trace(stroke, path);
  paths.set(stroke, { version: stroke.version, path });
  return path;
}
