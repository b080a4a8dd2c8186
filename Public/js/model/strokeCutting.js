/** Cuts strokes: returns the parts of a stroke that remain after an eraser has passed over it. */

import { isFilled, lengthOf } from './lineStyle.js';
import { isClosed, isShapeTool } from './strokeOutline.js';
import { onPlane, Stroke } from './stroke.js';

/**
 * @typedef {import('./strokeOutline.js').Point} Point
 * @typedef {{ points: number[], pressures: number[] | null }} Piece x and y in turn, and a pressure for each point
 */

/** The minimum length of a remaining part, as a part of the eraser's radius. A shorter one is erased, too. */
const MIN_REST = 0.25;
/** The minimum length of an erased part, in points: the ends of a cut are rounded, and the next movement would cut them again. */
const MIN_ERASED = 0.02;
/** The number of straight lines that replace each curve of an ellipse. */
const CURVE_STEPS = 4;

/**
 * Returns the parts of a stroke that remain after an eraser moved along a segment.
 * @param {Stroke} stroke @param {Point} from @param {Point} to @param {number} reach the radius of the eraser
 * @param {number} maxPoints of a remaining stroke; at least 2
 * @param {() => string} newKey
 * @returns {Stroke[] | null} new strokes at the same position in the drawing order; null: the eraser did not touch the stroke
 */
export function cutStroke(stroke, from, to, reach, maxPoints, newKey) {
  const { tool, width, pressures } = stroke;
  // A filled area is erased as a whole: without a part of its line, it would have no edge.
  if (isFilled(stroke)) return stroke.touches(from, to, reach) ? [] : null;
  const points = tool === 'ellipse' ? curved(stroke.points) : stroke.points;
  const pieces = cutLine({ points, pressures: tool === 'ellipse' ? null : pressures }, from, to, reach + width / 2);
  if (!pieces) return null;
  if (isClosed(tool)) joinEnds(pieces, points);
  return pieces.filter((piece) => lengthOf(piece.points) >= reach * MIN_REST)
    .flatMap((piece) => split(piece, maxPoints))
    .map((piece) => {
      // A part of a shape is a line with several points.
      const look = { ...stroke, tool: isShapeTool(tool) ? 'line' : tool, fill: '', from: null, to: null };
      const part = new Stroke({ ...look, id: newKey() });
      part.append(piece.points.map(onPlane), piece.pressures);
      part.isFinished = true;
      return part;
    });
}

/**
 * Removes the parts of a line that are within a distance of a segment.
 * @param {Piece} line @param {Point} from @param {Point} to @param {number} reach
 * @returns {Piece[] | null} the remaining parts, in order; null: all of it remains
 */
export function cutLine({ points, pressures }, from, to, reach) {
  const last = points.length / 2 - 1;
  const box = {
    left: Math.min(from[0], to[0]) - reach,
    top: Math.min(from[1], to[1]) - reach,
    right: Math.max(from[0], to[0]) + reach,
    bottom: Math.max(from[1], to[1]) + reach,
  };
  /** @type {Piece[]} */
  const pieces = [];
  /** @type {Piece | null} */
  let piece = null;
  let isCut = false;
  const add = (/** @type {number} */ at, /** @type {number} */ part) => {
    if (!piece) pieces.push(piece = { points: [], pressures: pressures && [] });
    const next = Math.min(at + 1, last);
    piece.points.push(between(points[2 * at], points[2 * next], part));
    piece.points.push(between(points[2 * at + 1], points[2 * next + 1], part));
    if (pressures) piece.pressures?.push(Math.round(1000 * between(pressures[at], pressures[next], part)) / 1000);
  };
  // A dot is a segment without a length.
  for (let at = 0; at < Math.max(1, last); at += 1) {
    const [x, y] = [points[2 * at], points[2 * at + 1]];
    const next = Math.min(at + 1, last);
    const erased = erasedPart(x, y, points[2 * next], points[2 * next + 1], from, to, reach, box);
    if (!erased) {
      if (!piece) add(at, 0);
      add(at, 1);
      continue;
    }
    isCut = true;
    if (erased[0] > 0) {
      if (!piece) add(at, 0);
      add(at, erased[0]);
    }
    piece = null;
    if (erased[1] < 1) {
      add(at, erased[1]);
      add(at, 1);
    }
  }
  return isCut ? pieces : null;
}

/**
 * @param {number} x @param {number} y @param {number} toX @param {number} toY ends of a line
 * @param {Point} from @param {Point} to ends of the eraser's movement @param {number} reach
 * @param {import('./stroke.js').Bounds} box around the area that the eraser reaches
 * @returns {[number, number] | null} the erased part of the line, as parts of its length; null: none
 */
