/** The worker that paints tiles, one after the other, in the order of the messages. */

import { TilePainter } from './tilePainter.js';

const painter = new TilePainter();
/** @type {OffscreenCanvas | null} */
let canvas = null;

/** @param {MessageEvent<import('./tileWorker.js').Message>} event */
onmessage = ({ data }) => {
  if ('items' in data) return painter.put(data.items, data.numbers);
  if ('removed' in data) return painter.remove(data.removed);
  const { size } = data.part;
  canvas ??= new OffscreenCanvas(size, size);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  for (const _ of painter.paint(context, data.part));
  const image = canvas.transferToImageBitmap();
  postMessage(image, { transfer: [image] });
};
