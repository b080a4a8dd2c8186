/** The texts on the page, and their measured sizes. Needs no document, so that a worker can use it. */

import { segmentDistance } from './strokeOutline.js';
import { onPlane, rounded } from './stroke.js';

/** The font of the page. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
/** The distance between lines, in font sizes. */
export const LINE = 1.25;

/** Widths are measured at this font size and scaled, so that they are the same at every zoom. */
const MEASURED = 100;
/** The estimated width and baseline of letters where texts cannot be measured, in font sizes. */
const LETTER = 0.55;
const BASELINE = 0.97;

/** @type {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null | undefined} undefined: not requested yet */
let context;
let baseline = 0;

/** @param {string} line @returns {number} its width, in font sizes */
export function lineWidth(line) {
  return (measuring()?.measureText(line).width ?? [...line].length * LETTER * MEASURED) / MEASURED;
}

/** Returns the distance from the top of a line to its baseline, in font sizes. It is the same as in CSS. */
export function baselineOfLine() {
  if (baseline > 0) return baseline;
  const measured = measuring()?.measureText('x');
  const [above, below] = [measured?.fontBoundingBoxAscent ?? NaN, measured?.fontBoundingBoxDescent ?? NaN];
  baseline = Number.isFinite(above + below) ? LINE / 2 + (above - below) / 2 / MEASURED : BASELINE;
  return baseline;
}

function measuring() {
  if (context !== undefined) return context;
  const canvas = typeof OffscreenCanvas === 'function'
    ? new OffscreenCanvas(1, 1)
    : globalThis.document?.createElement('canvas');
  context = /** @type {CanvasRenderingContext2D | null} */ (canvas?.getContext('2d') ?? null);
  if (context) context.font = `${MEASURED}px ${FONT}`;
  return context;
}

/** The minimum and maximum font sizes, in points. */
export const MIN_SIZE = 4;
export const MAX_SIZE = 1000;
/** The maximum number of characters. */
export const MAX_TEXT_LENGTH = 4000;
/** The distance by which letters may extend beyond their box, in font sizes. */
const OVERHANG = 0.1;

/** Control characters except line breaks, and characters that change the direction of the text after them. */
const UNSAFE = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Transform} Transform
 * @typedef {{ id: string, text: string, x: number, y: number, size: number, rgb: string, color: number, z: number } &
 *   Partial<import('./origin.js').Origin>} TextProperties
 */

/** A text on the page. A change makes a new object with the same id. */
export class Text {
  id;
  /** The lines, separated by `\n`. @type {string} */
  text;
  /** The position of the upper left corner. */
  x;
  y;
  size;
  /** @type {string} */
  rgb;
  /** @type {number} of the same or the nearest color of the palette */
  color;
  /** Drawn in the order of `z`, then of `id`. */
  z;
  /** As in `Origin`. */
  author;
  editor;
  madeAt;
  /** False while somebody is typing it. */
  isFinished = true;
  version = 0;
  /** @type {Bounds | null} */
  #box = null;

  /** @param {TextProperties} style */
  constructor({ id, text, x, y, size, rgb, color, z, author = 0, editor = 0, madeAt = 0 }) {
    this.id = id;
    this.text = text;
    this.x = x;
    this.y = y;
    this.size = size;
    this.rgb = rgb;
    this.color = color;
    this.z = z;
    this.author = author;
    this.editor = editor;
    this.madeAt = madeAt;
  }

  get lines() {
    return this.text.split('\n');
  }

  /** @returns {Bounds} of the lines */
  get box() {
    const { x, y, size, lines } = this;
    this.#box ??= {
      left: x,
      top: y,
      right: x + size * lines.reduce((widest, line) => Math.max(widest, lineWidth(line)), 0),
      bottom: y + size * LINE * lines.length,
    };
    return this.#box;
  }

  /** @returns {Bounds} its extent, including letters beyond the box */
  get bounds() {
    const { left, top, right, bottom } = this.box;
    const margin = this.size * OVERHANG + 1;
    return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
  }

  finish() {
    this.isFinished = true;
    this.version += 1;
  }

  /** @param {Partial<TextProperties>} changes @returns {Text} */
  with(changes) {
    return new Text({ ...this, ...changes });
  }

  /** @param {Transform} transform @returns {Text} a transformed copy */
  moved({ factor, x, y }) {
    const size = Math.min(MAX_SIZE, Math.max(MIN_SIZE, rounded(this.size * factor)));
    return this.with({ x: onPlane(this.x * factor + x), y: onPlane(this.y * factor + y), size });
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {boolean} true if its box comes within `reach` of the segment
   */
  touches(from, to, reach) {
    const { left, top, right, bottom } = this.box;
    if (from[0] >= left && from[0] <= right && from[1] >= top && from[1] <= bottom) return true;
    /** @type {[number, number][]} */
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    return corners.some((corner, at) => segmentDistance(from, to, corner, corners[(at + 1) % 4]) <= reach);
  }

  /** @param {import('./shapes.js').Shape} other @returns {boolean} true if both look the same */
  looksLike(other) {
    return other instanceof Text && this.text === other.text && this.x === other.x && this.y === other.y &&
      this.size === other.size && this.rgb === other.rgb && this.z === other.z && this.isFinished === other.isFinished;
  }
}

/** @param {string} text @returns {string} without unsafe characters, and within the maximum length */
export function cleanText(text) {
  const clean = text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/\t/g, '  ').replace(UNSAFE, '');
  return [...clean].slice(0, MAX_TEXT_LENGTH).join('').trimEnd();
}

/** The maximum number of characters in a line, except for longer words. */
const LINE_LENGTH = 64;

/**
 * Makes a text from pasted words.
 * @param {string} words @param {{ rgb: string, color: number, size: number }} style @param {{ id: string, z: number }} identity
 * @param {[number, number]} middle its center @returns {Text | null} null: it is empty
 */
export function pastedText(words, style, identity, [x, y]) {
  const text = cleanText(words.split(/\r\n?|\n/).map(wrapped).join('\n'));
  if (text.trim() === '') return null;
  const made = new Text({ ...style, ...identity, text, x: 0, y: 0 });
  const { right, bottom } = made.box;
  return made.with({ x: onPlane(x - right / 2), y: onPlane(y - bottom / 2) });
}

/** @param {string} line @returns {string} in several lines if it is long */
function wrapped(line) {
  const lines = [''];
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    const before = lines[lines.length - 1];
    if (before !== '' && before.length + word.trimEnd().length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] += word;
  }
  return lines.map((one) => one.trimEnd()).join('\n');
}
