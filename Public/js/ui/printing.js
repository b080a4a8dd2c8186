/** The printing of pictures. */

import { paintAll } from '../render/export/raster.js';
import { strings } from '../i18n/i18n.js';
import { element, make } from './elements.js';

/** @typedef {Parameters<typeof paintAll>[1]} ExportOptions */

/** The resolution of prints, in pixels per point. */
export const SHARPNESS = 3;

/** Prepares the page for printing by the browser's own menu. @param {() => ExportOptions | null} order null: nothing to print */
export function preparePrinting(order) {
  const sheet = element('sheet');
  addEventListener('beforeprint', () => {
    const all = sheet.hasChildNodes() ? null : order();
    if (!all) return;
    const canvas = make('canvas');
    // The event cannot wait, so pictures that are not loaded are missing in the print.
    paintAll(canvas, all, SHARPNESS);
    putOnSheet(canvas);
  });
  addEventListener('afterprint', () => sheet.replaceChildren());
}

/** Prints pictures, one on each sheet of paper. @param {Blob[]} pictures */
export async function print(pictures) {
  const urls = pictures.map((picture) => URL.createObjectURL(picture));
  const images = urls.map((src) => make('img', { src, alt: strings.page }));
  try {
    for (const image of images) await image.decode();
    putOnSheet(...images);
    globalThis.print();
  } finally {
    for (const src of urls) URL.revokeObjectURL(src);
  }
}

/**
 * Puts pictures on the sheets of paper that are printed, one on each. A wide picture is printed across the paper.
 * @param {...(HTMLCanvasElement | HTMLImageElement)} pictures
 */
function putOnSheet(...pictures) {
  element('sheet').replaceChildren(...pictures.map((picture) => {
    return make('div', picture.width > picture.height ? { 'data-wide': '' } : {}, picture);
  }));
}
