/** The pictures that are to be seen as bitmaps: as fine as the screen, in bounded memory, one made at a time. */

import { errorWords } from '../i18n/i18n.js';
import { decoded, levelFor, measured, planned } from '../model/imageFile.js';
import { overlap } from '../model/stroke.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/imageFile.js').Held<Item>} Held
 */

/** What was downloaded is kept up to so many bytes: for finer bitmaps, and for another session after this one. */
const KEPT_BYTES = 256 * 2 ** 20;

export class Bitmaps {
  #items;
  #improved;
  #measure;
  #decode;
  /** @type {Set<Item>} that have a bitmap; those not seen for longest first */
  #held = new Set();
  /** @type {Map<Item, number>} whose contents were downloaded and kept, and how many bytes that is */
  #kept = new Map();
  /** @type {Item | null} whose bitmap is being made */
  #working = null;
  /** @type {Held[]} */
  #next = [];

  /**
   * @param {import('../model/scene.js').Items} items
   * @param {(item: Item) => void} improved it has another bitmap or none, or it turned out to be no picture
   * @param {{ measure?: typeof measured, decode?: typeof decoded }} [by]
   */
  constructor(items, improved, { measure = measured, decode = decoded } = {}) {
    this.#items = items;
    this.#improved = improved;
    this.#measure = measure;
    this.#decode = decode;
    items.observe({ shown: () => {}, changed: () => {}, hidden: (item) => this.#forget(item) });
  }

  /** @param {Bounds} seen of the plane @param {number} scale device pixels a point */
  show(seen, scale) {
    const wanted = this.#items.all.filter((item) => canShow(item) && overlap(item.bounds, seen));
    const wishes = wanted.map((item) => this.#wish(item, scale));
    const held = [...this.#held].map((of) => ({
      of,
      natural: /** @type {Size} */ (of.natural),
      level: of.bitmap?.level ?? 0,
    }));
    const { load, drop } = planned(held, wishes);
    for (const item of drop) {
      this.#drop(item);
      this.#improved(item);
    }
    for (const item of wanted) if (this.#held.delete(item)) this.#held.add(item);
    this.#next = load.filter(({ of }) => of !== this.#working);
    this.#work(scale);
  }

  /** @param {Item} item @param {number} scale @returns {Held} */
  #wish(item, scale) {
    const [width, height] = [item.place.width * scale, item.place.height * scale];
    if (item.natural) return { of: item, natural: item.natural, level: levelFor(item.natural, width) };
    // How large it is shows once it is there; until then it counts as what is seen of it.
    return { of: item, natural: { width, height }, level: 0 };
  }

  /** One at a time: a large picture takes many times its bitmap's memory while it is decoded. @param {number} scale */
  async #work(scale) {
    if (this.#working) return;
    for (let wish = this.#next.shift(); wish; wish = this.#next.shift()) {
      this.#working = wish.of;
      await this.#make(wish, scale);
    }
    this.#working = null;
  }

  /** @param {Held} wish @param {number} scale */
  async #make({ of: item, level }, scale) {
    if (!this.#isThere(item)) return;
    const blob = await item.load().catch((error) => this.#failed(item, error));
    if (!blob) return;
    this.#keep(item, blob);
    try {
      const natural = item.natural ?? await this.#measure(blob);
      const halvings = item.natural ? level : levelFor(natural, item.place.width * scale);
      item.natural = natural;
      const image = await this.#decode(blob, natural, halvings);
      if (!this.#isThere(item)) return image.close();
      this.#drop(item);
      item.bitmap = { image, level: halvings };
      this.#held.add(item);
    } catch {
      item.isBroken = true;
    }
    if (this.#isThere(item)) this.#improved(item);
  }

  /** @param {Item} item @param {Blob} blob */
  #keep(item, blob) {
    const bytes = [...this.#kept.values()].reduce((sum, one) => sum + one, blob.size);
    if (item.blob || bytes > KEPT_BYTES || !this.#isThere(item)) return;
    item.blob = blob;
    this.#kept.set(item, blob.size);
  }

  /** @param {Item} item that is gone */
  #forget(item) {
    this.#drop(item);
    this.#kept.delete(item);
  }

  /** @param {Item} item @param {any} error */
  #failed(item, error) {
    if (!this.#isThere(item)) return;
    item.problem = errorWords(error);
    item.isLost = error.code === 'damaged';
    this.#improved(item);
  }

  /** @param {Item} item */
  #isThere(item) {
    return this.#items.find(item.id) === item;
  }

  /** @param {Item} item */
  #drop(item) {
    this.#held.delete(item);
    item.bitmap?.image.close();
    item.bitmap = null;
  }
}

/** @param {Item} item */
function canShow(item) {
  return item.isPicture && item.canLoad && item.problem === '';
}
