/** Places the panels of uploads on the canvas. */

/**
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {{ left: number, top: number, width: number, height: number }} Box on the canvas, in pixels
 */

/** The edges of the page that panels keep clear of, in pixels: its sides, the header and the tools. */
const EDGE = 8;
const TOP = 64;
const BOTTOM = 84;

/**
 * Returns the place of an upload's panel: below the visible part of its item, and not over another panel.
 * @param {Box} item @param {Size} panel @param {Size} view @param {Box[]} taken by other panels
 * @returns {Box | null} null if the item is outside of the view, or there is no room
 */
export function panelPlace(item, { width, height }, view, taken) {
  const bottom = item.top + item.height;
  const isSeen = item.left < view.width && item.left + item.width > 0 && item.top < view.height - BOTTOM &&
    bottom > TOP;
  if (!isSeen) return null;
  const left = within(item.left + (item.width - width) / 2, EDGE, view.width - width - EDGE);
  // Below the item, or else over its lower part.
  for (const wanted of [bottom + EDGE, bottom - height - EDGE]) {
    const box = { left, top: within(wanted, TOP, view.height - height - BOTTOM), width, height };
    if (!taken.some((other) => meet(box, other))) return box;
  }
  return null;
}

/** @param {Box} one @param {Box} other */
function meet(one, other) {
  return one.left < other.left + other.width && other.left < one.left + one.width &&
    one.top < other.top + other.height && other.top < one.top + one.height;
}

/** @param {number} value @param {number} least @param {number} most */
function within(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
