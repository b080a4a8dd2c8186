/** The shipped fonts as font faces. Needs no document, so that a worker can use it. */

import { FAMILIES } from '../model/fonts.js';

/** @typedef {{ hand: ArrayBuffer, sans: ArrayBuffer }} FontFiles */

/** Lets the canvases of this page, or of this worker, paint with fonts. @param {FontFiles} files */
export async function addFonts({ hand, sans }) {
  // A worker has its own set of fonts.
  const { fonts } = /** @type {{ fonts: FontFaceSet }} */ (globalThis.document ?? globalThis);
  const faces = [new FontFace(FAMILIES.hand, hand), new FontFace(FAMILIES.sans, sans)];
  for (const face of await Promise.all(faces.map((one) => one.load()))) fonts.add(face);
}
