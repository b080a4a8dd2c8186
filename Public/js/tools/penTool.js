/** The pen and the highlighter. */

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../edit/drawing.js').StrokeStyle} StrokeStyle
 * @typedef {import('./pointerInput.js').Sample} Sample
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
    // A highlighter has a constant width, so its pressures are not sent.
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
