/** The texts on the page, and their measured sizes. Needs no document, so that a worker can use it. */

import { familiesOf, renderingOf } from './fonts.js';
import { noteLayout, noteMargin, resizedNote, sameNote } from './note.js';
import { boundsOfRotated, mapping, normalAngle, toBox } from './rotation.js';
import { segmentDistance } from './strokeOutline.js';
import { onPlane, rounded } from './stroke.js';
import { isFromRight, linesOf } from './textDirection.js';

/** The distance between lines, in font sizes. */
export const LINE = 1.25;

/**
 * The font sizes at which widths are measured. The measured widths are scaled, so that they are the same at every zoom. For a
 * shipped font, the size is its number of units per em: at other sizes, Firefox rounds the width of each letter on a device with
 * full hinting.
 */
const MEASURED = { hand: 800, sans: 1000, '': 1000 };
/** The estimated width of letters where texts cannot be measured, in font sizes. */
const LETTER = 0.55;
/**
 * The distances from the top of a line to its baseline, in font sizes. Those of the shipped fonts follow from their ascents and
 * descents; that of the device's font is an estimate, for places where texts cannot be measured.
 */
const BASELINES = { hand: 1, sans: 0.99, '': 0.97 };

/** @type {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null | undefined} undefined: not requested yet */
let context;
/** @type {Font | null} the font of the context; null: none yet */
let measuredFont = null;
let deviceBaseline = 0;
/** The number of loads of the shipped fonts. Widths that were measured before the last load are those of other fonts. */
let loads = 0;

/** Measures all texts with a shipped font again. To be called once the shipped fonts are loaded. */
export function fontsLoaded() {
  loads += 1;
  measuredFont = null;
}

/** @param {string} line @param {Font} font @returns {number} its width, in font sizes */
export function lineWidth(line, font) {
  const measured = measuring(font)?.measureText(line).width;
  return measured === undefined ? [...line].length * LETTER : measured / MEASURED[font];
}

/**
 * Returns the distance from the top of a line to its baseline, in font sizes. It is the same as in CSS.
 * @param {Font} font
 */
export function baselineOfLine(font) {
  if (font !== '') return BASELINES[font];
  if (deviceBaseline > 0) return deviceBaseline;
  const measured = measuring(font)?.measureText('x');
  const [above, below] = [measured?.fontBoundingBoxAscent ?? NaN, measured?.fontBoundingBoxDescent ?? NaN];
  deviceBaseline = Number.isFinite(above + below) ? LINE / 2 + (above - below) / 2 / MEASURED[font] : BASELINES[font];
  return deviceBaseline;
}

/** @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context @param {Font} font @param {number} size */
export function setFont(context, font, size) {
  context.font = `${size}px ${familiesOf(font)}`;
  context.textRendering = renderingOf(font);
}

/** @param {Font} font of the returned context */
function measuring(font) {
  if (context === undefined) {
    const canvas = typeof OffscreenCanvas === 'function'
      ? new OffscreenCanvas(1, 1)
      : globalThis.document?.createElement('canvas');
    context = /** @type {CanvasRenderingContext2D | null} */ (canvas?.getContext('2d') ?? null);
  }
  if (context && measuredFont !== font) setFont(context, font, MEASURED[font]);
  measuredFont = font;
  return context;
}

/** The minimum and maximum font sizes, in points. */
export const MIN_SIZE = 4;
export const MAX_SIZE = 1000;
/** The maximum number of characters. */
export const MAX_TEXT_LENGTH = 4000;
/** The distances by which letters may extend beyond their box, in font sizes. */
const OVERHANGS = { hand: 0.4, sans: 0.1, '': 0.1 };

