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
/** Browsers show a frame without a usable time for 100 ms. */
const UNUSABLE_MS = 10;
const DEFAULT_MS = 100;
/** The minimum time of a frame, so that an animation costs little. */
const MIN_MS = 60;

/** @param {Blob} blob @returns {Promise<Animation | null>} null: it is not animated, or too large, or this browser cannot show it */
export async function openAnimation(blob) {
  if (!('ImageDecoder' in globalThis) || blob.size > MAX_BYTES) return null;
  const type = await pictureTypeOf(blob);
  if (!type || !ANIMATED_TYPES.includes(type)) return null;
  const decoder = new ImageDecoder({ type, data: await blob.arrayBuffer(), preferAnimation: true });
  try {
    await decoder.completed;
    await decoder.tracks.ready;
    const track = decoder.tracks.selectedTrack;
    if (!track?.animated || track.frameCount < 2) throw new TypeError();
    return {
      frames: track.frameCount,
      repetitions: track.repetitionCount,
      decode: (at) => decodeFrame(decoder, at),
      close: () => decoder.close(),
    };
  } catch {
    decoder.close();
    return null;
  }
}

/** @param {ImageDecoder} decoder @param {number} frameIndex */
async function decodeFrame(decoder, frameIndex) {
  const { image } = await decoder.decode({ frameIndex });
  const ms = (image.duration ?? 0) / 1000;
  return { image, ms: ms <= UNUSABLE_MS ? DEFAULT_MS : Math.max(MIN_MS, ms) };
}
