/** The style that is chosen for what is drawn next: color, width, fill, dashes and opacity. Needs no document. */

import { ADAPTIVE, GRAYS, nearestColor, PALETTE } from '../model/palette.js';
import { HIGHLIGHTER_WIDTHS, TEXT_SIZES, WIDTHS } from './settings.js';

/** The numbers of the palette's colors in the order in which they are offered. */
export const ORDER = Object.freeze([0, 2, 3, 7, 8, 1, 4, 5, 6, 9, 10]);
/** The offered colors: adaptive ink comes first. The person's own color follows them. */
export const COLORS = Object.freeze([ADAPTIVE, ...ORDER.map((number) => PALETTE[number]), ...GRAYS]);

/**
 * @typedef {'fill' | 'dash' | 'opacity'} LinePart
 * @typedef {'color' | 'width' | 'font' | LinePart} StylePart
 */

/** Events: `own` (the person's own color changed), `change` (detail: a `StylePart`). */
export class StylePicker extends EventTarget {
  #settings;
  /** An index of `COLORS`, or their number for the person's own color. */
  #chosen;
  /** The style of lines. */
  #line = { fill: '', dash: '', opacity: 1 };

  /** @param {import('./settings.js').Settings} settings */
  constructor(settings) {
    super();
    this.#settings = settings;
    const stored = COLORS.indexOf(settings.ink);
    this.#chosen = stored < 0 ? COLORS.length : stored;
  }

  /** The index of the chosen color. */
  get chosen() {
    return this.#chosen;
  }

  /** @returns {{ rgb: string, color: number }} */
  get ink() {
    const rgb = COLORS[this.#chosen] ?? this.#settings.color;
    return { rgb, color: nearestColor(rgb) };
  }

  /** @returns {Readonly<{ fill: string, dash: string, opacity: number }>} */
  get line() {
    return this.#line;
  }

  /** The person's own color. */
  get own() {
    return this.#settings.color;
  }

  /** The index of the chosen width. */
  get width() {
    return WIDTHS.indexOf(this.#settings.width);
  }

  /** @param {string} tool @returns {import('../edit/drawing.js').StrokeStyle} */
  strokeStyle(tool) {
    const isHighlighter = tool === 'highlighter';
    const width = (isHighlighter ? HIGHLIGHTER_WIDTHS : WIDTHS)[this.width];
    // Handwriting has closed letters, which must not be filled. A selected line can be filled.
    const fill = tool === 'pen' ? '' : this.#line.fill;
    return { ...this.ink, width, tool, ...!isHighlighter && { ...this.#line, fill } };
  }

  /** @returns {import('../edit/drawing.js').TextStyle} */
  get textStyle() {
    return { ...this.ink, size: TEXT_SIZES[this.width], font: this.#settings.font };
  }

  /**
   * @param {import('../model/shapes.js').Shape} shape @param {StylePart} part
   * @returns {import('../edit/changeSet.js').StyleChange} the changed properties, by the current choice
   */
  styleChange(shape, part) {
    if (part === 'color') return this.ink;
    if (!('tool' in shape)) {
      const { size, font } = this.textStyle;
      return part === 'width' ? { size } : part === 'font' ? { font } : {};
    }
    if (part === 'font') return {};
    if (part === 'width') return { width: this.strokeStyle(shape.tool).width };
    return shape.tool === 'highlighter' ? {} : { [part]: this.#line[part] };
  }

  /** @param {number} index of `COLORS`; their number: the person's own color */
  chooseColor(index) {
    this.#chosen = index;
    this.#settings.setInk(COLORS[index] ?? '');
    this.#changed('color');
  }

  chooseOwn() {
    this.chooseColor(COLORS.length);
  }

  /** Changes the person's own color, and chooses it. @param {string} rgb */
  setOwn(rgb) {
    this.#settings.setColor(rgb);
    this.dispatchEvent(new Event('own'));
    this.chooseOwn();
  }

  /** @param {number} width one of `WIDTHS` */
  chooseWidth(width) {
    this.#settings.setWidth(width);
    this.#changed('width');
  }

  /** @param {import('../model/fonts.js').Font} font */
  chooseFont(font) {
    this.#settings.setFont(font);
    this.#changed('font');
  }

  /** @param {1 | -1} step */
  stepWidth(step) {
    const width = WIDTHS[this.width + step];
    if (width !== undefined) this.chooseWidth(width);
  }

  /** @param {LinePart} part @param {string | number} value */
  chooseLine(part, value) {
    this.#line = { ...this.#line, [part]: value };
    this.#changed(part);
  }

  /** @param {StylePart} part */
  #changed(part) {
    this.dispatchEvent(new CustomEvent('change', { detail: part }));
  }
}
