/** The outlines and paint styles of shapes, and their painting. Needs no document, so that a worker can use it. */

import { AREA_OPACITY, dashPattern, isFilled } from '../model/lineStyle.js';
import { noteColor, noteRadius } from '../model/note.js';
import { paintedColor } from '../model/palette.js';
import { centerOf, RADIANS } from '../model/rotation.js';
import { isClosed, isShapeTool, outline, smoothed } from '../model/strokeOutline.js';
import { baselineOfLine, LINE, setFont, Text } from '../model/text.js';
import { paintGroup } from './groupPainter.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/stroke.js').Stroke} Stroke
 * @typedef {Pick<Path2D, 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'arc' | 'closePath'>} Tracer
 *
 * The paint style of a shape.
 * @typedef {object} PaintStyle
 * @property {string} color
 * @property {number} alpha 0…1, for the shape as a whole: it does not become darker where it crosses itself
 * @property {number | null} lineWidth of the traced line, with round ends and corners; null: the outline is filled, by the
 *   nonzero rule
 * @property {[number, number] | null} dashes the length of the dashes and of the gaps; null: the line is solid
 * @property {number} area the opacity of the area inside the line, relative to `alpha`; 0: it is not filled
 */

/** Text under a highlighter stays readable. */
const HIGHLIGHTER_ALPHA = 0.35;
/** The length of a dot that is traced as a line, in points. */
const DOT = 0.01;
/** The distance between the origins of paths. Contexts have single precision, which is not enough far from an origin. */
const ORIGINS = 100_000;

/** @param {Shape} shape @param {string} ink the color of adaptive ink on this paper @returns {PaintStyle} */
export function paintStyleOf(shape, ink) {
  const color = paintedColor(shape.rgb, ink);
  if (!('tool' in shape)) return { color, alpha: 1, lineWidth: null, dashes: null, area: 0 };
  const dashes = dashPattern(shape);
  return {
    color,
    alpha: shape.tool === 'highlighter' ? HIGHLIGHTER_ALPHA : shape.opacity,
    // A dashed line has the same width everywhere.
    lineWidth: dashes || isShapeTool(shape.tool) ? shape.width : null,
    dashes,
    area: isFilled(shape) ? AREA_OPACITY[shape.fill] : 0,
  };
}

/**
 * Traces a stroke: its middle if its paint style has a line width, or else its outline. All parts of an outline have the same
 * direction.
 * @param {Stroke} stroke @param {Tracer} path
 */
