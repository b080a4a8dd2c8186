/** The worker that paints tiles, one after the other, in the order of the messages. */

import { fontsLoaded } from '../../model/text.js';
import { addFonts } from '../fontFaces.js';
import { TilePainter } from './tilePainter.js';

const painter = new TilePainter();
/** @type {OffscreenCanvas | null} */
let canvas = null;
/** Resolved when the shipped fonts are usable, and all messages that waited for them are handled. @type {Promise<void> | null} */
let adding = null;

/** @param {MessageEvent<import('./tileWorker.js').Message>} event */
onmessage = ({ data }) => {
  if ('fonts' in data) adding = addFonts(data.fonts).then(fontsLoaded).catch(reportError);
  else if (adding) adding = adding.then(() => receive(data)).catch(reportError);
  else receive(data);
};

/** @param {Exclude<import('./tileWorker.js').Message, { fonts: any }>} data */
function receive(data) {
  if ('items' in data) return painter.put(data.items, data.numbers);
  if ('removed' in data) return painter.remove(data.removed);
  const { size } = data.part;
  canvas ??= new OffscreenCanvas(size, size);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  for (const _ of painter.paint(context, data.part));
  const image = canvas.transferToImageBitmap();
  postMessage(image, { transfer: [image] });
}
