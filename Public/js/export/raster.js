/** What is drawn as a picture of pixels. */

import { words } from '../words/words.js';
import { calmly, extentOf, imageOf, isItem } from './extent.js';

/**
 * @typedef {import('../canvas/scene.js').Drawable} Drawable
 * @typedef {import('./extent.js').Extent} Extent
 *
 * @typedef {object} Order
 * @property {readonly Drawable[]} drawables at least one, in the order of drawing
 * @property {import('../canvas/layer.js').Paint} paint
 * @property {string} paper its color; '' for none
 * @property {AbortSignal} signal
 * @property {(part: number) => void} [progress] which part of it is done
 */

/** Not more pixels than every browser can hold. */
const MOST_PIXELS = 2 ** 24;
const LONGEST = 8192;

/** @param {Order} order @param {number} wanted pixels a point @returns {Promise<{ blob: Blob, missing: number }>} a PNG, and how many pictures could not be had */
export async function rasterOf({ drawables, paint, paper, signal, progress }, wanted) {
  const extent = extentOf(drawables);
  const scale = scaleFor(extent.width, extent.height, wanted);
  const canvas = document.createElement('canvas');
  const context = prepared(canvas, extent, scale, paper);
  let missing = 0;
  // They are loaded for it, one after the other.
  for await (const drawable of calmly(drawables, signal, progress)) {
    if (!isItem(drawable) || !drawable.isPicture) {
      paint(context, drawable);
      continue;
    }
    const image = await imageOf(drawable, scale).catch(() => null);
    if (!image) {
      missing += 1;
      paint(context, drawable);
      continue;
    }
    const { bounds: { left, top }, place } = drawable;
    context.drawImage(image, left, top, place.width, place.height);
    image.close();
  }
  const blob = await new Promise((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error(words.copyTooLarge);
  return { blob, missing };
}

/**
 * At once, of what is at hand.
 * @param {HTMLCanvasElement} canvas @param {Pick<Order, 'drawables' | 'paint' | 'paper'>} order @param {number} wanted pixels a point
 */
export function paintAll(canvas, { drawables, paint, paper }, wanted) {
  const extent = extentOf(drawables);
  const context = prepared(canvas, extent, scaleFor(extent.width, extent.height, wanted), paper);
  for (const drawable of drawables) paint(context, drawable);
}

/** @param {number} width @param {number} height points @param {number} wanted pixels a point @returns {number} as many as there can be */
export function scaleFor(width, height, wanted) {
  return Math.min(wanted, Math.sqrt(MOST_PIXELS / width / height), LONGEST / width, LONGEST / height);
}

/** @param {HTMLCanvasElement} canvas @param {Extent} extent @param {number} scale @param {string} paper */
function prepared(canvas, { left, top, width, height }, scale, paper) {
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  if (paper) {
    context.fillStyle = paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
  return context;
}
