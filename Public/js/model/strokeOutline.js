/** The outlines of shapes that are drawn between two points, and the smooth outlines of freehand strokes. */

/** @typedef {[number, number]} Point */

/** The tools that make shapes. */
export const SHAPE_TOOLS = Object.freeze(['line', 'arrow', 'rectangle', 'ellipse']);

const ELLIPSE_POINTS = 48;
/**
 * The head of an arrow: its length in widths of the line, a constant length in points, and the angle between its sides and the
 * shaft.
 */
const HEAD_WIDTHS = 3;
const HEAD = 10;
const HEAD_ANGLE = 0.5;
/** With Shift, the direction of a line is a multiple of this angle. */
const TURN = Math.PI / 4;

/** @param {string} tool */
export function isShapeTool(tool) {
  return SHAPE_TOOLS.includes(tool);
}

/** @param {string} tool @returns {boolean} true if its line ends at its start */
export function isClosed(tool) {
  return tool === 'rectangle' || tool === 'ellipse';
}

/**
 * Returns the points of a shape. They trace its outline, so that clients that know only strokes draw it, too.
 * @param {string} tool one of `SHAPE_TOOLS` @param {Point} from @param {Point} to @param {number} width of the line
 * @returns {number[]} x and y in turn
 */
export function shapeToolPoints(tool, [x, y], [toX, toY], width) {
  if (tool === 'rectangle') return [x, y, toX, y, toX, toY, x, toY, x, y];
  if (tool === 'ellipse') {
    const [middleX, middleY, radiusX, radiusY] = [(x + toX) / 2, (y + toY) / 2, (toX - x) / 2, (toY - y) / 2];
    return Array.from({ length: ELLIPSE_POINTS + 1 }, (_, at) => {
      const angle = 2 * Math.PI * (at % ELLIPSE_POINTS) / ELLIPSE_POINTS;
      return [middleX + radiusX * Math.cos(angle), middleY + radiusY * Math.sin(angle)];
    }).flat();
  }
  if (tool === 'line') return [x, y, toX, toY];
  const angle = Math.atan2(toY - y, toX - x);
  const length = Math.min(HEAD + HEAD_WIDTHS * width, Math.hypot(toX - x, toY - y) / 2);
  const side = (/** @type {number} */ turn) => [
    toX - length * Math.cos(angle + turn),
    toY - length * Math.sin(angle + turn),
  ];
  return [x, y, toX, toY, ...side(HEAD_ANGLE), toX, toY, ...side(-HEAD_ANGLE)];
}

/**
 * Returns the end point that makes a shape as wide as high, or the direction of a line a multiple of 45°.
 * @param {string} tool @param {Point} from @param {Point} to @returns {Point}
 */
export function regular(tool, [x, y], [toX, toY]) {
  const [width, height] = [toX - x, toY - y];
  if (isClosed(tool)) {
    const side = Math.max(Math.abs(width), Math.abs(height));
    return [x + side * (width < 0 ? -1 : 1), y + side * (height < 0 ? -1 : 1)];
  }
  const angle = Math.round(Math.atan2(height, width) / TURN) * TURN;
  // The length is that of the pointer's projection onto this direction.
  const length = width * Math.cos(angle) + height * Math.sin(angle);
  return [x + length * Math.cos(angle), y + length * Math.sin(angle)];
}

/**
 * @param {Point} a @param {Point} b @param {Point} c @param {Point} d
 * @returns {number} the distance between the segments ab and cd
 */
export function segmentDistance(a, b, c, d) {
  if (cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0) return 0;
  return Math.min(pointDistance(a, c, d), pointDistance(b, c, d), pointDistance(c, a, b), pointDistance(d, a, b));
}

/** @param {Point} a @param {Point} b @param {Point} c */
function cross(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** @param {Point} p @param {Point} a @param {Point} b */
function pointDistance(p, a, b) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square));
  return Math.hypot(p[0] - a[0] - along * dx, p[1] - a[1] - along * dy);
}

/**
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {{ x: number, y: number, radius: number }} Sample
 *
 * Both sides run from the start of the stroke to its end, and have the same number of points.
 * @typedef {object} Outline
 * @property {number[]} left x and y in turn
 * @property {number[]} right
 * @property {Sample[]} joints full circles: at the ends, and at turns so sharp that the sides cross
 */

/** The part of the distance to each new point that the smoothed point moves. Smaller values are smoother, but cut corners. */
const FOLLOW = 0.5;
/** The minimum distance of points, as a part of the width. Closer points would show the pixels of the screen. */
const NEAR = 0.16;
const NEAREST = 0.05;
/** The change of the radius between medium pressure and none or full pressure, as a part of half the width. */
const THINNING = 0.55;
/**
 * Without pressure: the distance between points, in widths, above which a stroke becomes thinner; and the rate of this change.
 */
