/** The tools for lines and arrows whose ends are attached to the objects on which they are dropped. */

import { boundsForEnds, endAt, objectForEnd } from '../model/connectedEnds.js';
import { ShapeTool } from './shapeTool.js';

/**
 * @typedef {import('../edit/drawing.js').StrokeStyle} StrokeStyle
 * @typedef {import('../model/strokeOutline.js').Point} Point
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 *
 * @typedef {object} Parts
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../model/hitTest.js').Plane} plane
 * @property {() => StrokeStyle} style
 * @property {() => number} scale pixels per point
 * @property {() => string} newKey
 * @property {(objects: Bounds[]) => void} showObjects shows the objects to which the ends would be attached
 */

/** The distance within which an end is attached to the outline of a shape, in pixels. */
const REACH = 10;
/** The maximum side of a shape without a fill whose inside attracts ends, in pixels. */
const LARGEST = 480;

/** Draws a line or an arrow like `ShapeTool`. */
export class ConnectorTool extends ShapeTool {
  #plane;
  #scale;
  #showObjects;

  /** @param {Parts} parts */
  constructor({ drawing, plane, style, scale, newKey, showObjects }) {
    super(drawing, style, scale, newKey);
    this.#plane = plane;
    this.#scale = scale;
    this.#showObjects = showObjects;
  }

  /** @param {Point} from @param {Point} to @returns {Pick<StrokeStyle, 'from' | 'to'>} */
  ends(from, to) {
    const scale = this.#scale();
    const [begin, end] = [from, to].map((point) => objectForEnd(this.#plane, point, REACH / scale, LARGEST / scale));
    this.#showObjects([...new Set([begin, end])].flatMap((one) => one ? [boundsForEnds(one)] : []));
    return { from: begin && endAt(begin, from), to: end && endAt(end, to) };
  }

  end() {
    this.#showObjects([]);
    super.end();
  }

  cancel() {
    this.#showObjects([]);
    super.cancel();
  }
}
