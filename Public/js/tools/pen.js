/** Draws by hand with the look that is chosen. */

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
  #feelsPressure = true;

  /** @param {Drawing} drawing @param {() => Look} look */
  constructor(drawing, look) {
    this.#drawing = drawing;
    this.#look = look;
  }

  /** @param {Sample} sample */
  begin({ x, y, pressure }) {
    const look = this.#look();
    // It is as broad everywhere: nobody needs to be told.
    this.#feelsPressure = look.tool !== 'highlighter';
    this.#drawing.begin(look, [x, y], pressure === null || !this.#feelsPressure ? null : [pressure]);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    const hasPressure = this.#feelsPressure && samples.some(({ pressure }) => pressure !== null);
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
