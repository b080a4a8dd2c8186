/** The part of a sheet that a view can show. */

import { originOf, SIDE } from './sheets.js';

/** @typedef {{ x: number, y: number, scale: number }} View the top left of the visible part of the plane, and pixels per point */

/** The distance of views from the border, so that an object that extends beyond it is not visible on the next sheet. */
const GUTTER = 1000;

/**
 * Keeps a view on a sheet.
 * @param {View} view @param {number} number of the sheet @param {number} width @param {number} height of the canvas, in pixels
 * @returns {View} the nearest view that shows no other sheet
 */
export function viewOn({ x, y, scale }, number, width, height) {
  const reach = SIDE / 2 - GUTTER;
  const allowed = Math.max(scale, width / (2 * reach), height / (2 * reach));
  const along = (/** @type {number} */ start, /** @type {number} */ origin, /** @type {number} */ length) => {
    // A limited scale keeps the center of the view.
    const centered = start + (length / scale - length / allowed) / 2;
    return Math.max(origin - reach, Math.min(origin + reach - length / allowed, centered));
  };
  const [originX, originY] = originOf(number);
  return { x: along(x, originX, width), y: along(y, originY, height), scale: allowed };
}
