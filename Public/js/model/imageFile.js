/** Pictures in files: recognized by their first bytes, measured, and made into bitmaps no finer than is needed. */

import { strings } from '../i18n/i18n.js';

/** @typedef {import('./placement.js').Size} Size */

/** These count as pictures, and the gateway serves them as such; anything else is a file, whatever it is called. */
export const PICTURE_TYPES = Object.freeze(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** A small file can claim to be a huge picture; with more pixels than this it is a file like any other. */
const MAX_PIXELS = 2 ** 28;
/** As many bytes as it takes to tell. */
const FIRST_BYTES = 12;

/** @param {Uint8Array} bytes the first of a file @returns {string | null} the type, if it is a picture's */
export function pictureType(bytes) {
  const text = String.fromCharCode(...bytes.subarray(0, FIRST_BYTES));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'image/webp';
  if (/^[^]{4}ftypavi[fs]/.test(text)) return 'image/avif';
  return null;
}

/** @param {Blob} blob @returns {Promise<string | null>} @throws {DOMException} if it cannot be read */
export async function pictureTypeOf(blob) {
  return pictureType(new Uint8Array(await blob.slice(0, FIRST_BYTES).arrayBuffer()));
}

/** @param {Blob} blob of a picture @returns {Promise<Size>} upright, in pixels @throws {Error} if it is none */
export async function measureImage(blob) {
  const type = await pictureTypeOf(blob);
  if (!type) throw new TypeError(strings.noPicture);
  const url = URL.createObjectURL(new Blob([blob], { type }));
  const image = new Image();
  try {
    // Loaded only: nothing is decoded but its head.
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new TypeError(strings.damaged));
      image.src = url;
    });
    const { naturalWidth: width, naturalHeight: height } = image;
    if (width * height === 0 || width * height > MAX_PIXELS) throw new TypeError(strings.cannotShow);
    return { width, height };
  } finally {
    image.src = '';
    URL.revokeObjectURL(url);
  }
}

/**
 * Upright. Of what moves, the first frame.
 * @param {Blob} blob @param {Size} natural @param {number} level how often it is halved
 * @returns {Promise<ImageBitmap>} @throws {Error} if it cannot be decoded
 */
export async function decodeImage(blob, natural, level) {
  const { width, height } = sizeAt(natural, level);
  const size = { resizeWidth: width, resizeHeight: height, resizeQuality: /** @type {const} */ ('medium') };
  const frame = await decodedSmall(blob, { width, height }).catch(() => null);
  if (!frame) return await createImageBitmap(blob, { imageOrientation: 'from-image', ...level > 0 ? size : {} });
  try {
    return await createImageBitmap(frame, size);
  } finally {
    frame.close();
  }
}

/**
 * Not every browser has this, and only for secure pages. Where it is, a large photo is decoded to little more than is needed,
 * off the main thread: for 100 megapixels 0.2 s instead of 0.7 in Chromium, and no 0.75 s in which Firefox does nothing else.
 * @param {Blob} blob @param {Size} size at least
 */
async function decodedSmall(blob, { width, height }) {
  const type = await pictureTypeOf(blob);
  if (!type || !('ImageDecoder' in globalThis)) return null;
  const decoder = new ImageDecoder({ type, data: blob.stream(), desiredWidth: width, desiredHeight: height });
  // What it would have told of the rest is not waited for.
  decoder.completed.catch(() => {});
  decoder.tracks.ready.catch(() => {});
  try {
    return (await decoder.decode()).image;
  } finally {
    decoder.close();
  }
}

/** Pixels of all bitmaps together: 256 MB. */
export const BITMAP_PIXELS = 64 * 2 ** 20;
/** Of a single one; some phones draw no larger ones. */
export const MAX_BITMAP_PIXELS = 16 * 2 ** 20;

/**
 * @template T
 * @typedef {{ of: T, natural: Size, level: number }} BitmapRequest a bitmap: of what, and how often that is halved
 */

/** @param {Size} natural @param {number} level how often it is halved @returns {Size} in whole pixels */
export function sizeAt({ width, height }, level) {
  return { width: Math.max(1, Math.round(width / 2 ** level)), height: Math.max(1, Math.round(height / 2 ** level)) };
}

/** @param {Size} natural @param {number} level @returns {number} */
export function pixelsAt(natural, level) {
  const { width, height } = sizeAt(natural, level);
  return width * height;
}

/** @param {Size} natural @param {number} width on the screen, in device pixels @returns {number} the coarsest level that is as fine as the screen */
export function levelFor(natural, width) {
  let level = 0;
  while (natural.width / 2 ** (level + 1) >= Math.max(1, width)) level += 1;
  while (pixelsAt(natural, level) > MAX_BITMAP_PIXELS) level += 1;
  return level;
}

/**
 * What to load and what to drop.
 * @template T
 * @param {BitmapRequest<T>[]} held bitmaps, those not seen for longest first
 * @param {BitmapRequest<T>[]} wanted of what is to be seen
 * @param {number} [limit] pixels
 * @returns {{ load: BitmapRequest<T>[], drop: T[] }}
 */
export function planBitmaps(held, wanted, limit = BITMAP_PIXELS) {
  const wishes = within(wanted, limit);
  const now = new Map(held.map((one) => [one.of, one]));
  const isFine = (/** @type {BitmapRequest<T>} */ { of, level }) => (now.get(of)?.level ?? Infinity) <= level;
  const load = wishes.filter((wish) => !isFine(wish));
  const seen = new Map(wishes.map((wish) => [wish.of, wish]));
  const loading = new Set(load.map(({ of }) => of));
  let pixels = sum(held.filter(({ of }) => !loading.has(of))) + sum(load);
  const drop = [];
  for (const one of held) {
    if (pixels <= limit) break;
    const wish = seen.get(one.of);
    if (!wish) drop.push(one.of);
    else if (wish.level > one.level) load.push(wish);
    else continue;
    pixels -= pixelsAt(one.natural, one.level) - (wish ? pixelsAt(wish.natural, wish.level) : 0);
  }
  return { load, drop };
}

/** @template T @param {BitmapRequest<T>[]} wishes @param {number} limit @returns {BitmapRequest<T>[]} the largest made coarser until all fit */
function within(wishes, limit) {
  const fitting = wishes.map((wish) => ({ ...wish }));
  while (fitting.length > 0 && sum(fitting) > limit) {
    const largest = fitting.reduce((a, b) => (pixelsAt(b.natural, b.level) > pixelsAt(a.natural, a.level) ? b : a));
    if (pixelsAt(largest.natural, largest.level) === 1) break;
    largest.level += 1;
  }
  return fitting;
}

/** @template T @param {BitmapRequest<T>[]} bitmaps */
function sum(bitmaps) {
  return bitmaps.reduce((total, { natural, level }) => total + pixelsAt(natural, level), 0);
}
