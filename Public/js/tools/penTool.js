/** Draws with the style that is chosen, by hand or shapes; and takes away what is drawn. */

import { regular } from '../model/strokeOutline.js';

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../edit/drawing.js').StrokeStyle} StrokeStyle
 *
 * Where the pointer was.
 * @typedef {object} Sample
 * @property {number} x of the plane
 * @property {number} y
 * @property {number | null} pressure 0…1; null where the device knows none
 * @property {boolean} [shift] whether that key is down
 * @property {boolean} [alt] whether that one is
 */

/** The pen: draws freehand strokes with the current style. */
export class PenTool {
  #drawing;
  #style;
  #feelsPressure = true;

  /** @param {Drawing} drawing @param {() => StrokeStyle} style */
  constructor(drawing, style) {
    this.#drawing = drawing;
    this.#style = style;
  }

  /** @param {Sample} sample */
  begin({ x, y, pressure }) {
    const style = this.#style();
    // It is as broad everywhere: nobody needs to be told.
    this.#feelsPressure = style.tool !== 'highlighter';
    this.#drawing.beginStroke(style, [x, y], pressure === null || !this.#feelsPressure ? null : [pressure]);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    const hasPressure = this.#feelsPressure && samples.some(({ pressure }) => pressure !== null);
    const pressures = hasPressure ? samples.map(({ pressure }) => pressure ?? 0.5) : null;
    this.#drawing.extendStroke(samples.flatMap(({ x, y }) => [x, y]), pressures);
  }

  end() {
    this.#drawing.endStroke();
  }

  cancel() {
    this.#drawing.cancelStroke();
  }
}

/** Less than this is a tap, in pixels: it draws nothing. */
const SLOP = 4;

/** The tool for lines, arrows, rectangles and ellipses: draws from the pressed point to the pointer. */
export class ShapeTool {
  #drawing;
  #style;
  #scale;
  #newKey;
  /** @type {{ id: string, style: StrokeStyle, from: [number, number], isBegun: boolean } | null} */
  #shape = null;

  /** @param {Drawing} drawing @param {() => StrokeStyle} style @param {() => number} scale pixels a point @param {() => string} newKey */
  constructor(drawing, style, scale, newKey) {
    this.#drawing = drawing;
    this.#style = style;
    this.#scale = scale;
    this.#newKey = newKey;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    this.#shape = { id: this.#newKey(), style: this.#style(), from: [x, y], isBegun: false };
  }

  /** Shift keeps it regular, Alt its middle where it began. @param {Sample[]} samples */
  move(samples) {
    const shape = this.#shape;
    const last = samples.at(-1);
    if (!shape || !last) return;
    const { id, style, from: [x, y] } = shape;
    shape.isBegun ||= Math.hypot(last.x - x, last.y - y) * this.#scale() >= SLOP;
    if (!shape.isBegun) return;
    const to = last.shift ? regular(style.tool, [x, y], [last.x, last.y]) : [last.x, last.y];
    /** @type {[number, number]} */
    const from = last.alt ? [2 * x - to[0], 2 * y - to[1]] : [x, y];
    if (!this.#drawing.drawShape(style, id, from, [to[0], to[1]])) this.#shape = null;
  }

  end() {
    this.#shape = null;
    this.#drawing.endStroke();
  }

  cancel() {
    this.#shape = null;
    this.#drawing.cancelStroke();
  }
}

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/spatialIndex.js').ShapeIndex} ShapeIndex
 */

/** Half the eraser's size, in pixels: the same on the screen however far one is zoomed in. */
export const ERASER_REACH = 9;

/** The eraser: removes whole shapes of anybody along its path. */
export class EraserTool {
  #drawing;
  #index;
  #scale;
  /** @type {Shape[]} */
  #erased = [];
  /** @type {[number, number]} */
  #at = [0, 0];

  /** @param {Drawing} drawing @param {ShapeIndex} index @param {() => number} scale pixels a point */
  constructor(drawing, index, scale) {
    this.#drawing = drawing;
    this.#index = index;
    this.#scale = scale;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    this.#at = [x, y];
    this.#pass([x, y]);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    for (const { x, y } of samples) this.#pass([x, y]);
  }

  /** Pushes everything that was erased as one command. */
  end() {
    this.#drawing.endErasing(this.#erased);
    this.#erased = [];
  }

  cancel() {
    this.end();
  }

  /** @param {[number, number]} to */
  #pass(to) {
    for (const shape of this.#index.near(this.#at, to, ERASER_REACH / this.#scale())) {
      this.#drawing.erase(shape);
      this.#erased.push(shape);
    }
    this.#at = to;
  }
}
