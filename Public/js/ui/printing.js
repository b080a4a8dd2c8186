/** What is printed: the picture alone, fitted to the paper. */

import { paintAll } from '../export/raster.js';
import { words } from '../words/words.js';
import { element, make } from './elements.js';

/** @typedef {Parameters<typeof paintAll>[1]} Order */

/** Pixels a point. */
const SHARPNESS = 3;

/** By the browser's own menu too. @param {() => Order | null} order what there is, or nothing */
export function preparePrinting(order) {
  const sheet = element('sheet');
  addEventListener('beforeprint', () => {
    const all = sheet.hasChildNodes() ? null : order();
    if (!all) return;
    const canvas = make('canvas');
    // Nothing can be waited for here: what is not loaded is not on it.
    paintAll(canvas, all, SHARPNESS);
    sheet.replaceChildren(canvas);
  });
  addEventListener('afterprint', () => sheet.replaceChildren());
}

/** @param {Blob} picture */
export async function print(picture) {
  const src = URL.createObjectURL(picture);
  const image = make('img', { src, alt: words.page });
  try {
    await image.decode();
    element('sheet').replaceChildren(image);
    globalThis.print();
  } finally {
    URL.revokeObjectURL(src);
  }
}
