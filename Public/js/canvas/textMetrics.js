/** How large words are when they are painted. Knows no document: a worker can ask too. */

/** The page's own type. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
/** From line to line, in sizes of the type. */
export const LINE = 1.25;

/** Measured at this size and scaled, so that it is the same however near one is. */
const MEASURED = 100;
/** Where nothing can be measured, letters are about as wide as this, and stand so high. */
const LETTER = 0.55;
const BASELINE = 0.97;

/** @type {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null | undefined} undefined: not yet asked for */
let context;
let baseline = 0;

/** @param {string} line @returns {number} in sizes of the type */
export function lineWidth(line) {
  return (measuring()?.measureText(line).width ?? [...line].length * LETTER * MEASURED) / MEASURED;
}

/** From the top of a line to where its letters stand, in sizes of the type: where style sheets put it too. */
export function baselineOfLine() {
  if (baseline > 0) return baseline;
  const measured = measuring()?.measureText('x');
  const [above, below] = [measured?.fontBoundingBoxAscent ?? NaN, measured?.fontBoundingBoxDescent ?? NaN];
  baseline = Number.isFinite(above + below) ? LINE / 2 + (above - below) / 2 / MEASURED : BASELINE;
  return baseline;
}

function measuring() {
  if (context !== undefined) return context;
  const canvas = typeof OffscreenCanvas === 'function'
    ? new OffscreenCanvas(1, 1)
    : globalThis.document?.createElement('canvas');
  context = /** @type {CanvasRenderingContext2D | null} */ (canvas?.getContext('2d') ?? null);
  if (context) context.font = `${MEASURED}px ${FONT}`;
  return context;
}
