/** What is taken away, and how large that is. */

/**
 * @typedef {import('../canvas/item.js').Item} Item
 * @typedef {import('../canvas/scene.js').Drawable} Drawable
 * @typedef {{ left: number, top: number, width: number, height: number }} Extent in points
 */

/** Around what is drawn, in points. */
const MARGIN = 24;
/** So long the page may stand still, in milliseconds. */
const LONGEST_MS = 12;

/** @param {Drawable} drawable @returns {drawable is Item} */
export function isItem(drawable) {
  return 'place' in drawable;
}

/** @param {readonly Pick<Drawable, 'bounds'>[]} drawables at least one @returns {Extent} of all, with a margin */
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
 * The same one after the other, with room between for all else that the page does.
 * @template T
 * @param {readonly T[]} all @param {AbortSignal} [signal] @param {(part: number) => void} [progress] is told which part of all is done
 */
export async function* calmly(all, signal, progress) {
  let begun = performance.now();
  for (const [at, one] of all.entries()) {
    signal?.throwIfAborted();
    yield one;
    if (performance.now() - begun < LONGEST_MS) continue;
    progress?.((at + 1) / all.length);
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  }
}
