/** The box around a selected object, which is rotated with it, and the handle that rotates the selection. */

import { extentOf } from './lineStyle.js';
import { boundsOfRotated, centerOf, mapping, normalAngle, RADIANS, rotationAbout } from './rotation.js';
import { Text } from './text.js';

/**
 * @typedef {import('./rotation.js').Point} Point
 * @typedef {import('./rotation.js').Rotated} Rotated
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {import('./stroke.js').Transform} Transform
 */

/** The distance of the handle from the box, in pixels, and its radius for pointers. */
const DISTANCE = 38;
export const HANDLE_RADIUS = 22;

/** @param {Drawable} one @returns {Rotated} the box around it */
export function boxOf(one) {
  if ('place' in one) return { box: one.box, angle: one.angle };
  if (one instanceof Text) return { box: one.with({ angle: 0 }).bounds, angle: one.angle };
  const angle = directionOf(one);
  if (angle === 0) return { box: one.bounds, angle };
  const center = centerOf(one.extent);
  const unrotate = mapping(rotationAbout(-angle, center));
  const points = [];
  for (let at = 0; at < one.points.length; at += 2) points.push(...unrotate(one.points[at], one.points[at + 1]));
  return { box: grown(extentOf(points), one.width + 1), angle };
}

/**
 * Returns the direction of the first side of a rectangle, or of the first axis of an ellipse. They have no angle: their points are
 * rotated. A half turn leads to the same shape, so the upper side is always above.
 * @param {Stroke} stroke @returns {number} 0 for other lines
 */
function directionOf({ tool, points }) {
  const isRectangle = tool === 'rectangle' && points.length === 10;
  // The points of an ellipse begin at the end of its axis, and its first point is repeated at the end.
  const opposite = isRectangle ? 2 : tool === 'ellipse' && points.length % 4 === 2 ? (points.length - 2) / 2 : 0;
  if (opposite === 0) return 0;
  const angle = Math.atan2(points[opposite + 1] - points[1], points[opposite] - points[0]) / RADIANS;
  const upright = normalAngle(angle) % 180;
  return upright > 90 ? upright + 180 : upright;
}

/** @param {Rotated} rotated @param {Transform} transform @returns {Rotated} */
export function transformedBox({ box: { left, top, right, bottom }, angle }, transform) {
  const [x, y] = mapping(transform)((left + right) / 2, (top + bottom) / 2);
  const [width, height] = [(right - left) / 2 * transform.factor, (bottom - top) / 2 * transform.factor];
  const box = { left: x - width, top: y - height, right: x + width, bottom: y + height };
  return { box, angle: normalAngle(angle + (transform.angle ?? 0)) };
}

/** @param {Rotated} rotated @param {number} scale pixels per point @param {boolean} isBelow @returns {Point} the handle's center */
export function handleOf({ box, angle }, scale, isBelow) {
  const [x, y] = centerOf(box);
  const from = isBelow ? box.bottom + DISTANCE / scale : box.top - DISTANCE / scale;
  return mapping(rotationAbout(angle, [x, y]))(x, from);
}

/** @param {Rotated} rotated @param {Point} handle @param {number} scale @returns {Bounds} of the rotated box and the handle */
export function boundsWithHandle({ box, angle }, [x, y], scale) {
  const { left, top, right, bottom } = boundsOfRotated(box, angle);
  const radius = HANDLE_RADIUS / scale;
  return {
    left: Math.min(left, x - radius),
    top: Math.min(top, y - radius),
    right: Math.max(right, x + radius),
    bottom: Math.max(bottom, y + radius),
  };
}

/** @param {Bounds} bounds @param {number} by points @returns {Bounds} */
export function grown({ left, top, right, bottom }, by) {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}
