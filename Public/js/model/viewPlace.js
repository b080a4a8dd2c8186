/** Positions in the view: the part without bars, the position of an object, and the movement of the camera to it. */

import { overlap } from './stroke.js';

/**
 * @typedef {import('./camera.js').Camera} Camera
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {{ width: number, height: number }} Size
 */

/** The margins of the canvas, in pixels. Bars cover the top and the bottom. */
const SIDE = 24;
const TOP = 72;
const BOTTOM = 96;

/** @param {Camera} camera @param {Size} canvas in pixels @returns {Bounds} the part of the plane that no bar covers */
export function freeView(camera, { width, height }) {
  const [left, top] = camera.toPlane(SIDE, TOP);
  const [right, bottom] = camera.toPlane(width - SIDE, height - BOTTOM);
  return { left, top, right, bottom };
}

/**
 * Returns the position of a point on the canvas. The point may be that of the mouse before the camera moved.
 * @param {Camera} camera @param {Size} canvas @param {[number, number] | null} point of the plane
 * @returns {{ x: number, y: number } | null} in pixels; null if the point is not in view, or there is none
 */
export function seenPoint(camera, { width, height }, point) {
  if (!point) return null;
  const [x, y] = camera.toCanvas(...point);
  return x >= 0 && x <= width && y >= 0 && y <= height ? { x, y } : null;
}

/**
 * Returns the part of the view in which some bounds are. The nine parts of the view are numbered row by row. For bounds outside
 * of the view, the number is that of their direction.
 * @param {Bounds} bounds @param {Bounds} view @returns {{ isInView: boolean, index: number }}
 */
export function placeIn(bounds, view) {
  const isInView = overlap(bounds, view);
  const part = (/** @type {'left' | 'top'} */ from, /** @type {'right' | 'bottom'} */ to) => {
    if (!isInView) return bounds[to] < view[from] ? 0 : bounds[from] > view[to] ? 2 : 1;
    const middle = (Math.max(bounds[from], view[from]) + Math.min(bounds[to], view[to])) / 2;
    return Math.min(2, Math.floor(3 * (middle - view[from]) / (view[to] - view[from])));
  };
  return { isInView, index: 3 * part('top', 'bottom') + part('left', 'right') };
}

/**
 * Moves the camera as little as possible, so that no bar covers the bounds.
 * @param {Camera} camera @param {Size} canvas @param {Bounds} bounds
 */
export function follow(camera, canvas, bounds) {
  const free = freeView(camera, canvas);
  const by = (/** @type {'left' | 'top'} */ from, /** @type {'right' | 'bottom'} */ to) =>
    Math.max(0, free[from] - bounds[from]) - Math.max(0, bounds[to] - free[to]);
  const [dx, dy] = [by('left', 'right'), by('top', 'bottom')];
  if (dx !== 0 || dy !== 0) camera.pan(dx * camera.scale, dy * camera.scale);
}

/**
 * Shows the bounds in the middle of the view, unless they are in view already.
 * @param {Camera} camera @param {Size} canvas @param {Bounds} bounds
 */
export function show(camera, canvas, bounds) {
  const free = freeView(camera, canvas);
  const { left, top, right, bottom } = bounds;
  if (left >= free.left && right <= free.right && top >= free.top && bottom <= free.bottom) return;
  if (right - left > free.right - free.left || bottom - top > free.bottom - free.top) {
    return camera.fit(bounds, canvas.width, canvas.height);
  }
  const [x, y] = camera.toCanvas((left + right) / 2, (top + bottom) / 2);
  camera.pan(canvas.width / 2 - x, canvas.height / 2 - y);
}