function erasedPart(x, y, toX, toY, from, to, reach, { left, top, right, bottom }) {
  if (Math.max(x, toX) < left || Math.min(x, toX) > right || Math.max(y, toY) < top || Math.min(y, toY) > bottom) {
    return null;
  }
  // The reach of the eraser is convex, so it covers one part of the line. It is the union of two circles and a rectangle.
  const parts = [inCircle(x, y, toX, toY, from, reach), inCircle(x, y, toX, toY, to, reach)];
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (length > 0) parts.push(inRectangle(x, y, toX, toY, from, to, length, reach));
  let [begin, end] = [Infinity, -Infinity];
  for (const part of parts) if (part) [begin, end] = [Math.min(begin, part[0]), Math.max(end, part[1])];
  [begin, end] = [Math.max(0, begin), Math.min(1, end)];
  const isDot = x === toX && y === toY;
  const isErased = begin <= end && (isDot || (end - begin) * Math.hypot(toX - x, toY - y) >= MIN_ERASED);
  return isErased ? [begin, end] : null;
}

/**
 * @param {number} x @param {number} y @param {number} toX @param {number} toY @param {Point} center @param {number} radius
 * @returns {[number, number] | null}
 */
function inCircle(x, y, toX, toY, center, radius) {
  const [dx, dy, fromX, fromY] = [toX - x, toY - y, x - center[0], y - center[1]];
  const square = dx * dx + dy * dy;
  const outside = fromX * fromX + fromY * fromY - radius * radius;
  if (square === 0) return outside <= 0 ? [0, 1] : null;
  const half = (fromX * dx + fromY * dy) / square;
  const root = half * half - outside / square;
  if (root < 0) return null;
  return [-half - Math.sqrt(root), -half + Math.sqrt(root)];
}

/**
 * @param {number} x @param {number} y @param {number} toX @param {number} toY @param {Point} from @param {Point} to
 * @param {number} length from the one to the other @param {number} reach @returns {[number, number] | null}
 */
function inRectangle(x, y, toX, toY, from, to, length, reach) {
  const [unitX, unitY] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const along = (/** @type {number} */ px, /** @type {number} */ py) => (px - from[0]) * unitX + (py - from[1]) * unitY;
  const across = (/** @type {number} */ px, /** @type {number} */ py) =>
    (px - from[0]) * unitY - (py - from[1]) * unitX;
  const first = inRange(along(x, y), along(toX, toY), 0, length);
  const second = inRange(across(x, y), across(toX, toY), -reach, reach);
  if (!first || !second) return null;
  const [begin, end] = [Math.max(first[0], second[0]), Math.min(first[1], second[1])];
  return begin <= end ? [begin, end] : null;
}

/**
 * @param {number} a @param {number} b the values at the ends of a line @param {number} low @param {number} high
 * @returns {[number, number] | null} the part of the line with values in the range
 */
function inRange(a, b, low, high) {
  if (a === b) return a >= low && a <= high ? [-Infinity, Infinity] : null;
  const [one, other] = [(low - a) / (b - a), (high - a) / (b - a)];
  return [Math.min(one, other), Math.max(one, other)];
}

/**
 * Joins the last piece of a closed line with the first one, if nothing was erased where it ends.
 * @param {Piece[]} pieces @param {number[]} points of the whole line
 */
function joinEnds(pieces, points) {
  const last = pieces.at(-1);
  if (!last || pieces.length < 2) return;
  const [first] = pieces;
  const end = points.length - 2;
  const isWhole = first.points[0] === points[0] && first.points[1] === points[1] &&
    last.points.at(-2) === points[end] && last.points.at(-1) === points[end + 1];
  if (!isWhole) return;
  last.points = [...last.points, ...first.points.slice(2)];
  if (last.pressures && first.pressures) last.pressures = [...last.pressures, ...first.pressures.slice(1)];
  pieces.shift();
}

/** @param {Piece} piece @param {number} maxPoints @returns {Piece[]} parts, each of which begins at the end of the one before */
function split({ points, pressures }, maxPoints) {
  const pieces = [];
  for (let at = 0; at === 0 || at < points.length / 2 - 1; at += maxPoints - 1) {
    const end = at + maxPoints;
    pieces.push({ points: points.slice(2 * at, 2 * end), pressures: pressures?.slice(at, end) ?? null });
  }
  return pieces;
}

/** @param {number[]} points of an ellipse @returns {number[]} points of the curve that is painted through their middles */
function curved(points) {
  const count = points.length / 2 - 1;
  if (count < 3) return points;
  const fine = [];
  for (let at = 0; at < count; at += 1) {
    for (let step = 0; step < CURVE_STEPS; step += 1) {
      for (const axis of [0, 1]) {
        const [a, b, c] = [at, at + 1, (at + 1) % count + 1].map((index) => points[2 * index + axis]);
        const part = step / CURVE_STEPS;
        const [begin, end] = [(a + b) / 2, (b + c) / 2];
        fine.push(between(between(begin, b, part), between(b, end, part), part));
      }
    }
  }
  return [...fine, fine[0], fine[1]];
}

/** @param {number} a @param {number} b @param {number} part 0…1 */
function between(a, b, part) {
  return part === 1 ? b : a + (b - a) * part;
}
