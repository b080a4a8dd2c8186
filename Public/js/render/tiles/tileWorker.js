/** Who paints tiles: a worker, or where there can be none the page itself, in slices. */

import { tell, TilePainter } from './tilePainter.js';

/**
 * @typedef {import('../../model/item.js').Item} Item
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('./tilePainter.js').Image} Image
 * @typedef {import('./tilePainter.js').Part} Part
 * @typedef {{ told: import('./tilePainter.js').Told[], numbers: Float64Array<ArrayBuffer> } | { dropped: string[] } | { part: Part }} Message
 *
 * @typedef {object} TileWorker
 * @property {(drawables: Drawable[], imageOf: (item: Item) => HTMLCanvasElement) => void} put
 * @property {(drawables: Drawable[]) => void} drop
 * @property {(part: Part) => void} paint the answers come in the order of the questions
 * @property {(endsAt: number) => void} work on what is asked for, where no worker does
 * @property {() => void} stop
 */

/** @returns {boolean} whether a worker can paint here */
export function canWork() {
  return typeof Worker === 'function' && typeof OffscreenCanvas === 'function' &&
    'transferToImageBitmap' in OffscreenCanvas.prototype;
}

/** @param {(image: ImageBitmap) => void} painted @param {() => void} broke it never began, or stopped @returns {TileWorker} */
export function tileWorker(painted, broke) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }) => painted(data);
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    broke();
  };
  return {
    put: (drawables, imageOf) => {
      const message = tell(drawables, (item) => bitmapOf(imageOf(item)));
      const images = message.told.flatMap(({ image }) => (image ? [/** @type {ImageBitmap} */ (image)] : []));
      worker.postMessage(message, [message.numbers.buffer, ...images]);
    },
    drop: (drawables) => worker.postMessage({ dropped: drawables.map(({ id }) => id) }),
    paint: (part) => worker.postMessage({ part }),
    work: () => {},
    stop: () => worker.terminate(),
  };
}

/** @param {(image: Image) => void} painted @param {(size: number) => HTMLCanvasElement} newCanvas @param {() => number} now milliseconds @returns {TileWorker} */
export function tilesOnPage(painted, newCanvas, now) {
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
        // Browsers put painting off; to ask for a pixel has it done now, so that the clock tells.
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
      const { told, numbers } = tell(drawables, imageOf);
      painter.put(told, numbers);
    },
    drop: (drawables) => painter.drop(drawables.map(({ id }) => id)),
    paint: (part) => parts.push(part),
    work,
    stop: () => {},
  };
}

/** @param {HTMLCanvasElement} canvas @returns {ImageBitmap} that can be given away */
function bitmapOf(canvas) {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  copy.getContext('2d')?.drawImage(canvas, 0, 0);
  return copy.transferToImageBitmap();
}
