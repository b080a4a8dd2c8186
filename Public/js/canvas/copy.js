/** The whole picture as a file of its own. */

import { words } from '../words/words.js';
import { decoded, measured } from './imageFile.js';
import { levelFor } from './levels.js';

/**
 * @typedef {import('./item.js').Item} Item
 * @typedef {import('./scene.js').Scene} Scene
 */

/** Around what is drawn, in points. */
const MARGIN = 24;
/** Pixels a point, as long as there are not more pixels than every browser can hold. */
const SHARPNESS = 2;
const MOST_PIXELS = 2 ** 24;
const LONGEST = 8192;

/**
 * Pictures are loaded for it, one after the other.
 * @param {Scene} scene that is not empty @param {import('./layer.js').Paint} paint @param {string} paper its color
 * @returns {Promise<{ blob: Blob, missing: number }>} a PNG, and how many pictures could not be had
 */
export async function copyOf(scene, paint, paper) {
  const { left, top, right, bottom } = scene.bounds ?? { left: 0, top: 0, right: 0, bottom: 0 };
  const [width, height] = [right - left + 2 * MARGIN, bottom - top + 2 * MARGIN];
  const scale = scaleFor(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.fillStyle = paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, (MARGIN - left) * scale, (MARGIN - top) * scale);
  let missing = 0;
  for (const drawable of [...scene.all]) {
    const image = 'place' in drawable && drawable.isPicture
      ? await imageOf(drawable, scale).catch(() => null)
      : undefined;
    if (image === null) missing += 1;
    if ('place' in drawable && image) {
      const { bounds, place } = drawable;
      context.drawImage(image, bounds.left, bounds.top, place.width, place.height);
      image.close();
    } else paint(context, drawable);
  }
  const blob = await new Promise((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error(words.copyTooLarge);
  return { blob, missing };
}

/** @param {number} width @param {number} height points @returns {number} pixels a point */
export function scaleFor(width, height) {
  return Math.min(SHARPNESS, Math.sqrt(MOST_PIXELS / width / height), LONGEST / width, LONGEST / height);
}

/** @param {Item} item @param {number} scale @returns {Promise<ImageBitmap>} */
async function imageOf(item, scale) {
  const blob = await item.load();
  const natural = item.natural ?? await measured(blob);
  return await decoded(blob, natural, levelFor(natural, item.place.width * scale));
}
