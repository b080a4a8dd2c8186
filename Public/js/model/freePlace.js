/** The position of an object that is placed without a pointer. */

import { overlap } from './stroke.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {{ width: number, height: number }} Size
 */

/** The maximum number of steps away from the center in a full view. */
const MAX_STEPS = 8;

/**
 * Returns a position in the view at which an object covers no earlier one: the center; or else beside the latest object; or else
 * the first free position, row by row. In a full view, the position is a little away from the center.
 * @param {Bounds} view @param {Size} size of the object @param {readonly Bounds[]} earlier the latest is the last
 * @param {number} gap between objects @returns {[number, number]} the center of the object
 */
export function freePlace(view, size, earlier, gap) {
  const isFree = (/** @type {[number, number]} */ center) => {
    const bounds = around(center, size);
    return !earlier.some((one) => overlap(one, bounds));
  };
  /** @type {[number, number]} */
  const middle = [(view.left + view.right) / 2, (view.top + view.bottom) / 2];
  if (isFree(middle)) return middle;
  for (const center of candidates(view, size, earlier[earlier.length - 1], gap)) {
    if (isInside(around(center, size), view) && isFree(center)) return center;
  }
  const steps = 1 + earlier.length % MAX_STEPS;
  return [middle[0] + steps * gap, middle[1] + steps * gap];
}

/** @param {Bounds} view @param {Size} size @param {Bounds} latest @param {number} gap @returns {Iterable<[number, number]>} */
function* candidates(view, { width, height }, latest, gap) {
  const [x, y] = [(latest.left + latest.right) / 2, (latest.top + latest.bottom) / 2];
  yield [latest.right + gap + width / 2, y];
  yield [x, latest.bottom + gap + height / 2];
  yield [latest.left - gap - width / 2, y];
  yield [x, latest.top - gap - height / 2];
  for (let row = view.top + height / 2; row + height / 2 <= view.bottom; row += height + gap) {
    for (let column = view.left + width / 2; column + width / 2 <= view.right; column += width + gap) {
      yield [column, row];
    }
  }
}

/** @param {[number, number]} center @param {Size} size @returns {Bounds} */
function around([x, y], { width, height }) {
  return { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
}

/** @param {Bounds} inner @param {Bounds} outer */
function isInside(inner, outer) {
  return inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right &&
    inner.bottom <= outer.bottom;
}
