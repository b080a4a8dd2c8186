/** Outlines as paths of the canvas, made once for each version of a stroke. */

import { outline } from './outline.js';

/** @typedef {import('./stroke.js').Stroke} Stroke */

/** @type {WeakMap<Stroke, { version: number, path: Path2D }>} */
const made = new WeakMap();

/** @param {Stroke} stroke @returns {Path2D} */
export function strokePath(stroke) {
  const before = made.get(stroke);
  if (before && before.version === stroke.version) return before.path;
  const path = makePath(stroke);
  made.set(stroke, { version: stroke.version, path });
  return path;
}

/** @param {Stroke} stroke @returns {Path2D} to be filled by the nonzero rule: all its parts turn the same way */
function makePath(stroke) {
  const { left, right, joints } = outline(stroke);
  const path = new Path2D();
  for (const { x, y, radius } of joints) {
    path.moveTo(x + radius, y);
    path.arc(x, y, radius, 0, 2 * Math.PI, true);
  }
  if (left.length < 4) return path;
  path.moveTo(left[0], left[1]);
  follow(path, left);
  path.lineTo(right[right.length - 2], right[right.length - 1]);
  follow(path, backwards(right));
  path.closePath();
  return path;
}

/** Through the middles between points, bent by the points. @param {Path2D} path @param {number[]} side */
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
