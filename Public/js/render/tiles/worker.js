/** The worker that paints tiles, one after the other, in the order in which it is told things. */

import { TilePainter } from './tilePainter.js';

const painter = new TilePainter();
/** @type {OffscreenCanvas | null} */
let canvas = null;

/** @param {MessageEvent<import('./tileWorker.js').Message>} event */
onmessage = ({ data }) => {
  if ('told' in data) return painter.put(data.told, data.numbers);
  if ('dropped' in data) return painter.drop(data.dropped);
  const { size } = data.part;
  canvas ??= new OffscreenCanvas(size, size);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  for (const _ of painter.paint(context, data.part));
  const image = canvas.transferToImageBitmap();
  postMessage(image, { transfer: [image] });
};