export function trace(stroke, path) {
  if (isShapeTool(stroke.tool) || dashPattern(stroke)) return traceLine(stroke, path, isClosed(stroke.tool));
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

/** Traces the middle of a line. @param {Stroke} stroke @param {Tracer} path @param {boolean} closes true to connect its ends */
export function traceLine({ tool, points, width }, path, closes) {
  if (isShapeTool(tool)) tracePolygon(tool, points, path);
  else {
    const middle = smoothed(points, width).flatMap(({ x, y }) => [x, y]);
    path.moveTo(middle[0], middle[1]);
    // A line without a length would not be painted.
    if (middle.length === 2) path.lineTo(middle[0] + DOT, middle[1]);
    else follow(path, middle);
  }
  if (closes) path.closePath();
}

/** @param {string} tool @param {number[]} points @param {Tracer} path */
function tracePolygon(tool, points, path) {
  const middle = [(points[0] + points[2]) / 2, (points[1] + points[3]) / 2];
  const isRound = tool === 'ellipse' && points.length > 4;
  const [x, y] = isRound ? middle : points;
  path.moveTo(x, y);
  if (isRound) follow(path, [...middle, ...points.slice(2), ...middle]);
  else for (let at = 2; at < points.length; at += 2) path.lineTo(points[at], points[at + 1]);
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
 * The paths of strokes, computed once for each version of a stroke; `x` and `y`: their origin.
 * @type {WeakMap<Stroke, { version: number, path: Path2D, area: Path2D | null, x: number, y: number }>}
 */
const paths = new WeakMap();

/**
 * @param {Context} context in points of the plane @param {Shape} shape
 * @param {string} ink the color of adaptive ink on this paper
 */
export function paintShape(context, shape, ink) {
  const style = paintStyleOf(shape, ink);
  if (shape instanceof Text && shape.note) {
    const { note } = shape;
    paintRotated(context, shape, () => paintNote(context, shape, note, ink));
  }
  // The line overlaps the area, so both are made transparent together.
  if (style.area > 0 && style.alpha < 1 && 'points' in shape) {
    return paintGroup(context, shape, style.alpha, (group) => paint(group, shape, { ...style, alpha: 1 }));
  }
  paint(context, shape, style);
}

/** @param {Context} context @param {Shape} shape @param {PaintStyle} style */
function paint(context, shape, { color, alpha, lineWidth, dashes, area }) {
  context.fillStyle = color;
  context.globalAlpha = alpha;
  if (shape instanceof Text) paintRotated(context, shape, () => paintText(context, shape));
  else {
    const paths = pathsOf(shape, area > 0);
    const { x, y } = paths;
    const before = (x || y) && context.getTransform();
    // A matrix has double precision.
    if (before) context.setTransform(before.translate(x, y));
    if (paths.area) {
      context.globalAlpha = area;
      context.fill(paths.area);
      context.globalAlpha = alpha;
    }
    if (lineWidth === null) context.fill(paths.path);
    else {
      context.strokeStyle = color;
      context.lineWidth = lineWidth;
      context.lineCap = context.lineJoin = 'round';
      if (dashes) context.setLineDash(dashes);
      context.stroke(paths.path);
      if (dashes) context.setLineDash([]);
    }
    if (before) context.setTransform(before);
  }
  context.globalAlpha = 1;
}

/**
 * Paints something that is rotated about the center of its box.
 * @param {Context} context @param {import('../model/rotation.js').Rotated} rotated @param {() => void} paint paints it unrotated
 */
export function paintRotated(context, { box, angle }, paint) {
  if (angle === 0) return paint();
  const [x, y] = centerOf(box);
  context.save();
  context.translate(x, y);
  context.rotate(angle * RADIANS);
  context.translate(-x, -y);
  paint();
  context.restore();
}

/** @param {Context} context @param {Text} text @param {import('../model/note.js').Note} note @param {string} ink */
function paintNote(context, { x, y, fill }, note, ink) {
  context.fillStyle = noteColor(fill, ink);
  context.beginPath();
  context.roundRect(x, y, note.width, note.height, noteRadius(note));
  context.fill();
}

/** @param {Context} context @param {Text} text */
function paintText(context, text) {
  const { layout: { lines, fromRight, size, margin }, x, y, font } = text;
  setFont(context, font, size);
  const top = y + margin;
  lines.forEach((line, at) => {
    // The direction of the page has no effect.
    context.direction = fromRight[at] ? 'rtl' : 'ltr';
    const from = fromRight[at] ? text.box.right - margin : x + margin;
    context.fillText(line, from, top + (at * LINE + baselineOfLine(font)) * size);
  });
  // The words on cards are painted with the same context.
  context.textRendering = 'auto';
}

/** @param {Stroke} stroke @param {boolean} hasArea */
function pathsOf(stroke, hasArea) {
  const before = paths.get(stroke);
  if (before && before.version === stroke.version) return before;
  const [x, y] = [0, 1].map((at) => Math.round(stroke.points[at] / ORIGINS) * ORIGINS);
  const points = x || y ? stroke.points.map((value, at) => value - (at % 2 ? y : x)) : null;
  const near = points ? /** @type {any} */ ({ ...stroke, points }) : stroke;
  const path = new Path2D();
  trace(near, path);
  const area = hasArea ? new Path2D() : null;
  if (area) traceLine(near, area, true);
  const traced = { version: stroke.version, path, area, x, y };
  paths.set(stroke, traced);
  return traced;
}
