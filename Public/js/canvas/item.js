/** Something that lies on the page among the strokes: a picture, or a file shown as a card. */

import { words } from '../words/words.js';
import { PICTURE_TYPES } from './imageFile.js';
import { boundsOf } from './placement.js';

/**
 * @typedef {import('./placement.js').Place} Place
 * @typedef {import('./placement.js').Size} Size
 * @typedef {'local' | 'uploading' | 'stalled' | 'ready'} ItemState `local`: nobody else has heard of it; `stalled`: its upload rests
 */

/** A card is as large as this, whatever its file is. */
export const CARD = Object.freeze({ width: 280, height: 76 });

export class Item {
  id;
  /** @type {string} */
  name;
  /** @type {string} */
  contentType;
  /** @type {number | null} bytes; null while nobody knows */
  size;
  /** @type {Place} */
  place;
  /** @type {ItemState} */
  state = 'local';
  /** Bytes that have arrived. */
  offset = 0;
  /** Who added it, for others to read. */
  by = '';
  /** @type {import('../session/attachment.js').Attachment | null} */
  attachment = null;
  /** @type {import('../session/upload.js').Upload | null} one's own */
  upload = null;
  /** @type {Blob | null} what it holds, where that is at hand */
  blob = null;
  /** @type {import('../session/attachment.js').Attachment | null} where what it holds is, in a session that is over here */
  origin = null;
  /** @type {Size | null} of its picture, in pixels */
  natural = null;
  /** @type {{ image: ImageBitmap, level: number } | null} its picture, as finely as it is held */
  bitmap = null;
  /** What its type says is a picture, but is not. */
  isBroken = false;
  /** Why its picture is not there. */
  problem = '';
  /** Nothing about it grows point by point, as a stroke does. */
  isFinished = true;
  /** Counts changes of how it looks. */
  version = 0;

  /** @param {{ id: string, name: string, contentType: string, size: number | null, place: Place }} properties */
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
    if (!blob && !source) throw new Error(words.notThere(this.name));
    return blob ?? await /** @type {import('../session/attachment.js').Attachment} */ (source).load();
  }

  get z() {
    return this.place.z;
  }

  get bounds() {
    return boundsOf(this.place);
  }
}
