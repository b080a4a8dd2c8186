/** The laser pointer. */

/**
 * @typedef {import('./pointerInput.js').Sample} Sample
 * @typedef {import('../protocol/laserTrails.js').Point} Point
 */

/** The laser pointer: shows a line that fades. It does not change the drawing. */
export class LaserTool {
  #sender;
  #show;

  /**
   * @param {import('../protocol/laserTrails.js').LaserSender} sender
   * @param {(points: Point[], isFirst: boolean) => void} show shows the points on this page; `isFirst`: they begin a line
   */
  constructor(sender, show) {
    this.#sender = sender;
    this.#show = show;
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    this.#sender.begin([x, y]);
    this.#show([[x, y]], true);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    /** @type {Point[]} */
    const points = samples.map(({ x, y }) => [x, y]);
    this.#sender.move(points);
    this.#show(points, false);
  }

  end() {
    this.#sender.end();
  }

  cancel() {
    this.#sender.end();
  }
}
