/** The colors of the activity, in the order of their numbers on the wire; each is seen on light and on dark paper. */

export const PALETTE = Object.freeze([
  { name: 'Red', rgb: '#e5484d' },
  { name: 'Orange', rgb: '#f2762e' },
  { name: 'Yellow', rgb: '#e8b100' },
  { name: 'Green', rgb: '#30a46c' },
  { name: 'Mint', rgb: '#3fc9a4' },
  { name: 'Teal', rgb: '#12a5a5' },
  { name: 'Cyan', rgb: '#2ba9e0' },
  { name: 'Indigo', rgb: '#4f5fe8' },
  { name: 'Purple', rgb: '#8e4ec6' },
  { name: 'Pink', rgb: '#e54e9e' },
  { name: 'Brown', rgb: '#a1704a' },
]);

/** @param {unknown} value @returns {value is string} `#` and six hex digits */
export function isRGB(value) {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);
}

/** @param {string} rgb @returns {number} the number of the palette's color that is nearest */
export function nearestColor(rgb) {
  const [r, g, b] = channels(rgb);
  let best = 0;
  let least = Infinity;
  PALETTE.forEach((color, index) => {
    const [r2, g2, b2] = channels(color.rgb);
    const distance = (r - r2) ** 2 + (g - g2) ** 2 + (b - b2) ** 2;
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}

/** A color for one person: any hue, neither pale nor dark. @param {() => number} [random] @returns {string} */
export function randomColor(random = Math.random) {
  return rgbFromHSL(random() * 360, 0.62 + random() * 0.2, 0.5 + random() * 0.08);
}

/** Whether white or black is read better on it. @param {string} rgb @returns {'#ffffff' | '#000000'} */
export function textOn(rgb) {
  const [r, g, b] = channels(rgb).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

/** @param {string} rgb @returns {[number, number, number]} */
function channels(rgb) {
  const value = Number.parseInt(rgb.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** @param {number} hue @param {number} saturation @param {number} lightness */
function rgbFromHSL(hue, saturation, lightness) {
  const strength = saturation * Math.min(lightness, 1 - lightness);
  const channel = (/** @type {number} */ offset) => {
    const k = (offset + hue / 30) % 12;
    const value = lightness - strength * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(value * 255).toString(16).padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
