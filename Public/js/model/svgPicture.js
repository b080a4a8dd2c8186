/**
 * SVG files as pictures: measures and paints them. A browser shows them as images, without running their scripts or loading other
 * files for them.
 */

import { costOf, MAX_COST } from './svgCost.js';
import { SVG_TYPE } from './pictureTypes.js';
import { isSVG, MAX_SVG_BYTES, sizedRoot, SVG_HEAD_BYTES, svgSize } from './svgFile.js';

/** @typedef {import('./placement.js').Size} Size */

/** @param {Blob} blob @returns {Promise<string | null>} the type; null if it is no SVG @throws {DOMException} if it cannot be read */
export async function svgTypeOf(blob) {
  return isSVG(await headOf(blob)) ? SVG_TYPE : null;
}

/** @param {Blob} blob of an SVG @returns {Promise<Size>} in pixels @throws {Error} if it cannot be shown as a picture */
export async function measureSVG(blob) {
  if (blob.size > MAX_SVG_BYTES || costOf(await blob.text()) > MAX_COST) throw new TypeError();
  const size = svgSize(await headOf(blob));
  if (!size) throw new TypeError();
  const image = await imageOf(blob, size);
  image.src = '';
  return size;
}

/**
 * @param {Blob} blob of an SVG @param {Size} size in pixels
 * @returns {Promise<ImageBitmap>} @throws {Error} if it cannot be painted
 */
export async function paintSVG(blob, size) {
  const image = await imageOf(blob, size);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [size.width, size.height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(image, 0, 0, size.width, size.height);
  image.src = '';
  // In some browsers, a canvas cannot be read once an SVG with certain HTML elements was painted on it. This call then throws,
  // because exports would fail.
  context.getImageData(0, 0, 1, 1);
  const bitmap = await createImageBitmap(canvas);
  // Some browsers keep the memory of a canvas for a long time otherwise.
  canvas.width = canvas.height = 0;
  return bitmap;
}

/** @param {Blob} blob @returns {Promise<string>} the beginning, one character for each byte */
async function headOf(blob) {
  const bytes = new Uint8Array(await blob.slice(0, SVG_HEAD_BYTES).arrayBuffer());
  return new TextDecoder('latin1').decode(bytes);
}

/** @param {Blob} blob @param {Size} size @returns {Promise<HTMLImageElement>} a loaded image with this size */
async function imageOf(blob, size) {
  const root = sizedRoot(await headOf(blob), size);
  if (!root) throw new TypeError();
  const { tag, start, end } = root;
  const bytes = Uint8Array.from(tag, (letter) => letter.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([blob.slice(0, start), bytes, blob.slice(end)], { type: SVG_TYPE }));
  const image = new Image();
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new TypeError());
      image.src = url;
    });
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}
