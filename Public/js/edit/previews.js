/** The previews of this person's pictures. They are made from the bitmaps that the page decodes to show the pictures. */

/** @typedef {import('../model/item.js').Item} Item */

/** The maximum time for which an upload waits for its preview. */
const MAX_WAIT_MS = 2000;
/** A smaller picture needs no preview: it arrives about as soon. */
const MIN_PICTURE_BYTES = 16 * 2 ** 10;

export class Previews {
  #make;
  /** The functions that end the waits, by item. @type {Map<Item, () => void>} */
  #waiting = new Map();

  /**
   * @param {import('../model/scene.js').Items} items
   * @param {(image: ImageBitmap) => string} make returns the preview of a decoded picture; '': none
   */
  constructor(items, make) {
    this.#make = make;
    items.observe({
      shown: () => {},
      changed: (item) => item.bitmap && this.#waiting.get(/** @type {Item} */ (item))?.(),
      hidden: (item) => this.#waiting.get(/** @type {Item} */ (item))?.(),
    });
  }

  /** @param {Item} item @returns {Promise<string>} its preview; '': it has none, or not in time */
  async of(item) {
    if (item.preview || !item.isPicture || (item.size ?? 0) < MIN_PICTURE_BYTES) return item.preview;
    if (!item.bitmap) await this.#decoded(item);
    if (item.bitmap) item.preview = this.#make(item.bitmap.image);
    return item.preview;
  }

  /** @param {Item} item @returns {Promise<void>} resolved once its picture is decoded, or the item is removed, or the time is over */
  #decoded(item) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(item);
        resolve();
      };
      const timer = setTimeout(end, MAX_WAIT_MS);
      this.#waiting.set(item, end);
    });
  }
}
