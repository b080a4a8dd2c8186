/** Draws with the look that is chosen. */

/**
 * @typedef {import('../canvas/drawing.js').Drawing} Drawing
 * @typedef {import('../canvas/drawing.js').Look} Look
 *
 * Where the pointer was.
 * @typedef {object} Sample
 * @property {number} x of the plane
 * @property {number} y
 * @property {number | null} pressure 0…1; null where the device knows none
 * @property {boolean} [shift] whether that key is down
 * @property {boolean} [alt] whether that one is
 */

export class Pen {
  #drawing;
  #look;

  /** @param {Drawing} drawing @param {() => Look} look */
  constructor(drawing, look) {
    this.#drawing = drawing;
    this.#look = look;
  }

  /** @param {Sample} sample */
  begin({ x, y, pressure }) {
    this.#drawing.begin(this.#look(), [x, y], pressure === null ? null : [pressure]);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    const hasPressure = samples.some(({ pressure }) => pressure !== null);
    const pressures = hasPressure ? samples.map(({ pressure }) => pressure ?? 0.5) : null;
    this.#drawing.extend(samples.flatMap(({ x, y }) => [x, y]), pressures);
  }

  end() {
    this.#drawing.lift();
  }

  cancel() {
    this.#drawing.cancel();
  }
}
