/** The items on the page, which are pictures and files, and their painting. A file is shown as a card. */

import { byteCount } from '../i18n/format.js';
import { strings } from '../i18n/i18n.js';
import { paintRotated, paintShape } from '../render/shapePainter.js';
import { PICTURE_TYPES } from './pictureTypes.js';
import { boundsOf } from './placement.js';
import { boundsOfRotated } from './rotation.js';

/**
 * @typedef {import('./placement.js').Placement} Placement
 * @typedef {import('./placement.js').Size} Size
 * @typedef {'local' | 'uploading' | 'stalled' | 'ready'} ItemState `local`: not in a session; `stalled`: its upload currently
 *   makes no progress
 */

/** The size of every card, in points. */
export const CARD = Object.freeze({ width: 280, height: 76 });

/** An item on the page, drawn among the strokes: a picture, or a file shown as a card. */
export class Item {
  id;
  /** @type {string} */
  name;
  /** @type {string} */
  contentType;
  /** @type {number | null} bytes; null while it is unknown */
  size;
  /** @type {Placement} */
  place;
  /** @type {ItemState} */
  state = 'local';
  /** The number of uploaded bytes. */
  offset = 0;
  /** The name of the participant who added it; '' if unknown. */
  by = '';
  /** @type {import('../sync/journal/attachment.js').Attachment | null} */
  attachment = null;
  /** @type {import('../sync/uploads/upload.js').Upload | null} the upload of this page */
  upload = null;
  /** @type {Blob | null} the content, if it is in memory */
  blob = null;
  /**
   * @type {import('../sync/journal/attachment.js').Attachment | null} the source of the content in an earlier session, which this
   *   page has left
   */
  origin = null;
  /** @type {Size | null} the size of the picture, in pixels */
  natural = null;
  /** @type {{ image: ImageBitmap, level: number } | null} the decoded picture; `level`: the number of halvings */
  bitmap = null;
  /** The preview of the picture; '' if there is none. */
  preview = '';
  /** @type {ImageBitmap | null} the decoded preview, until the picture itself is decoded */
  blur = null;
  /** True if the picture is animated. It may be paused. */
  isAnimated = false;
  /** True if this person has paused the animation. */
  isPaused = false;
  /** True if the type is a picture's, but the content is not. */
  isBroken = false;
  /** The reason why the picture could not be loaded; '' if there is none. */
  problem = '';
  /** True if the gateway has lost the content, so a retry is useless. */
  isLost = false;
  /** Always true, because an item does not grow point by point as a stroke does. */
  isFinished = true;
  /** Counts changes of the appearance. */
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

  /** True if the content can be loaded. */
  get canLoad() {
    return this.blob !== null || this.source !== null;
  }

  /** The attachment that has the content; null: none. */
  get source() {
    return this.attachment?.isReady ? this.attachment : this.origin;
  }

  /** @returns {Promise<Blob>} the content */
  async load() {
    const { blob, source } = this;
    if (!blob && !source) throw new Error(strings.notThere(this.name));
    return blob ?? await /** @type {import('../sync/journal/attachment.js').Attachment} */ (source).load();
  }

  get z() {
    return this.place.z;
  }

  get angle() {
    return this.place.angle ?? 0;
  }

  get isLocked() {
    return this.place.isLocked ?? false;
  }

  /** The bounds before the rotation. */
  get box() {
    return boundsOf(this.place);
  }

  get bounds() {
    return boundsOfRotated(this.box, this.angle);
  }

  /** The same as the bounds, because an item has no line around it. */
  get extent() {
    return this.bounds;
  }
}

/**
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {{ surface: string, raised: string, line: string, text: string, soft: string, accent: string, font: string }} Colors
 */

const RADIUS = 14;
const FRAME_RADIUS = 6;
/** The text of a card, in points: its left and right margins and its lines. `SHEET` is the outline of the card's icon. */
export const CARD_TEXT = Object.freeze({
  left: 62,
  right: 58,
  lines: [{ size: 15, weight: 600, y: 34 }, { size: 13, weight: 400, y: 54 }],
});
export const SHEET =
  'M21 24.5h11.5l8.5 8.5v17a2.5 2.5 0 0 1-2.5 2.5h-17.5a2.5 2.5 0 0 1-2.5-2.5v-23a2.5 2.5 0 0 1 2.5-2.5z' +
  'M32.5 24.5v8.5h8.5';

/** Paints pictures, the frames of pictures that are not loaded yet, and cards. */
export class ItemPainter {
  /** @type {Colors} */
  #colors;
  /** @type {Path2D | null} created on first use */
  #sheet = null;

  /** @param {Colors} colors */
  constructor(colors) {
    this.#colors = colors;
  }

  /** @param {Colors} colors from the next painting on */
  set colors(colors) {
    this.#colors = colors;
  }

  /** The color of adaptive ink. */
  get ink() {
    return this.#colors.text;
  }

  /** @param {CanvasRenderingContext2D} context in points of the plane @param {Drawable} drawable */
  paint(context, drawable) {
    if (!('place' in drawable)) paintShape(context, drawable, this.ink);
    else if (!drawable.isPicture) this.#card(context, drawable);
    else {
      const picture = drawable.bitmap?.image ?? drawable.blur;
      paintRotated(
        context,
        drawable,
        () => picture ? this.#picture(context, drawable, picture) : this.#frame(context, drawable),
      );
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {Item} item @param {ImageBitmap} image */
  #picture(context, { box, place }, image) {
    context.drawImage(image, box.left, box.top, place.width, place.height);
  }

  /** @param {CanvasRenderingContext2D} context @param {Item} item */
  #frame(context, { box, place }) {
    this.#box(context, box.left, box.top, place, FRAME_RADIUS, this.#colors.raised);
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
    // The direction is fixed, so that the card looks the same on pages in languages of another direction.
    context.direction = 'ltr';
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
    // The line is inside the bounds, because the layer repaints exactly the bounds of an item.
    context.roundRect(left + 0.5, top + 0.5, width - 1, height - 1, Math.min(radius, width / 4, height / 4));
    context.fillStyle = color;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = this.#colors.line;
    context.stroke();
  }
}

/** @param {Item} item @returns {string[]} the lines of its card */
export function cardLines({ name, size, by }) {
  return [name, [size === null ? '' : byteCount(size, strings), by].filter(Boolean).join(' · ')];
}

/**
 * Shortens a text in the middle. The end stays, because it often shows the type of a file.
 * @param {string} text @param {number} room @param {Pick<CanvasRenderingContext2D, 'measureText'>} context
 */
export function shortened(text, room, context) {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  const end = letters.slice(-7).join('');
  let count = letters.length - 7;
  while (count > 1 && context.measureText(`${letters.slice(0, count).join('')}…${end}`).width > room) count -= 1;
  return `${letters.slice(0, Math.max(0, count)).join('')}…${end}`;
}
