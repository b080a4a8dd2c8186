/**
 * Paints what is drawn by hand. Knows no document: a worker can do it too.
 *
 * Outlines are made into paths once for each version of a mark.
 */

import { trace } from './trace.js';

/**
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context
 */

/** @type {WeakMap<Stroke, { version: number, path: Path2D }>} */
const made = new WeakMap();

/** @param {Context} context in points of the plane @param {Stroke} mark */
export function paintMark(context, mark) {
  context.fillStyle = mark.rgb;
  context.fill(pathOf(mark));
}

/** @param {Stroke} stroke @returns {Path2D} */
function pathOf(stroke) {
  const before = made.get(stroke);
  if (before && before.version === stroke.version) return before.path;
  const path = new Path2D();
  trace(stroke, path);
  made.set(stroke, { version: stroke.version, path });
  return path;
}
