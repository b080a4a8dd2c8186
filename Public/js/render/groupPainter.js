/** Paints several overlapping parts as one group with an opacity. Needs no document, so that a worker can use it. */

import { extentOf } from '../model/lineStyle.js';

/** @typedef {import('./shapePainter.js').Context} Context */

/** The canvas on which groups are painted first. @type {OffscreenCanvas | HTMLCanvasElement | null} */
let scratch = null;

/**
 * Paints a group with an opacity. Within the group, no part is visible through another part.
 * @param {Context} context whose transform scales both axes equally
 * @param {{ points: ArrayLike<number>, width: number }} line encloses the group @param {number} alpha
 * @param {(group: Context) => void} paint paints the parts, opaque
 */
export function paintGroup(context, line, alpha, paint) {
  const { a: scale, e: x, f: y } = context.getTransform();
  const { left, top, width, height } = boxOn(context.canvas, line, scale, x, y);
  if (width <= 0 || height <= 0) return;
  scratch ??= newCanvas();
  // Setting the size also clears the canvas.
  scratch.width = width;
  scratch.height = height;
  const group = /** @type {Context} */ (scratch.getContext('2d'));
  group.setTransform(scale, 0, 0, scale, x - left, y - top);
  paint(group);
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalAlpha = alpha;
  context.drawImage(scratch, left, top);
  context.restore();
}

/**
 * @param {{ width: number, height: number }} canvas @param {{ points: ArrayLike<number>, width: number }} line
 * @param {number} scale @param {number} x @param {number} y
 * @returns {{ left: number, top: number, width: number, height: number }} the line's extent on the canvas, in whole pixels
 */
function boxOn(canvas, { points, width }, scale, x, y) {
  const { left, top, right, bottom } = extentOf(points);
  const [fromX, fromY] = [(left - width) * scale + x, (top - width) * scale + y].map((from) =>
    Math.max(0, Math.floor(from))
  );
  return {
    left: fromX,
    top: fromY,
    width: Math.min(canvas.width, Math.ceil((right + width) * scale + x)) - fromX,
    height: Math.min(canvas.height, Math.ceil((bottom + width) * scale + y)) - fromY,
  };
}

function newCanvas() {
  // A worker has no document.
  return globalThis.document?.createElement('canvas') ?? new OffscreenCanvas(1, 1);
}
