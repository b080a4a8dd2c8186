/** The cache of decoded pictures: at the resolution of the screen, in bounded memory, decoded one at a time. */

import { errorText } from '../i18n/i18n.js';
import { decodeImage, finestLevel, levelFor, measureImage, planBitmaps } from '../model/imageFile.js';
import { overlap } from '../model/stroke.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/imageFile.js').BitmapRequest<Item>} BitmapRequest
 */

/** The maximum number of downloaded bytes in memory. They are kept for finer bitmaps, and for a later session. */
const MAX_DOWNLOAD_BYTES = 256 * 2 ** 20;

export class BitmapCache {
  #items;
  #changed;
  #measure;
  #decode;
  /** @type {Set<Item>} items with a bitmap, the least recently visible first */
  #cached = new Set();
  /** @type {Map<Item, number>} items whose downloaded contents are in memory, with their sizes */
  #downloads = new Map();
  /** @type {Item | null} the item whose picture is being decoded */
  #loading = null;
  /** @type {BitmapRequest[]} */
  #queue = [];

  /**
   * @param {import('../model/scene.js').Items} items
   * @param {(item: Item) => void} changed called after the bitmap of an item changed, or after its content turned out
   *   to be no picture
   * @param {{ measure?: typeof measureImage, decode?: typeof decodeImage }} [by]
   */
  constructor(items, changed, { measure = measureImage, decode = decodeImage } = {}) {
    this.#items = items;
    this.#changed = changed;
    this.#measure = measure;
    this.#decode = decode;
    items.observe({ shown: () => {}, changed: () => {}, hidden: (item) => this.#remove(item) });
  }

  /** @param {Bounds} seen the visible part of the plane @param {number} scale device pixels per point */
  update(seen, scale) {
    const wanted = this.#items.all.filter((item) => canShow(item) && overlap(item.bounds, seen));
    const requests = wanted.map((item) => this.#requestFor(item, scale));
    const held = [...this.#cached].map((of) => ({
      of,
      natural: /** @type {Size} */ (of.natural),
      level: of.bitmap?.level ?? 0,
    }));
    const { load, drop } = planBitmaps(held, requests);
    for (const item of drop) {
      this.#evict(item);
      this.#changed(item);
    }
    for (const item of wanted) if (this.#cached.delete(item)) this.#cached.add(item);
    this.#queue = load.filter(({ of }) => of !== this.#loading);
    this.#loadNext(scale);
  }

  /** @param {Item} item @param {number} scale @returns {BitmapRequest} */
  #requestFor(item, scale) {
    const [width, height] = [item.place.width * scale, item.place.height * scale];
    const { natural } = item;
    if (natural) return { of: item, natural, level: levelFor(natural, width, finestLevel(item.contentType)) };
    // The natural size is unknown before loading. Until then, the displayed size is used.
    return { of: item, natural: { width, height }, level: 0 };
  }

  /**
   * Loads one picture at a time, because decoding a large picture needs many times the memory of its bitmap.
   * @param {number} scale
   */
  async #loadNext(scale) {
    if (this.#loading) return;
    for (let request = this.#queue.shift(); request; request = this.#queue.shift()) {
      this.#loading = request.of;
      await this.#load(request, scale);
    }
    this.#loading = null;
  }

  /** @param {BitmapRequest} request @param {number} scale */
  async #load({ of: item, level }, scale) {
    if (!this.#isThere(item)) return;
    const blob = await item.load().catch((error) => this.#failed(item, error));
    if (!blob) return;
    this.#cacheDownload(item, blob);
    try {
      const natural = item.natural ?? await this.#measure(blob);
      const { place, contentType } = item;
      const halvings = item.natural ? level : levelFor(natural, place.width * scale, finestLevel(contentType));
      item.natural = natural;
      const image = await this.#decode(blob, natural, halvings);
      if (!this.#isThere(item)) return image.close();
      this.#evict(item);
      item.bitmap = { image, level: halvings };
      this.#cached.add(item);
    } catch {
      item.isBroken = true;
    }
    if (this.#isThere(item)) this.#changed(item);
  }

  /** @param {Item} item @param {Blob} blob */
  #cacheDownload(item, blob) {
    const bytes = [...this.#downloads.values()].reduce((sum, one) => sum + one, blob.size);
    if (item.blob || bytes > MAX_DOWNLOAD_BYTES || !this.#isThere(item)) return;
    item.blob = blob;
    this.#downloads.set(item, blob.size);
  }

  /** Drops everything about a removed item. @param {Item} item */
  #remove(item) {
    this.#evict(item);
    this.#downloads.delete(item);
  }

  /** @param {Item} item @param {any} error */
  #failed(item, error) {
    if (!this.#isThere(item)) return;
    item.problem = errorText(error);
    item.isLost = error.code === 'damaged';
    this.#changed(item);
  }

  /** @param {Item} item */
  #isThere(item) {
    return this.#items.find(item.id) === item;
  }

  /** @param {Item} item */
  #evict(item) {
    this.#cached.delete(item);
    item.bitmap?.image.close();
    item.bitmap = null;
  }
}

/** @param {Item} item */
function canShow(item) {
  return item.isPicture && item.canLoad && item.problem === '';
}
