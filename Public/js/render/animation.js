/** The frames of an animated picture, one at a time. Needs `ImageDecoder`, which some browsers have, and only in secure contexts. */

import { pictureTypeOf } from '../model/imageFile.js';

/**
 * @typedef {object} Animation
 * @property {number} frames their number
 * @property {number} repetitions the number of times that it is shown again; `Infinity`: without end
 * @property {(at: number) => Promise<{ image: VideoFrame, ms: number }>} decode returns a frame, which the caller closes, and the
 *   time for which it is shown
 * @property {() => void} close
 */

export const ANIMATED_TYPES = Object.freeze(['image/gif', 'image/webp']);
const MAX_BYTES = 16 * 2 ** 20;
/** A frame with at most the first duration is shown for the second one instead, as in browsers. In milliseconds. */
const UNUSABLE_MS = 10;
const DEFAULT_MS = 100;
/** The minimum duration of a frame, which limits the work for an animation. */
const MIN_MS = 60;

/** @param {Blob} blob @returns {Promise<Animation | null>} null: it is not animated, or too large, or this browser cannot show it */
export async function openAnimation(blob) {
  if (!('ImageDecoder' in globalThis) || blob.size > MAX_BYTES) return null;
  const type = await pictureTypeOf(blob);
  if (!type || !ANIMATED_TYPES.includes(type)) return null;
  const data = await blob.arrayBuffer();
  const decoder = await openDecoder(type, data);
  const track = decoder?.tracks.selectedTrack;
  if (decoder && track?.animated && track.frameCount > 1) return new Frames(type, data, decoder, track);
  decoder?.close();
  return null;
}

/** @implements {Animation} */
class Frames {
  frames;
  repetitions;
  #type;
  #data;
  #decoder;
  /** The number of the last decoded frame. */
  #last = -1;

  /** @param {string} type @param {ArrayBuffer} data @param {ImageDecoder} decoder @param {ImageTrack} track */
  constructor(type, data, decoder, track) {
    this.#type = type;
    this.#data = data;
    this.#decoder = decoder;
    this.frames = track.frameCount;
    this.repetitions = track.repetitionCount;
  }

  /** @param {number} at */
  async decode(at) {
    // In Firefox, a decoder returns the same object each time that a frame is decoded, and the caller has closed that object.
    if (at <= this.#last) await this.#restart();
    this.#last = at;
    const { image } = await this.#decoder.decode({ frameIndex: at });
    const ms = (image.duration ?? 0) / 1000;
    return { image, ms: ms <= UNUSABLE_MS ? DEFAULT_MS : Math.max(MIN_MS, ms) };
  }

  close() {
    this.#decoder.close();
  }

  async #restart() {
    this.#decoder.close();
    const next = await openDecoder(this.#type, this.#data);
    if (!next) throw new TypeError();
    this.#decoder = next;
  }
}

/**
 * @param {string} type @param {ArrayBuffer} data
 * @returns {Promise<ImageDecoder | null>} a decoder that has read all data; null if they are damaged
 */
async function openDecoder(type, data) {
  const decoder = new ImageDecoder({ type, data, preferAnimation: true });
  // Both promises are rejected for damaged data, but only one of them is awaited.
  decoder.tracks.ready.catch(() => {});
  try {
    await decoder.completed;
    await decoder.tracks.ready;
    return decoder;
  } catch {
    decoder.close();
    return null;
  }
}
