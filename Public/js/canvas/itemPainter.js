/** Paints pictures, the frames of those that are not there yet, and cards. */

import { byteCount } from '../session/byteCount.js';
import { words } from '../words/words.js';
import { paintMark } from './markPainter.js';

/**
 * @typedef {import('./item.js').Item} Item
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {{ surface: string, raised: string, line: string, text: string, soft: string, accent: string, font: string }} Colors
 */

const RADIUS = 14;
const FRAME_RADIUS = 6;
/** Of a card: where its words begin and end, and its icon's paper in points. */
const TEXT_LEFT = 62;
const TEXT_RIGHT = 58;
const SHEET =
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
  #card(context, { bounds: { left, top }, place, name, size, by }) {
    const { surface, text, soft, accent, font } = this.#colors;
    this.#box(context, left, top, place, RADIUS, surface);
    context.save();
    context.translate(left, top);
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.lineJoin = 'round';
    this.#sheet ??= new Path2D(SHEET);
    context.stroke(this.#sheet);
    context.fillStyle = text;
    context.font = `600 15px ${font}`;
    const room = place.width - TEXT_LEFT - TEXT_RIGHT;
    context.fillText(shortened(name, room, context), TEXT_LEFT, 34);
    context.fillStyle = soft;
    context.font = `13px ${font}`;
    const known = [size === null ? '' : byteCount(size, words), by].filter(Boolean);
    context.fillText(shortened(known.join(' · '), room, context), TEXT_LEFT, 54);
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
