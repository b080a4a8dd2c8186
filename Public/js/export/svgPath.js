/** Takes what is traced as the data of a path in SVG. */

export class SVGPath {
  #data = '';

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.#data += `M${pair(x, y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.#data += `L${pair(x, y)}`;
  }

  /** @param {number} bentX @param {number} bentY @param {number} x @param {number} y */
  quadraticCurveTo(bentX, bentY, x, y) {
    this.#data += `Q${pair(bentX, bentY)} ${pair(x, y)}`;
  }

  /** A full circle, which is all that is traced; an arc of SVG ends elsewhere than it begins. @param {number} x @param {number} y @param {number} radius */
  arc(x, y, radius) {
    const half = `A${pair(radius, radius)} 0 1 0 `;
    this.#data += `${half}${pair(x - radius, y)}${half}${pair(x + radius, y)}`;
  }

  closePath() {
    this.#data += 'Z';
  }

  toString() {
    return this.#data;
  }
}

/** @param {number} x @param {number} y */
function pair(x, y) {
  return `${short(x)},${short(y)}`;
}

/** @param {number} value @returns {number} a hundredth of a point is finer than any screen */
function short(value) {
  return Math.round(value * 100) / 100;
}
