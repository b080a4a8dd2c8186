/** Words on the page, and how large they are when they are painted. Knows no document: a worker can ask too. */

import { segmentDistance } from './strokeOutline.js';
import { onPlane, rounded } from './stroke.js';

/** The page's own type. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
/** From line to line, in sizes of the type. */
export const LINE = 1.25;

/** Measured at this size and scaled, so that it is the same however near one is. */
const MEASURED = 100;
/** Where nothing can be measured, letters are about as wide as this, and stand so high. */
const LETTER = 0.55;
const BASELINE = 0.97;

/** @type {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null | undefined} undefined: not yet asked for */
let context;
let baseline = 0;

/** @param {string} line @returns {number} in sizes of the type */
export function lineWidth(line) {
  return (measuring()?.measureText(line).width ?? [...line].length * LETTER * MEASURED) / MEASURED;
}

/** From the top of a line to where its letters stand, in sizes of the type: where style sheets put it too. */
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

/** In points, from line to line a little more. */
export const MIN_SIZE = 4;
export const MAX_SIZE = 1000;
/** Characters. */
export const MAX_TEXT_LENGTH = 4000;
/** What letters may stand out over their box, in sizes of the type. */
const OVERHANG = 0.1;

/** Controls but the ends of lines, and what turns the direction of all that follows. */
const UNSAFE = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Transform} Transform
 * @typedef {{ id: string, text: string, x: number, y: number, size: number, rgb: string, color: number, z: number }} TextProperties
 */

/** Words on the page. What changes them makes others of the same id. */
export class Text {
  id;
  /** In lines. @type {string} */
  text;
  /** Its upper left corner. */
  x;
  y;
  size;
  /** @type {string} */
  rgb;
  /** @type {number} of the palette's color that is it or is nearest */
  color;
  /** Drawn in the order of `z`, then of `id`. */
  z;
  /** Nobody types it any more. */
  isFinished = true;
  version = 0;
  /** @type {Bounds | null} */
  #box = null;

  /** @param {TextProperties} style */
  constructor({ id, text, x, y, size, rgb, color, z }) {
    this.id = id;
    this.text = text;
    this.x = x;
    this.y = y;
    this.size = size;
    this.rgb = rgb;
    this.color = color;
    this.z = z;
  }

  get lines() {
    return this.text.split('\n');
  }

  /** @returns {Bounds} of the lines as they are set */
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

  /** @returns {Bounds} what it can cover */
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

  /** @param {Transform} transform @returns {Text} the same there */
  moved({ factor, x, y }) {
    const size = Math.min(MAX_SIZE, Math.max(MIN_SIZE, rounded(this.size * factor)));
    return this.with({ x: onPlane(this.x * factor + x), y: onPlane(this.y * factor + y), size });
  }

  /**
   * @param {[number, number]} from @param {[number, number]} to ends of a line @param {number} reach
   * @returns {boolean} whether its box comes within `reach` of that
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

/** @param {string} text @returns {string} as it may be on a page: lines of letters, not too many */
export function cleanText(text) {
  const clean = text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/\t/g, '  ').replace(UNSAFE, '');
  return [...clean].slice(0, MAX_TEXT_LENGTH).join('').trimEnd();
}

/** Characters in a line, as long as words are no longer. */
const LINE_LENGTH = 64;

/**
 * Words from elsewhere as a text on the page.
 * @param {string} words @param {{ rgb: string, color: number, size: number }} style @param {{ id: string, z: number }} identity
 * @param {[number, number]} middle where it lies @returns {Text | null} null: there is nothing to read in it
 */
export function pastedText(words, style, identity, [x, y]) {
  const text = cleanText(words.split(/\r\n?|\n/).map(wrapped).join('\n'));
  if (text.trim() === '') return null;
  const made = new Text({ ...style, ...identity, text, x: 0, y: 0 });
  const { right, bottom } = made.box;
  return made.with({ x: onPlane(x - right / 2), y: onPlane(y - bottom / 2) });
}

/** @param {string} line @returns {string} in several, if it is long */
function wrapped(line) {
  const lines = [''];
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    const before = lines[lines.length - 1];
    if (before !== '' && before.length + word.trimEnd().length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] += word;
  }
  return lines.map((one) => one.trimEnd()).join('\n');
}
