/** Paints pictures, the frames of those that are not there yet, and cards. */

import { byteCount } from '../words/forms.js';
import { words } from '../words/words.js';
import { paintMark } from './markPainter.js';

/**
 * @typedef {import('./item.js').Item} Item
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {{ surface: string, raised: string, line: string, text: string, soft: string, accent: string, font: string }} Colors
 */

const RADIUS = 14;
const FRAME_RADIUS = 6;
/** Of a card: where its words begin and end and how they are set, and its icon's paper, in points. */
export const CARD_TEXT = Object.freeze({
  left: 62,
  right: 58,
  lines: [{ size: 15, weight: 600, y: 34 }, { size: 13, weight: 400, y: 54 }],
});
export const SHEET =
  'M21 24.500h11.500l8.500 8.500v17a2.500 2.500 0 0 1-2.500 2.500h-17.500a2.500 2.500 0 0 1-2.500-2.500v-23a2.500 2.500 0 0 1 2.500-2.500z' +
  'M32.500 24.500v8.500h8.500';

export class ItemPainter {
  /** @type {Colors} */
  #colors;
  /** @type {Path2D | null} made when it is first needed */
  #sheet = null;

  /** @param {Colors} colors */
  constructor(colors) {
    this.#colors = colors;
  }

  /** @param {Colors} colors from the next painting on */
  set colors(colors) {
    this.#colors = colors;
  }

  /** @param {CanvasRenderingContext2D} context in points of the plane @param {Drawable} drawable */
  paint(context, drawable) {
    if (!('place' in drawable)) paintMark(context, drawable);
    else if (!drawable.isPicture) this.#card(context, drawable);
    else if (drawable.bitmap) this.#picture(context, drawable, drawable.bitmap.image);
    else this.#frame(context, drawable);
  }

  /** @param {CanvasRenderingContext2D} context @param {Item} item @param {ImageBitmap} image */
  #picture(context, { bounds, place }, image) {
    context.drawImage(image, bounds.left, bounds.top, place.width, place.height);
  }

  /** @param {CanvasRenderingContext2D} context @param {Item} item */
  #frame(context, { bounds, place }) {
    this.#box(context, bounds.left, bounds.top, place, FRAME_RADIUS, this.#colors.raised);
  }

  /** @param {CanvasRenderingContext2D} context @param {Item} item */
  #card(context, item) {
    const { bounds: { left, top }, place } = item;
    const { surface, text, soft, accent, font } = this.#colors;
    this.#box(context, left, top, place, RADIUS, surface);
    context.save();
    context.translate(left, top);
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.lineJoin = 'round';
    this.#sheet ??= new Path2D(SHEET);
    context.stroke(this.#sheet);
    const room = place.width - CARD_TEXT.left - CARD_TEXT.right;
    cardLines(item).forEach((line, at) => {
      const { size, weight, y } = CARD_TEXT.lines[at];
      context.fillStyle = at === 0 ? text : soft;
      context.font = `${weight} ${size}px ${font}`;
      context.fillText(shortened(line, room, context), CARD_TEXT.left, y);
    });
    context.restore();
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {number} left @param {number} top
   * @param {import('./placement.js').Size} size @param {number} radius @param {string} color
   */
  #box(context, left, top, { width, height }, radius, color) {
    context.beginPath();
    // Its line lies within: what is mended is as large as the item.
    context.roundRect(left + 0.5, top + 0.5, width - 1, height - 1, Math.min(radius, width / 4, height / 4));
    context.fillStyle = color;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = this.#colors.line;
    context.stroke();
  }
}

/** @param {Item} item @returns {string[]} what its card says */
export function cardLines({ name, size, by }) {
  return [name, [size === null ? '' : byteCount(size, words), by].filter(Boolean).join(' · ')];
}

/**
 * The end stays: it often says what a file is.
 * @param {string} text @param {number} room @param {Pick<CanvasRenderingContext2D, 'measureText'>} context
 */
export function shortened(text, room, context) {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  const end = letters.slice(-7).join('');
  let kept = letters.length - 7;
  while (kept > 1 && context.measureText(`${letters.slice(0, kept).join('')}…${end}`).width > room) kept -= 1;
  return `${letters.slice(0, Math.max(0, kept)).join('')}…${end}`;
}
