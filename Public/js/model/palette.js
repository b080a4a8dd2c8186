/** The colors of the activity, in the order of their numbers on the wire. Each is visible on light and on dark paper. */

export const PALETTE = Object.freeze([
  '#e5484d',
  '#f2762e',
  '#e8b100',
  '#30a46c',
  '#3fc9a4',
  '#12a5a5',
  '#2ba9e0',
  '#4f5fe8',
  '#8e4ec6',
  '#e54e9e',
  '#a1704a',
]);

/**
 * The reserved value of `rgb` for ink that adapts to the paper: dark on light paper, light on dark paper. Pages that do not know
 * this draw the gray itself, which is visible on both.
 */
export const ADAPTIVE = '#7f8187';
/** Grays that are visible on both papers: a dark one and a light one. They have no numbers on the wire. */
export const GRAYS = Object.freeze(['#66686f', '#a0a2a9']);

/**
 * @param {string} rgb of a shape @param {string} ink the color of adaptive ink on this paper
 * @returns {string} the color to paint with
 */
export function paintedColor(rgb, ink) {
  return rgb === ADAPTIVE ? ink : rgb;
}

/** @param {unknown} value @returns {value is string} `#` and six hex digits */
export function isRGB(value) {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);
}

/** @param {string} rgb @returns {number} the number of the nearest color of the palette */
export function nearestColor(rgb) {
  const [r, g, b] = channels(rgb);
  let best = 0;
  let least = Infinity;
  PALETTE.forEach((color, index) => {
    const [r2, g2, b2] = channels(color);
    const distance = (r - r2) ** 2 + (g - g2) ** 2 + (b - b2) ** 2;
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}

/**
 * The colors of people, from which the gateway chooses, too. Each is visible on both papers, and no two look alike. They have no
 * numbers on the wire.
 */
export const PEOPLE_COLORS = Object.freeze([
  '#0a5ad2',
  '#fa6e0a',
  '#009600',
  '#963cb4',
  '#be1e46',
  '#00beaa',
  '#b4aa00',
  '#5a96fa',
  '#e682fa',
  '#006e6e',
  '#966400',
  '#b47896',
]);
/**
 * The maximum difference of each channel between a person's color and the color of `PEOPLE_COLORS`. It is too small to be
 * visible.
 */
const SPREAD = 2;

/**
 * Returns a color for a person: almost one of `PEOPLE_COLORS`. A small random difference keeps the colors of two people apart,
 * because the gateway takes people with the same name and the same color for one person.
 * @param {() => number} [random] @returns {string}
 */
export function personalColor(random = Math.random) {
  const near = channels(PEOPLE_COLORS[Math.floor(random() * PEOPLE_COLORS.length)]);
  const own = near.map((channel) => channel + Math.floor(random() * (2 * SPREAD + 1)) - SPREAD);
  return `#${own.map((channel) => Math.max(0, Math.min(255, channel)).toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Returns the text color that is easier to read on a background.
 * @param {string} rgb of the background @returns {'#ffffff' | '#000000'}
 */
export function textOn(rgb) {
  const light = luminance(rgb) + 0.05;
  return 1.05 / light >= light / 0.05 ? '#ffffff' : '#000000';
}

/** Returns the relative luminance (WCAG 2), from 0 for black to 1 for white. @param {string} rgb @returns {number} */
export function luminance(rgb) {
  const [r, g, b] = channels(rgb).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {string} rgb @returns {[number, number, number]} */
function channels(rgb) {
  const value = Number.parseInt(rgb.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
