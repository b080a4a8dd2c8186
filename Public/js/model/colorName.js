/** The named color that is nearest to a color. */

import { GRAYS, PALETTE } from './palette.js';

/** The colors with names: the palette, the grays, black and white. */
export const NAMED = Object.freeze([...PALETTE, ...GRAYS, '#000000', '#ffffff']);

const NAMED_LAB = NAMED.map(oklab);

/** @param {string} rgb `#` and six hex digits @returns {number} the index of the color in `NAMED` that looks most like it */
export function nearestNamed(rgb) {
  const lab = oklab(rgb);
  let nearest = 0;
  let least = Infinity;
  NAMED_LAB.forEach((named, index) => {
    const distance = Math.hypot(...named.map((value, at) => value - lab[at]));
    if (distance < least) [nearest, least] = [index, distance];
  });
  return nearest;
}

/** @param {string} rgb @returns {number[]} the color in OKLab, where distances are differences that people see */
function oklab(rgb) {
  const value = Number.parseInt(rgb.slice(1), 16);
  const [r, g, b] = [value >> 16, (value >> 8) & 255, value & 255].map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
