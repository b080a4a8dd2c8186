/** Makes the previews of pictures, and decodes those of others. */

import { measureImage, pictureType } from '../model/imageFile.js';
import { MAX_PREVIEW_LENGTH } from '../model/preview.js';
import { fitInto } from '../model/placement.js';
import { overlap } from '../model/stroke.js';

/** @typedef {import('../model/item.js').Item} Item */

/** The sides of a preview, in pixels: the first one whose file is small enough is used. */
const SIDES = [32, 24, 16];
const QUALITY = 0.5;
/** The types and the maximum side of a preview of another participant, in pixels. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_SIDE = 64;
/** The maximum number of decoded previews. */
const MAX_DECODED = 500;

/** @param {ImageBitmap} image @returns {string} its preview; '': it would be too large */
export function makePreview(image) {
  const canvas = document.createElement('canvas');
  for (const side of SIDES) {
    const { width, height } = fitInto(image, { width: side, height: side });
    canvas.width = Math.max(1, Math.round(width));
    canvas.height = Math.max(1, Math.round(height));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    // A browser without this format returns a PNG.
    const [, preview] = canvas.toDataURL('image/webp', QUALITY).split(',');
    if (preview.length <= MAX_PREVIEW_LENGTH) return preview;
  }
  return '';
}

/**
 * Decodes a preview of another participant. It is checked first, because a small file can claim to be a huge picture.
 * @param {string} preview @param {typeof measureImage} [measure] @param {(blob: Blob) => Promise<ImageBitmap>} [decode]
 * @returns {Promise<ImageBitmap | null>} null: it is no picture, or too large
 */
export async function decodePreview(preview, measure = measureImage, decode = (blob) => createImageBitmap(blob)) {
  try {
    const bytes = Uint8Array.from(atob(preview), (letter) => letter.charCodeAt(0));
    if (!TYPES.includes(pictureType(bytes) ?? '')) return null;
    const blob = new Blob([bytes]);
    const { width, height } = await measure(blob);
    return Math.max(width, height) <= MAX_SIDE ? await decode(blob) : null;
  } catch {
    return null;
  }
}

/** Decodes the previews of the visible pictures that are not loaded yet. */
export class PreviewCache {
  #items;
  #changed;
  #decode;
  /** The items with a decoded preview, oldest first. @type {Set<Item>} */
  #decoded = new Set();
  /** The items whose preview is being decoded, or is invalid. @type {WeakSet<Item>} */
  #tried = new WeakSet();

  /**
   * @param {import('../model/scene.js').Items} items @param {(item: Item) => void} changed receives items with another preview
   * @param {(preview: string) => Promise<ImageBitmap | null>} [decode]
   */
  constructor(items, changed, decode = decodePreview) {
    this.#items = items;
    this.#changed = changed;
    this.#decode = decode;
    items.observe({ shown: () => {}, changed: () => {}, hidden: (item) => this.#evict(/** @type {Item} */ (item)) });
  }

  /** @param {import('../model/stroke.js').Bounds} seen the visible part of the plane */
  update(seen) {
    for (const item of this.#decoded) {
      if (!item.bitmap) continue;
      this.#evict(item);
      this.#tried.delete(item);
    }
    for (const item of this.#items.all) {
      if (item.preview && !item.bitmap && item.isPicture && !this.#tried.has(item) && overlap(item.bounds, seen)) {
        this.#load(item);
      }
    }
  }

  /** @param {Item} item */
  async #load(item) {
    this.#tried.add(item);
    const image = await this.#decode(item.preview);
    if (!image) return;
    if (item.bitmap || this.#items.find(item.id) !== item) return image.close();
    item.blur = image;
    this.#decoded.add(item);
    const [oldest] = this.#decoded;
    if (this.#decoded.size > MAX_DECODED) this.#evict(oldest);
    this.#changed(item);
  }

  /** @param {Item} item */
  #evict(item) {
    if (!this.#decoded.delete(item)) return;
    item.blur?.close();
    item.blur = null;
  }
}
