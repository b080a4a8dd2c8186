/** The visible part of the plane, as participants share it. */

import { PLANE } from '../model/stroke.js';

/** @typedef {import('../model/stroke.js').Bounds} Bounds */

/** The minimum width and height of a shared view, in points. */
const MIN_SIDE = 1;

/** @param {Bounds} bounds @returns {[number, number, number, number]} left, top, right and bottom, in hundredths */
export function encodeView({ left, top, right, bottom }) {
  const [a, b, c, d] = [left, top, right, bottom].map((value) => Math.round(value * 100) / 100);
  return [a, b, c, d];
}

/** @param {unknown} value @returns {Bounds | null} null if it is no view */
export function readView(value) {
  if (!Array.isArray(value) || value.length !== 4) return null;
  if (!value.every((part) => typeof part === 'number' && Math.abs(part) <= PLANE)) return null;
  const [left, top, right, bottom] = value;
  return right - left >= MIN_SIDE && bottom - top >= MIN_SIDE ? { left, top, right, bottom } : null;
}
