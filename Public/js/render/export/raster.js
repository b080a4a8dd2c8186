/** The export as a PNG, and what all exports share: the extent, and work in time slices. */

import { decodeImage, finestLevel, levelFor, measureImage } from '../../model/imageFile.js';
import { paintRotated } from '../shapePainter.js';
import { fontsOf } from '../shippedFonts.js';
import { laterStrings } from '../../i18n/later.js';

/**
 * @typedef {import('../../model/item.js').Item} Item
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {{ left: number, top: number, width: number, height: number }} Extent in points
 */

/** The margin around the drawing, in points. */
const MARGIN = 24;
/** The maximum duration of a time slice, in milliseconds. */
const MAX_AGE_MS = 12;

/** @param {Drawable} drawable @returns {drawable is Item} */
export function isItem(drawable) {
  return 'place' in drawable;
}

/** @param {readonly Pick<Drawable, 'bounds'>[]} drawables at least one @returns {Extent} the extent of all, with a margin */
export function extentOf(drawables) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { bounds } of drawables) {
    [left, top] = [Math.min(left, bounds.left), Math.min(top, bounds.top)];
    [right, bottom] = [Math.max(right, bounds.right), Math.max(bottom, bounds.bottom)];
  }
  return {
    left: left - MARGIN,
    top: top - MARGIN,
    width: right - left + 2 * MARGIN,
    height: bottom - top + 2 * MARGIN,
  };
}

/**
 * Yields the elements one after the other, in time slices, so that the page stays responsive.
 * @template T
 * @param {readonly T[]} all
 * @param {AbortSignal} [signal]
 * @param {(part: number) => void} [progress] receives the completed part, from 0 to 1
 */
export async function* inSlices(all, signal, progress) {
  let begun = performance.now();
  for (const [at, one] of all.entries()) {
    signal?.throwIfAborted();
    yield one;
    if (performance.now() - begun < MAX_AGE_MS) continue;
    progress?.((at + 1) / all.length);
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  }
}

/** The resolution of embedded pictures, in pixels per point. */
const SHARPNESS = 2;
const QUALITY = 0.92;

/** @param {Item} item @param {number} scale pixels per point @returns {Promise<ImageBitmap>} */
export async function imageOf(item, scale) {
  const blob = await item.load();
  const natural = item.natural ?? await measureImage(blob);
  return await decodeImage(blob, natural, levelFor(natural, item.place.width * scale, finestLevel(item.contentType)));
}

/**
 * @param {Item} item a picture
 * @returns {Promise<string>} a `data:` URL in a format that all programs read, upright, at the displayed resolution
 */
export async function embedded(item) {
  const image = await imageOf(item, SHARPNESS);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  image.close();
  return canvas.toDataURL(item.contentType === 'image/jpeg' ? 'image/jpeg' : 'image/png', QUALITY);
}

/** @param {Blob} blob @returns {Promise<string>} */
export function base64Of(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/**
 * @typedef {object} ExportOptions
 * @property {readonly Drawable[]} drawables at least one, in the order of drawing
 * @property {import('../layer.js').Paint} paint
 * @property {string} paper the color of the paper; '' for none
 * @property {AbortSignal} signal
 * @property {(part: number) => void} [progress] receives the completed part, from 0 to 1
 */

/** The maximum number of pixels that every browser supports. */
const MAX_PIXELS = 2 ** 24;
const MAX_SIDE_LENGTH = 8192;

/**
 * @param {ExportOptions} order @param {number} wanted pixels per point
 * @returns {Promise<{ blob: Blob, missing: number }>} a PNG, and the number of pictures that could not be loaded
 */
export async function rasterOf({ drawables, paint, paper, signal, progress }, wanted) {
  await fontsOf(drawables);
  const extent = extentOf(drawables);
  const scale = scaleFor(extent.width, extent.height, wanted);
  const canvas = document.createElement('canvas');
  const context = prepared(canvas, extent, scale, paper);
  let missing = 0;
  // Pictures are loaded for the export, one after the other.
  for await (const drawable of inSlices(drawables, signal, progress)) {
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
    const { box: { left, top }, place } = drawable;
    paintRotated(context, drawable, () => context.drawImage(image, left, top, place.width, place.height));
    image.close();
  }
  const blob = await new Promise((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error(laterStrings.copyTooLarge);
  return { blob, missing };
}

/**
 * Paints a preview at once, with the pictures that are loaded already.
 * @param {HTMLCanvasElement} canvas
 * @param {Pick<ExportOptions, 'drawables' | 'paint' | 'paper'>} order
 * @param {number} wanted pixels per point
 */
export function paintAll(canvas, { drawables, paint, paper }, wanted) {
  const extent = extentOf(drawables);
  const context = prepared(canvas, extent, scaleFor(extent.width, extent.height, wanted), paper);
  for (const drawable of drawables) paint(context, drawable);
}

/**
 * @param {number} width @param {number} height points @param {number} wanted pixels per point
 * @returns {number} the wanted number, or a lower one if the picture would be too large
 */
export function scaleFor(width, height, wanted) {
  return Math.min(wanted, Math.sqrt(MAX_PIXELS / width / height), MAX_SIDE_LENGTH / width, MAX_SIDE_LENGTH / height);
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
