/** Alignment and even distribution of boxes. */

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'} Alignment
 * @typedef {'horizontal' | 'vertical'} Direction
 * @typedef {[x: number, y: number]} Offset
 */

/** By alignment: the part of the way from the first side to the second one. @type {Record<Alignment, number>} */
const PARTS = { left: 0, center: 0.5, right: 1, top: 0, middle: 0.5, bottom: 1 };

/**
 * @param {readonly Bounds[]} boxes at least one @param {Alignment} alignment
 * @returns {Offset[]} the offsets that bring all boxes to one side, or to the middle, of the bounds of all
 */
export function alignOffsets(boxes, alignment) {
  const isAcross = ['left', 'center', 'right'].includes(alignment);
  const part = PARTS[alignment];
  const sides = boxes.map((box) => sidesOf(box, isAcross));
  const from = Math.min(...sides.map(([one]) => one));
  const to = Math.max(...sides.map(([, other]) => other));
  const wanted = from + (to - from) * part;
  return sides.map(([one, other]) => offset(wanted - one - (other - one) * part, isAcross));
}

/**
 * @param {readonly Bounds[]} boxes @param {Direction} direction
 * @returns {Offset[]} the offsets that make the gaps between neighbors equal. The outer boxes stay. If the boxes do not have
 *   enough room, the gaps are negative.
 */
export function distributeOffsets(boxes, direction) {
  const isAcross = direction === 'horizontal';
  const sides = boxes.map((box) => sidesOf(box, isAcross));
  const middle = (/** @type {number} */ at) => sides[at][0] + sides[at][1];
  const order = [...boxes.keys()].sort((a, b) => middle(a) - middle(b) || a - b);
  const [from, to] = [sides[order[0]][0], sides[order[order.length - 1]][1]];
  const filled = sides.reduce((sum, [one, other]) => sum + other - one, 0);
  const gap = (to - from - filled) / (boxes.length - 1);
  const offsets = boxes.map(() => offset(0, isAcross));
  let next = from;
  for (const at of order) {
    const [one, other] = sides[at];
    offsets[at] = offset(next - one, isAcross);
    next += other - one + gap;
  }
  return offsets;
}

/** @param {Bounds} box @param {boolean} isAcross @returns {[number, number]} */
function sidesOf({ left, top, right, bottom }, isAcross) {
  return isAcross ? [left, right] : [top, bottom];
}

/** @param {number} by @param {boolean} isAcross @returns {Offset} in hundredths, as coordinates are sent */
function offset(by, isAcross) {
  const whole = Math.round(by * 100) / 100;
  return isAcross ? [whole, 0] : [0, whole];
}
