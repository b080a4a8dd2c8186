/** Small pictures of whole pages, for the list of pages. */

import { extentOf, inSlices } from './raster.js';

/** The size in pixels, and the factor of a smaller one. */
const WIDTH = 240;
const HEIGHT = 160;
const HALF = 0.5;
/** The maximum size of a thumbnail, and the qualities that are tried until it is small enough. */
const MAX_BYTES = 10 * 1024;
const QUALITIES = [0.8, 0.5, 0.2];

/**
 * Paints all shapes and pictures that are loaded, in time slices.
 * @param {readonly import('../../model/scene.js').Drawable[]} drawables at least one, in the order of drawing
 * @param {import('../layer.js').Paint} paint @param {string} paper the color of the paper
 * @returns {Promise<Blob | null>} null if the browser cannot make one that is small enough
 */
export async function thumbnailOf(drawables, paint, paper) {
  const { left, top, width, height } = extentOf(drawables);
  const scale = Math.min(1, WIDTH / width, HEIGHT / height);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.fillStyle = paper;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const [x, y] = [WIDTH / 2 - scale * (left + width / 2), HEIGHT / 2 - scale * (top + height / 2)];
  context.setTransform(scale, 0, 0, scale, x, y);
  for await (const drawable of inSlices(drawables)) {
    try {
      paint(context, drawable);
    } catch {
      // While the thumbnail was painted, the page dropped a decoded picture from memory.
    }
  }
  return await small(canvas) ?? await small(halved(canvas));
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob | null>} null: too large */
async function small(canvas) {
  // A browser without WebP returns a PNG, whatever the quality.
  for (const quality of QUALITIES) {
    /** @type {Blob | null} */
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/webp', quality));
    if (blob && blob.size <= MAX_BYTES) return blob;
  }
  return null;
}

/** @param {HTMLCanvasElement} canvas @returns {HTMLCanvasElement} */
function halved(canvas) {
  const smaller = document.createElement('canvas');
  [smaller.width, smaller.height] = [WIDTH * HALF, HEIGHT * HALF];
  smaller.getContext('2d')?.drawImage(canvas, 0, 0, smaller.width, smaller.height);
  return smaller;
}