/** Control characters except line breaks, and characters that change the direction of the text after them. */
const UNSAFE = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * @typedef {import('./fonts.js').Font} Font
 * @typedef {import('./note.js').Layout} Layout
 * @typedef {import('./note.js').Note} Note
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Transform} Transform
 * @typedef {object} Properties
 * @property {string} id
 * @property {string} text
 * @property {number} x
 * @property {number} y
 * @property {number} size
 * @property {number} [angle] in degrees, clockwise
 * @property {Font} [font]
 * @property {string} rgb
 * @property {number} color
 * @property {number} z
 * @property {Note | null} [note]
 * @property {string} [fill]
 * @property {boolean} [isLocked]
 * @typedef {Properties & Partial<import('./origin.js').Origin>} TextProperties
 */

/** A text on the page. A change makes a new object with the same id. */
export class Text {
  id;
  /** The lines, separated by `\n`. @type {string} */
  text;
  /** The position of the upper left corner, before the rotation. */
  x;
  y;
  /** The font size. The text of a note is shown in a smaller size if it does not fit otherwise. */
  size;
  /** The angle by which the lines are rotated about the center of their box, in degrees, clockwise. @type {number} */
  angle;
  /** @type {Font} */
  font;
  /** @type {string} */
  rgb;
  /** @type {number} of the same or the nearest color of the palette */
  color;
  /** Drawn in the order of `z`, then of `id`. */
  z;
  /** The note on which the text is; null: none. @type {Note | null} */
  note;
  /** The color of the note, one of `NOTE_FILLS`. @type {string} */
  fill;
  /** True if nobody can select or erase it. */
  isLocked;
  /** As in `Origin`. */
  author;
  editor;
  madeAt;
  /** False while a participant is typing the text. */
  isFinished = true;
  version = 0;
  /** @type {Bounds | null} */
  #box = null;
  /** The number of loads of the shipped fonts before the box was measured. */
  #measuredAfter = 0;
  /** The layout of a note's text, and the properties for which it was computed. @type {Layout & { key: string } | null} */
  #layout = null;

  /** @param {TextProperties} style */
  constructor(style) {
    const { id, text, x, y, size, angle = 0, font = '', rgb, color, z, note = null, fill = '' } = style;
    const { isLocked = false, author = 0, editor = 0, madeAt = 0 } = style;
    this.id = id;
    this.text = text;
    this.x = x;
    this.y = y;
    this.size = size;
    this.angle = angle;
    this.font = font;
    this.rgb = rgb;
    this.color = color;
    this.z = z;
    this.note = note;
    this.fill = fill;
    this.isLocked = isLocked;
    this.author = author;
    this.editor = editor;
    this.madeAt = madeAt;
  }

  /** The lines as they are shown. */
  get lines() {
    return this.layout.lines;
  }

