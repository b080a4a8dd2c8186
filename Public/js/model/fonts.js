/** The fonts of texts. Needs no document, so that a worker can use it. */

/** @typedef {'hand' | 'sans'} ShippedFont */
/** @typedef {ShippedFont | ''} Font '': the device's font, as in all texts of earlier pages */

/** The fonts to choose from. The first one is that of new texts. @type {readonly ShippedFont[]} */
export const FONTS = Object.freeze(['hand', 'sans']);

/** The families of the shipped fonts. No font that a person has installed has one of these names. */
export const FAMILIES = Object.freeze({ hand: 'DrawTogether Hand', sans: 'DrawTogether Sans' });
const DEVICE = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/** @param {Font} font @returns {readonly ShippedFont[]} the shipped fonts that it uses: `sans` has signs, such as arrows */
export function shippedIn(font) {
  return font === 'hand' ? FONTS : FONTS.filter((one) => one === font);
}

/** @param {Font} font @returns {string} its families: those of shipped fonts, and then the device's, for other scripts */
export function familiesOf(font) {
  return [...shippedIn(font).map((one) => `"${FAMILIES[one]}"`), DEVICE].join(', ');
}

/**
 * @param {Font} font
 * @returns {'auto' | 'geometricPrecision'} the rendering with which letters have the same widths in every size and browser. Texts in
 *   the device's font keep their appearance
 */
export function renderingOf(font) {
  return font === '' ? 'auto' : 'geometricPrecision';
}

/** @param {unknown} value @returns {value is ShippedFont} */
export function isShippedFont(value) {
  return FONTS.some((font) => font === value);
}
