/**
 * The preview of a picture: a tiny copy in the metadata of its attachment. The others see it, blurred, until they have the picture
 * itself.
 *
 * It is base64 of a PNG, JPEG or WebP. A preview from another participant is checked before it is decoded, because a small file can
 * claim to be a huge picture.
 */

import { measureImage, pictureType } from './imageFile.js';

/** The maximum length, in characters. */
export const MAX_PREVIEW_LENGTH = 1024;
/** The maximum side of a preview from another participant, in pixels. */
const MAX_PREVIEW_SIDE = 64;
const TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** @param {unknown} metadata of an attachment @returns {string} the preview; '' if there is none, or a wrong one */
export function readPreview(metadata) {
  const preview = /** @type {any} */ (metadata)?.preview;
  if (typeof preview !== 'string' || preview.length > MAX_PREVIEW_LENGTH || preview.length % 4 !== 0) return '';
  return /^[A-Za-z0-9+/]+={0,2}$/.test(preview) && previewType(preview) ? preview : '';
}

/** @param {string} preview @returns {string | null} its media type; null: none of the allowed ones */
function previewType(preview) {
  const type = pictureType(Uint8Array.from(atob(preview.slice(0, 16)), (letter) => letter.charCodeAt(0)));
  return type && TYPES.includes(type) ? type : null;
}

/**
 * @param {string} preview as `readPreview` returns it
 * @returns {Promise<ImageBitmap | null>} null: it is no picture, or too large
 */
export async function decodePreview(preview) {
  try {
    const blob = new Blob([Uint8Array.from(atob(preview), (letter) => letter.charCodeAt(0))]);
    const { width, height } = await measureImage(blob);
    return Math.max(width, height) <= MAX_PREVIEW_SIDE ? await createImageBitmap(blob) : null;
  } catch {
    return null;
  }
}
