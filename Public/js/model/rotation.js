/** Rotations in the plane. An angle is in degrees, clockwise, from 0 up to 360. */

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Transform} Transform
 * @typedef {[number, number]} Point
 * @typedef {{ box: Bounds, angle: number }} Rotated a box that is rotated about its center
 */

export const RADIANS = Math.PI / 180;

/** @param {number} degrees @returns {number} the same angle from 0 up to 360, in hundredths */
export function normalAngle(degrees) {
  return (Math.round(degrees * 100) % 36_000 + 36_000) % 36_000 / 100;
}

/** @param {unknown} value in a message @returns {number} 0 if it is missing or invalid */
export function readAngle(value) {
  return typeof value === 'number' && value > 0 && value < 360 ? normalAngle(value) : 0;
}

/** @param {Transform} transform @returns {(x: number, y: number) => Point} transforms a point */
export function mapping({ factor, x, y, angle = 0 }) {
  const [cos, sin] = [factor * Math.cos(angle * RADIANS), factor * Math.sin(angle * RADIANS)];
  return (fromX, fromY) => [fromX * cos - fromY * sin + x, fromX * sin + fromY * cos + y];
}

/** Returns the transform that rotates about a point. @param {number} angle @param {Point} center @returns {Transform} */
export function rotationAbout(angle, [x, y]) {
  const [toX, toY] = mapping({ factor: 1, x: 0, y: 0, angle })(x, y);
  return { factor: 1, x: x - toX, y: y - toY, angle: normalAngle(angle) };
}

/** @param {Bounds} bounds @returns {Point} */
export function centerOf({ left, top, right, bottom }) {
  return [(left + right) / 2, (top + bottom) / 2];
}

/** @param {Bounds} bounds @param {number} angle @param {Point} [center] @returns {Bounds} around the rotated bounds */
export function boundsOfRotated(bounds, angle, center = centerOf(bounds)) {
  if (angle === 0) return bounds;
  const { left, top, right, bottom } = bounds;
  const rotate = mapping(rotationAbout(angle, center));
  const corners = [rotate(left, top), rotate(right, top), rotate(right, bottom), rotate(left, bottom)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** Returns the position of a point relative to the unrotated box. @param {Rotated} one @param {Point} point @returns {Point} */
export function toBox({ box, angle }, [x, y]) {
  return angle === 0 ? [x, y] : mapping(rotationAbout(-angle, centerOf(box)))(x, y);
}