  /** @returns {Layout} */
  get layout() {
    const { text, size, font, note } = this;
    if (!note) return { ...linesOf(text), size, margin: 0 };
    // Measuring takes a while, and most copies of a note differ in their position only.
    const key = `${note.width} ${note.height} ${size} ${font} ${font === '' ? 0 : loads}`;
    if (this.#layout?.key === key) return this.#layout;
    this.#layout = { ...noteLayout(text, note, size, LINE, (part) => lineWidth(part, font)), key };
    return this.#layout;
  }

  /** @returns {Bounds} of the lines, or of the note, before the rotation */
  get box() {
    const { x, y, size, font, note } = this;
    if (note) return { left: x, top: y, right: x + note.width, bottom: y + note.height };
    const { lines } = this;
    if (font !== '' && this.#measuredAfter !== loads) this.#box = null;
    this.#measuredAfter = loads;
    this.#box ??= {
      left: x,
      top: y,
      right: x + size * lines.reduce((widest, line) => Math.max(widest, lineWidth(line, font)), 0),
      bottom: y + size * LINE * lines.length,
    };
    return this.#box;
  }

  /** @returns {Bounds} of the rotated box */
  get extent() {
    return boundsOfRotated(this.box, this.angle);
  }

  /** @returns {Bounds} its extent, including letters beyond the box */
  get bounds() {
    const { left, top, right, bottom } = this.box;
    const margin = Math.max(0, this.size * OVERHANGS[this.font] - (this.note ? noteMargin(this.note) : 0)) + 1;
    const whole = { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
    return boundsOfRotated(whole, this.angle);
  }

  /** The upper left corner of the rotated box. */
  get corner() {
    return this.#cornerAt(this.box.left);
  }

  /** @param {number} x of the left or right edge of its box @returns {[number, number]} the upper corner there, rotated */
  #cornerAt(x) {
    return toBox({ box: this.box, angle: -this.angle }, [x, this.y]);
  }

  finish() {
    this.isFinished = true;
    this.version += 1;
  }

  /** @param {Partial<TextProperties>} changes @returns {Text} */
  with(changes) {
    const changed = new Text({ ...this, ...changes });
    if (changed.text === this.text) changed.#layout = this.#layout;
    return changed;
  }

  /** @param {Partial<TextProperties>} changes @returns {Text} a copy with the same upper corner at the start of its lines */
  rewritten(changes) {
    const text = this.with(changes);
    const edge = isFromRight(text.text || this.text) ? 'right' : 'left';
    if (edge === 'left' && this.angle === 0) return text;
    const [x, y] = this.#cornerAt(this.box[edge]);
    const [nowX, nowY] = text.#cornerAt(text.box[edge]);
    return text.with({ x: onPlane(text.x + x - nowX), y: onPlane(text.y + y - nowY) });
  }

  /** @param {Transform} transform @returns {Text} a transformed copy */
  moved(transform) {
    const { factor, angle = 0 } = transform;
    const size = Math.min(MAX_SIZE, Math.max(MIN_SIZE, rounded(this.size * factor)));
    const { left, top, right, bottom } = this.box;
    const [halfWidth, halfHeight] = angle === 0 ? [0, 0] : [(right - left) / 2, (bottom - top) / 2];
    const [x, y] = mapping(transform)(left + halfWidth, top + halfHeight);
    const note = this.note && resizedNote(this.note, factor);
    // A rotation is about the center. Sizes are rounded, and those of notes and of letters have different limits.
    const [toX, toY] = note
      ? [note.width / 2, note.height / 2]
      : [halfWidth, halfHeight].map((half) => half * size / this.size);
    return this.with({
      x: onPlane(angle === 0 ? x : x - toX),
      y: onPlane(angle === 0 ? y : y - toY),
      size,
      angle: normalAngle(this.angle + angle),
      note,
    });
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {boolean} true if its box comes within `reach` of the segment
   */
  touches(from, to, reach) {
    const { left, top, right, bottom } = this.box;
    [from, to] = [toBox(this, from), toBox(this, to)];
    if (from[0] >= left && from[0] <= right && from[1] >= top && from[1] <= bottom) return true;
    /** @type {[number, number][]} */
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    return corners.some((corner, at) => segmentDistance(from, to, corner, corners[(at + 1) % 4]) <= reach);
  }

  /** @param {import('./shapes.js').Shape} other @returns {boolean} true if both look the same */
  looksLike(other) {
    return other instanceof Text && this.text === other.text && this.x === other.x && this.y === other.y &&
      this.size === other.size && this.angle === other.angle && this.font === other.font && this.rgb === other.rgb &&
      this.z === other.z && this.isFinished === other.isFinished && this.isLocked === other.isLocked &&
      this.fill === other.fill && sameNote(this.note, other.note);
  }
}

/** @param {string} text @returns {string} without unsafe characters, and within the maximum length */
export function cleanText(text) {
  return [...safeText(text)].slice(0, MAX_TEXT_LENGTH).join('').trimEnd();
}

/** @param {string} text @returns {string} without unsafe characters */
export function safeText(text) {
  return text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/\t/g, '  ').replace(UNSAFE, '');
}
