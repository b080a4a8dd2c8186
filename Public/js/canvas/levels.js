/** How finely pictures are held: halved until they are hardly finer than the screen, and all within one bound. */

/** @typedef {import('./placement.js').Size} Size */

/** Pixels of all bitmaps together: 256 MB. */
export const BITMAP_PIXELS = 64 * 2 ** 20;
/** Of a single one; some phones draw no larger ones. */
export const LARGEST_BITMAP = 16 * 2 ** 20;

/**
 * @template T
 * @typedef {{ of: T, natural: Size, level: number }} Held a bitmap: of what, and how often that is halved
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
  while (pixelsAt(natural, level) > LARGEST_BITMAP) level += 1;
  return level;
}

/**
 * What to load and what to drop.
 * @template T
 * @param {Held<T>[]} held bitmaps, those not seen for longest first
 * @param {Held<T>[]} wanted of what is to be seen
 * @param {number} [limit] pixels
 * @returns {{ load: Held<T>[], drop: T[] }}
 */
export function planned(held, wanted, limit = BITMAP_PIXELS) {
  const wishes = within(wanted, limit);
  const now = new Map(held.map((one) => [one.of, one]));
  const isFine = (/** @type {Held<T>} */ { of, level }) => (now.get(of)?.level ?? Infinity) <= level;
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

/** @template T @param {Held<T>[]} wishes @param {number} limit @returns {Held<T>[]} the largest made coarser until all fit */
function within(wishes, limit) {
  const fitting = wishes.map((wish) => ({ ...wish }));
  while (fitting.length > 0 && sum(fitting) > limit) {
    const largest = fitting.reduce((a, b) => (pixelsAt(b.natural, b.level) > pixelsAt(a.natural, a.level) ? b : a));
    if (pixelsAt(largest.natural, largest.level) === 1) break;
    largest.level += 1;
  }
  return fitting;
}

/** @template T @param {Held<T>[]} bitmaps */
function sum(bitmaps) {
  return bitmaps.reduce((total, { natural, level }) => total + pixelsAt(natural, level), 0);
}