const FAST = 1.6;
const INERTIA = 0.24;
/** A stroke is a little thinner at its ends: the factor of the radius there, and the length of the taper in widths. */
const TAPER_FROM = 0.62;
const TAPER_WIDTHS = 1.6;
/** Cosine of the turn from which a joint is needed. */
const SHARP = 0.8;

/** @param {Stroke} stroke @returns {Outline} */
export function outline(stroke) {
  const samples = withRadius(smoothed(stroke.points, stroke.width), stroke);
  const left = [];
  const right = [];
  const joints = samples.length > 0 ? [samples[0]] : [];
  let [beforeX, beforeY] = direction(samples[0], samples[1]);
  for (let at = 0; at < samples.length; at += 1) {
    const { x, y, radius } = samples[at];
    const [afterX, afterY] = at + 1 < samples.length ? direction(samples[at], samples[at + 1]) : [beforeX, beforeY];
    if (beforeX * afterX + beforeY * afterY < SHARP) {
      joints.push(samples[at]);
      // Two points on each side lead up to the corner. With a single one, smoothing would cut the corner, and the joint would
      // stick out.
      left.push(x - beforeY * radius, y + beforeX * radius, x - afterY * radius, y + afterX * radius);
      right.push(x + beforeY * radius, y - beforeX * radius, x + afterY * radius, y - afterX * radius);
    } else {
      const [dx, dy] = unit(beforeX + afterX, beforeY + afterY, [afterX, afterY]);
      left.push(x - dy * radius, y + dx * radius);
      right.push(x + dy * radius, y - dx * radius);
    }
    [beforeX, beforeY] = [afterX, afterY];
  }
  if (samples.length > 1) joints.push(samples[samples.length - 1]);
  return { left, right, joints };
}

/**
 * Smooths a stroke: the path follows the points with a little inertia, and ends at the last point.
 * @param {number[]} points x and y in turn @param {number} width of the stroke
 * @returns {{ x: number, y: number, at: number }[]} `at`: the index of its original point
 */
export function smoothed(points, width) {
  const path = [];
  let [x, y] = [points[0], points[1]];
  const last = points.length - 2;
  for (let at = 0; at <= last; at += 2) {
    const isEnd = at === 0 || at === last;
    x += (points[at] - x) * (isEnd ? 1 : FOLLOW);
    y += (points[at + 1] - y) * (isEnd ? 1 : FOLLOW);
    const before = path[path.length - 1];
    const near = isEnd ? NEAREST : Math.max(NEAREST, width * NEAR);
    if (before && Math.hypot(before.x - x, before.y - y) < near) continue;
    path.push({ x, y, at: at / 2 });
  }
  return path;
}

/** @param {{ x: number, y: number, at: number }[]} path @param {Stroke} stroke @returns {Sample[]} */
function withRadius(path, { pressures, width, tool }) {
  const half = width / 2;
  if (tool === 'highlighter') return path.map((sample) => ({ ...sample, radius: half }));
  if (path.length === 1) return [{ ...path[0], radius: half * (pressures ? scale(pressures[0]) : 1) }];
  const lengths = cumulated(path);
  const total = lengths[lengths.length - 1];
  const taper = Math.min(width * TAPER_WIDTHS, total / 3);
  let pressure = pressures?.[0] ?? 0.5;
  return path.map(({ x, y, at }, index) => {
    const step = index === 0 ? 0 : lengths[index] - lengths[index - 1];
    const wanted = pressures ? pressures[at] : 0.5 + 0.22 * (1 - Math.min(2, step / (width * FAST)));
    pressure += (wanted - pressure) * (pressures ? 0.5 : INERTIA);
    const fromEnd = Math.min(lengths[index], total - lengths[index]);
    const tapered = taper === 0 ? 1 : TAPER_FROM + (1 - TAPER_FROM) * ease(Math.min(1, fromEnd / taper));
    return { x, y, radius: half * scale(pressure) * tapered };
  });
}

/** @param {number} pressure 0…1; a half does not change the radius @returns {number} */
function scale(pressure) {
  return 1 + 2 * THINNING * (pressure - 0.5);
}

/** @param {number} part 0…1 */
function ease(part) {
  return part * (2 - part);
}

/** @param {{ x: number, y: number }[]} path @returns {number[]} length of the path up to each of its points */
function cumulated(path) {
  const lengths = [0];
  for (let at = 1; at < path.length; at += 1) {
    lengths.push(lengths[at - 1] + Math.hypot(path[at].x - path[at - 1].x, path[at].y - path[at - 1].y));
  }
  return lengths;
}

/** @param {Sample | undefined} from @param {Sample | undefined} to @returns {[number, number]} */
function direction(from, to) {
  return from && to ? unit(to.x - from.x, to.y - from.y, [1, 0]) : [1, 0];
}

/**
 * @param {number} x @param {number} y @param {[number, number]} otherwise the result for a zero vector
 * @returns {[number, number]}
 */
function unit(x, y, otherwise) {
  const length = Math.hypot(x, y);
  return length < 1e-6 ? otherwise : [x / length, y / length];
}
