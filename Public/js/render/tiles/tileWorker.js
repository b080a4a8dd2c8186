/** The painters of tiles: a worker or, in browsers without one, the main thread, in time slices. */

import { observeFonts } from '../shippedFonts.js';
import { serialize, TilePainter } from './tilePainter.js';

/**
 * @typedef {import('../../model/item.js').Item} Item
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('./tilePainter.js').Image} Image
 * @typedef {import('./tilePainter.js').Part} Part
 * @typedef {import('../fontFaces.js').FontFiles} FontFiles
 * @typedef {{ items: import('./tilePainter.js').SerializedItem[], numbers: Float64Array<ArrayBuffer> }} AddedItems
 * @typedef {AddedItems | { removed: string[] } | { part: Part } | { fonts: FontFiles }} Message
 *
 * @typedef {object} TileWorker
 * @property {(drawables: Drawable[], imageOf: (item: Item) => HTMLCanvasElement) => void} put
 * @property {(drawables: Drawable[]) => void} remove
 * @property {(part: Part) => void} paint requests a tile; the images arrive in the order of the requests
 * @property {(endsAt: number) => void} work paints on the main thread until a time, if there is no worker
 * @property {() => void} stop
 */

/** @returns {boolean} true if this browser can paint in a worker */
export function supportsWorkers() {
  return typeof Worker === 'function' && typeof OffscreenCanvas === 'function' &&
    'transferToImageBitmap' in OffscreenCanvas.prototype;
}

/**
 * @param {(image: ImageBitmap) => void} painted @param {() => void} broke called if the worker did not start, or failed
 * @returns {TileWorker}
 */
export function tileWorker(painted, broke) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }) => painted(data);
  // A worker that cannot paint with these fonts reports an error, too.
  const forgetFonts = observeFonts((fonts) => worker.postMessage({ fonts }));
  const stop = () => {
    forgetFonts();
    worker.terminate();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    stop();
    broke();
  };
  return {
    put: (drawables, imageOf) => {
      const message = serialize(drawables, (item) => bitmapOf(imageOf(item)));
      const images = message.items.flatMap(({ image }) => (image ? [/** @type {ImageBitmap} */ (image)] : []));
      worker.postMessage(message, [message.numbers.buffer, ...images]);
    },
    remove: (drawables) => worker.postMessage({ removed: drawables.map(({ id }) => id) }),
    paint: (part) => worker.postMessage({ part }),
    work: () => {},
    stop,
  };
}

/**
 * @param {(image: Image) => void} painted @param {(size: number) => HTMLCanvasElement} newCanvas
 * @param {() => number} now milliseconds @returns {TileWorker}
 */
export function mainThreadTiles(painted, newCanvas, now) {
  const painter = new TilePainter();
  /** @type {Part[]} */
  const parts = [];
  /** @type {{ context: CanvasRenderingContext2D, steps: Generator<void> } | null} */
  let current = null;
  const work = (/** @type {number} */ endsAt) => {
    while (current || parts.length > 0) {
      current ??= begin(/** @type {Part} */ (parts.shift()));
      const { context, steps } = current;
      while (!steps.next().done) {
        // Browsers delay painting. Reading a pixel forces it, so that the clock includes it.
        context.getImageData(0, 0, 1, 1);
        if (now() >= endsAt) return;
      }
      current = null;
      painted(context.canvas);
    }
  };
  const begin = (/** @type {Part} */ part) => {
    const canvas = newCanvas(part.size);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
    return { context, steps: painter.paint(context, part) };
  };
  return {
    put: (drawables, imageOf) => {
      const { items, numbers } = serialize(drawables, imageOf);
      painter.put(items, numbers);
    },
    remove: (drawables) => painter.remove(drawables.map(({ id }) => id)),
    paint: (part) => parts.push(part),
    work,
    stop: () => {},
  };
}

/** @param {HTMLCanvasElement} canvas @returns {ImageBitmap} a copy that can be transferred */
function bitmapOf(canvas) {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  copy.getContext('2d')?.drawImage(canvas, 0, 0);
  return copy.transferToImageBitmap();
}
