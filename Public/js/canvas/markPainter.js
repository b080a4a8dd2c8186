/**
 * Paints what is drawn and written by hand. Knows no document: a worker can do it too.
 *
 * Outlines are made into paths once for each version of a mark.
 */

import { Text } from './text.js';
import { baselineOfLine, FONT, LINE } from './textMetrics.js';
import { lookOf, trace } from './trace.js';

/**
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context
 */

/** @type {WeakMap<Stroke, { version: number, path: Path2D }>} */
const made = new WeakMap();

/** @param {Context} context in points of the plane @param {Mark} mark */
export function paintMark(context, mark) {
  const { color, alpha, lineWidth } = lookOf(mark);
  context.globalAlpha = alpha;
  context.fillStyle = color;
  if (mark instanceof Text) paintText(context, mark);
  else if (lineWidth === null) context.fill(pathOf(mark));
  else {
    context.strokeStyle = color;
    context.lineWidth = lineWidth;
    context.lineCap = context.lineJoin = 'round';
    context.stroke(pathOf(mark));
  }
  context.globalAlpha = 1;
}

/** @param {Context} context @param {Text} text */
function paintText(context, { lines, x, y, size }) {
  context.font = `${size}px ${FONT}`;
  lines.forEach((line, at) => context.fillText(line, x, y + (at * LINE + baselineOfLine()) * size));
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
