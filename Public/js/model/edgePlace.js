/** The position of a mark for a point that is outside of the view. */

/** The widths of the edges that marks keep clear of, in pixels: the sides of the page, the header and the tools. */
const SIDE = 28;
const TOP = 92;
const BOTTOM = 112;

/**
 * Returns the position of a mark at the edge, in the direction of a point.
 * @param {number} x @param {number} y of the canvas, in pixels
 * @param {{ width: number, height: number }} view
 * @returns {{ x: number, y: number, angle: number } | null} `angle` of the direction, in radians clockwise from the right; null
 *   if the point is in view
 */
export function edgePlace(x, y, { width, height }) {
  if (x >= 0 && x <= width && y >= 0 && y <= height) return null;
  const left = Math.min(Math.max(x, SIDE), Math.max(SIDE, width - SIDE));
  const top = Math.min(Math.max(y, TOP), Math.max(TOP, height - BOTTOM));
  return { x: left, y: top, angle: Math.atan2(y - top, x - left) };
}
