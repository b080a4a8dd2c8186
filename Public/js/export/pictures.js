/** The pictures among what is taken away. */

import { decoded, measured } from '../canvas/imageFile.js';
import { levelFor } from '../canvas/levels.js';

/** @typedef {import('../canvas/item.js').Item} Item */

/** Pixels a point, of those that lie in another file. */
const SHARPNESS = 2;
const QUALITY = 0.92;

/** @param {Item} item @param {number} scale pixels a point @returns {Promise<ImageBitmap>} */
export async function imageOf(item, scale) {
  const blob = await item.load();
  const natural = item.natural ?? await measured(blob);
  return await decoded(blob, natural, levelFor(natural, item.place.width * scale));
}

/** @param {Item} item a picture @returns {Promise<string>} as a `data:` URL of a kind that everything reads, upright and no finer than it is seen */
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
