/** Plays animated pictures: a few at a time, while they are visible. Only the area of such a picture is painted again. */

import { sizeAt } from '../model/imageFile.js';
import { overlap } from '../model/stroke.js';
import { ANIMATED_TYPES, openAnimation } from './animation.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('./animation.js').Animation} Animation
 *
 * The functions of the browser that the player uses. Tests pass their own.
 * @typedef {object} AnimationEnvironment
 * @property {(blob: Blob) => Promise<Animation | null>} open
 * @property {(image: VideoFrame, options?: ImageBitmapOptions) => Promise<ImageBitmap>} bitmapOf
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 */

/** The maximum number of pictures that move at a time. */
const MAX_PLAYING = 4;
/** The maximum number of pixels of a picture that moves. */
const MAX_PIXELS = 4 * 2 ** 20;

/** @type {AnimationEnvironment} */
const browserEnvironment = {
  open: openAnimation,
  bitmapOf: (image, options) => createImageBitmap(image, options),
  setTimeout: (run, ms) => setTimeout(run, ms),
};

export class Animations {
  #items;
  #env;
  /** The playing items, with the controllers that stop them. @type {Map<Item, AbortController>} */
  #playing = new Map();
  /** The items that are not animated, or whose animation is over. @type {WeakSet<Item>} */
  #still = new WeakSet();
  /** The next frames of animations that were interrupted. @type {WeakMap<Item, { at: number, plays: number }>} */
  #positions = new WeakMap();

  /** @param {import('../model/scene.js').Items} items @param {AnimationEnvironment} [env] */
  constructor(items, env = browserEnvironment) {
    this.#items = items;
    this.#env = env;
    items.observe({ shown: () => {}, changed: () => {}, hidden: (item) => this.#stop(/** @type {Item} */ (item)) });
  }

  /**
   * Starts and stops animations.
   * @param {import('../model/stroke.js').Bounds} seen the visible part of the plane
   * @param {boolean} isAllowed false: all pictures stay still
   */
  update(seen, isAllowed) {
    const all = isAllowed ? this.#items.all.filter((item) => this.#canPlay(item) && overlap(item.bounds, seen)) : [];
    const area = (/** @type {Item} */ { place: { width, height } }) => width * height;
    const chosen = all.sort((one, other) => area(other) - area(one)).slice(0, MAX_PLAYING);
    for (const item of this.#playing.keys()) if (!chosen.includes(item)) this.#stop(item);
    for (const item of chosen) if (!this.#playing.has(item)) this.#start(item);
  }

  /** Stops all animations. */
  stop() {
    for (const item of this.#playing.keys()) this.#stop(item);
  }

  /** @param {Item} item */
  #canPlay(item) {
    const { contentType, isPicture, isPaused, blob, bitmap, natural } = item;
    return ANIMATED_TYPES.includes(contentType) && isPicture && !isPaused && !this.#still.has(item) && blob !== null &&
      bitmap !== null && natural !== null && natural.width * natural.height <= MAX_PIXELS;
  }

  /** @param {Item} item */
  #stop(item) {
    this.#playing.get(item)?.abort();
    this.#playing.delete(item);
  }

  /** @param {Item} item */
  async #start(item) {
    const controller = new AbortController();
    this.#playing.set(item, controller);
    const isOver = await this.#play(item, controller.signal).catch(() => true);
    if (isOver) this.#still.add(item);
    if (this.#playing.get(item) === controller) this.#playing.delete(item);
  }

  /** @param {Item} item @param {AbortSignal} signal @returns {Promise<boolean>} false if it was stopped before the end */
  async #play(item, signal) {
    const animation = await this.#env.open(/** @type {Blob} */ (item.blob));
    if (!animation) return true;
    try {
      if (!item.isAnimated) {
        item.isAnimated = true;
        this.#items.changed(item);
      }
      return await this.#playFrames(item, animation, signal);
    } finally {
      animation.close();
    }
  }

  /** @param {Item} item @param {Animation} animation @param {AbortSignal} signal */
  async #playFrames(item, animation, signal) {
    const { frames, repetitions } = animation;
    const position = this.#positions.get(item) ?? { at: 0, plays: 0 };
    this.#positions.set(item, position);
    while (position.plays <= repetitions) {
      const { image, ms } = await animation.decode(position.at);
      const isShown = await this.#show(item, image, signal);
      if (!isShown) return false;
      position.at = (position.at + 1) % frames;
      if (position.at === 0) position.plays += 1;
      await new Promise((resolve) => this.#env.setTimeout(() => resolve(undefined), ms));
      if (signal.aborted) return false;
    }
    return true;
  }

  /** @param {Item} item @param {VideoFrame} image @param {AbortSignal} signal @returns {Promise<boolean>} false: it must stop */
  async #show(item, image, signal) {
    const { natural, bitmap } = item;
    try {
      if (signal.aborted || !natural || !bitmap) return false;
      const { width, height } = sizeAt(natural, bitmap.level);
      const isReduced = bitmap.level > 0;
      const shown = await this.#env.bitmapOf(
        image,
        isReduced ? { resizeWidth: width, resizeHeight: height, resizeQuality: 'medium' } : undefined,
      );
      // The picture may have been dropped, or decoded in another resolution.
      if (signal.aborted || item.bitmap !== bitmap) {
        shown.close();
        return !signal.aborted && item.bitmap !== null;
      }
      item.bitmap = { image: shown, level: bitmap.level };
      bitmap.image.close();
      this.#items.repainted(item);
      return true;
    } finally {
      image.close();
    }
  }
}
