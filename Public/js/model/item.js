/** What lies on the page among the strokes, a picture, or a file shown as a card; and how that is painted. */

import { byteCount } from '../i18n/format.js';
import { strings } from '../i18n/i18n.js';
import { PICTURE_TYPES } from './imageFile.js';
import { paintShape } from '../render/shapePainter.js';
import { boundsOf } from './placement.js';

/**
 * @typedef {import('./placement.js').Placement} Placement
 * @typedef {import('./placement.js').Size} Size
 * @typedef {'local' | 'uploading' | 'stalled' | 'ready'} ItemState `local`: nobody else has heard of it; `stalled`: its upload rests
 */

/** A card is as large as this, whatever its file is. */
export const CARD = Object.freeze({ width: 280, height: 76 });

/** Something that lies on the page among the strokes: a picture, or a file shown as a card. */
export class Item {
  id;
  /** @type {string} */
  name;
  /** @type {string} */
  contentType;
  /** @type {number | null} bytes; null while nobody knows */
  size;
  /** @type {Placement} */
  place;
  /** @type {ItemState} */
  state = 'local';
  /** Bytes that have arrived. */
  offset = 0;
  /** Who added it, for others to read. */
  by = '';
  /** @type {import('../sync/journal/attachment.js').Attachment | null} */
  attachment = null;
  /** @type {import('../sync/uploads/upload.js').Upload | null} one's own */
  upload = null;
  /** @type {Blob | null} what it holds, where that is at hand */
  blob = null;
  /** @type {import('../sync/journal/attachment.js').Attachment | null} where what it holds is, in a session that is over here */
  origin = null;
  /** @type {Size | null} of its picture, in pixels */
  natural = null;
  /** @type {{ image: ImageBitmap, level: number } | null} its picture, as finely as it is held */
  bitmap = null;
  /** What its type says is a picture, but is not. */
  isBroken = false;
  /** Why its picture is not there. */
  problem = '';
  /** The server has lost its picture: to try again does not help. */
  isLost = false;
  /** Nothing about it grows point by point, as a stroke does. */
  isFinished = true;
  /** Counts changes of how it looks. */
  version = 0;

  /** @param {{ id: string, name: string, contentType: string, size: number | null, place: Placement }} properties */
  constructor({ id, name, contentType, size, place }) {
    this.id = id;
    this.name = name;
    this.contentType = contentType;
    this.size = size;
    this.place = place;
  }

  get isPicture() {
    return !this.isBroken && PICTURE_TYPES.includes(this.contentType);
  }

  /** Whether what it holds can be had. */
  get canLoad() {
    return this.blob !== null || this.source !== null;
  }

  /** Where what it holds can be read. */
  get source() {
    return this.attachment?.isReady ? this.attachment : this.origin;
  }

  /** @returns {Promise<Blob>} what it holds */
  async load() {
    const { blob, source } = this;
    if (!blob && !source) throw new Error(strings.notThere(this.name));
    return blob ?? await /** @type {import('../sync/journal/attachment.js').Attachment} */ (source).load();
  }

  get z() {
    return this.place.z;
  }

  get bounds() {
    return boundsOf(this.place);
  }
}

/**
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
  'M21 24.5h11.5l8.5 8.5v17a2.5 2.5 0 0 1-2.5 2.5h-17.5a2.5 2.5 0 0 1-2.5-2.5v-23a2.5 2.5 0 0 1 2.5-2.5z' +
  'M32.5 24.5v8.5h8.5';

/** Paints pictures, the frames of those that are not there yet, and cards. */
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
    if (!('place' in drawable)) paintShape(context, drawable);
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
  return [name, [size === null ? '' : byteCount(size, strings), by].filter(Boolean).join(' · ')];
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
