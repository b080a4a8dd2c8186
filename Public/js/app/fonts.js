/** Loads the shipped fonts, and shows all texts with them. */

import { loadFonts } from '../render/shippedFonts.js';
import { FontPicker } from '../ui/fontPicker.js';
import { loadAtLast } from './loading.js';

/**
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scheduling.js').FrameQueue} frameQueue
 * @property {import('../render/renderer.js').Renderer} renderer
 * @property {import('../ui/textBox.js').TextBox} textBox
 */

/**
 * Offers the fonts, and loads them. Until they are loaded, texts are shown in the device's font.
 * @param {Parts & import('../ui/fontPicker.js').Parts} parts
 */
export async function useFonts(parts) {
  const { shapes, frameQueue, renderer, textBox } = parts;
  new FontPicker(parts);
  await loadAtLast(loadFonts);
  const texts = shapes.all.filter((shape) => 'font' in shape && shape.font !== '');
  for (const text of texts) frameQueue.add(() => shapes.remeasured(text));
  if (texts.length > 0) frameQueue.add(() => renderer.redraw());
  textBox.fontsLoaded();
}
