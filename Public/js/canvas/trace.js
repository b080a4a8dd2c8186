/** The shape of what is drawn by hand, told to whatever takes lines and curves: a path of the canvas, or of SVG. */

import { outline } from './outline.js';

/**
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {Pick<Path2D, 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'arc' | 'closePath'>} Tracer
 */

/** To be filled by the nonzero rule: all its parts turn the same way. @param {Stroke} stroke @param {Tracer} path */
export function trace(stroke, path) {
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

/** Through the middles between points, bent by the points. @param {Tracer} path @param {number[]} side */
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
