/** The shape of a stroke as a hand would draw it: smoothed, thicker where pressed or slow, round at its ends. */

/**
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {{ x: number, y: number, radius: number }} Sample
 *
 * The sides run from the stroke's begin to its end. Both have as many points.
 * @typedef {object} Outline
 * @property {number[]} left x and y in turn
 * @property {number[]} right
 * @property {Sample[]} joints full circles: at the ends, and where the line turns so sharply that its sides cross
 */

/** How much of the way to each new point the smoothed one goes: less is smoother, and cuts corners. */
const FOLLOW = 0.5;
/** Points nearer to each other than this part of the width say more about the screen's pixels than about the hand. */
const NEAR = 0.16;
const NEAREST = 0.05;
/** How far the radius may go from half the width, up and down, between no and full pressure. */
const THINNING = 0.55;
/** Points per width in which a hand without a pen gets thin; and how fast the radius follows. */
const FAST = 1.6;
const INERTIA = 0.24;
/** A stroke begins and ends a little thinner than it is. */
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
      // Two points a side lead the sides up to the corner: smoothed through one, they would cut it, and the joint stick out.
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
 * Follows the hand with a little inertia, and ends where the hand is.
 * @param {number[]} points x and y in turn @param {number} width of the stroke
 * @returns {{ x: number, y: number, at: number }[]} `at`: of which point it came
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

/** @param {number} pressure 0…1, of which a half is neither more nor less @returns {number} */
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

/** @param {number} x @param {number} y @param {[number, number]} otherwise for no direction at all @returns {[number, number]} */
function unit(x, y, otherwise) {
  const length = Math.hypot(x, y);
  return length < 1e-6 ? otherwise : [x / length, y / length];
}
