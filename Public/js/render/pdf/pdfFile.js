/** A PDF file: its pages as pictures. A worker reads the file, piece by piece, so a large one needs little memory. */

import { documentParameters, LibraryMissingError, loadLibrary, startWorker } from './library.js';

/** @typedef {(isWrong: boolean) => Promise<string>} AskPassword `isWrong`: the last password was wrong */

/** The number of bytes within which the header of a PDF begins. */
const HEAD_BYTES = 1024;
/** The maximum size of a file that is read. */
export const MAX_PDF_BYTES = 2 ** 30;
/** A file up to this size is read as a whole. */
const MAX_WHOLE_BYTES = 2 ** 20;
const PIECE_BYTES = 2 ** 16;
/** The maximum resolution, in pixels per point of the page. */
const MAX_SCALE = 4;
/** The longer side of a page that becomes a picture, in pixels: 170 dpi of a page in A4. */
const PICTURE_SIDE = 2000;
/** A PNG above this size is compared with a WebP. Scans are much smaller as WebP, and texts are not. */
const LARGE_PNG_BYTES = 400 * 2 ** 10;
const QUALITY = 0.9;
/** The time after which a worker that is still busy is terminated. */
const MAX_CLOSING_MS = 1000;

/** @param {Blob} blob @returns {Promise<boolean>} true if it begins like a PDF @throws {DOMException} if it cannot be read */
export async function isPDF(blob) {
  return (await blob.slice(0, HEAD_BYTES).text()).includes('%PDF-');
}

export class PDFFile {
  #worker = startWorker();
  #port;
  #task;
  /** @type {any} */
  #document = null;

  /** @param {any} library @param {object} source the parameters of the library for the content */
  constructor(library, source) {
    this.#port = new library.PDFWorker({ port: this.#worker });
    this.#task = library.getDocument({ ...documentParameters(), ...source, worker: this.#port });
  }

  /**
   * @param {Blob} blob @param {AskPassword} askPassword @param {AbortSignal} signal
   * @returns {Promise<PDFFile>} the caller closes it
   * @throws {LibraryMissingError | Error} if it cannot be read
   */
  static async open(blob, askPassword, signal) {
    const library = await loadLibrary();
    const source = blob.size > MAX_WHOLE_BYTES
      ? { range: rangesOf(library, blob), disableStream: true, disableAutoFetch: true, rangeChunkSize: PIECE_BYTES }
      : { data: new Uint8Array(await blob.arrayBuffer()) };
    signal.throwIfAborted();
    const file = new PDFFile(library, source);
    const task = file.#task;
    try {
      file.#document = await new Promise((resolve, reject) => {
        // An event without a message means that the worker's script could not be loaded.
        file.#worker.addEventListener('error', ({ message }) => {
          reject(message ? new TypeError(message) : new LibraryMissingError());
        });
        signal.addEventListener('abort', () => reject(signal.reason));
        task.onPassword = async (/** @type {(password: string) => void} */ use, /** @type {number} */ reason) => {
          use(await askPassword(reason === library.PasswordResponses.INCORRECT_PASSWORD));
        };
        task.promise.then(resolve, reject);
      });
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  get pageCount() {
    return this.#document.numPages;
  }

  /**
   * Paints a page on a new canvas.
   * @param {number} number from 1 @param {number} side the maximum of its longer side, in pixels @param {AbortSignal} signal
   * @returns {Promise<HTMLCanvasElement>} @throws {Error} if the page is damaged
   */
  async paint(number, side, signal) {
    const page = await this.#document.getPage(number);
    signal.throwIfAborted();
    const { width, height } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: Math.min(MAX_SCALE, side / Math.max(width, height)) });
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.floor(viewport.width));
    canvas.height = Math.max(1, Math.floor(viewport.height));
    const painting = page.render({ canvasContext: canvas.getContext('2d'), viewport });
    const stop = () => painting.cancel();
    signal.addEventListener('abort', stop);
    try {
      await painting.promise;
      return canvas;
    } finally {
      signal.removeEventListener('abort', stop);
      page.cleanup();
    }
  }

  /**
   * @param {number} number of a page @param {AbortSignal} signal
   * @returns {Promise<Blob>} the page as a PNG or a WebP @throws {Error} if the page is damaged
   */
  async picture(number, signal) {
    const canvas = await this.paint(number, PICTURE_SIDE, signal);
    const png = await blobOf(canvas, 'image/png');
    const webp = png.size > LARGE_PNG_BYTES ? await blobOf(canvas, 'image/webp') : png;
    canvas.width = canvas.height = 0;
    return webp.size < png.size ? webp : png;
  }

  /** Removes the fonts of the file from the page, and ends the worker, even if it is busy. */
  async close() {
    // The promises of running work are rejected, but nothing awaits them.
    this.#task.promise.catch(() => {});
    const patience = new Promise((resolve) => setTimeout(resolve, MAX_CLOSING_MS));
    await Promise.race([this.#task.destroy().catch(() => {}), patience]);
    this.#port.destroy();
    this.#worker.terminate();
  }
}

/** @param {HTMLCanvasElement} canvas @param {string} type @returns {Promise<Blob>} a PNG if the browser does not have the type */
function blobOf(canvas, type) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => blob ? resolve(blob) : reject(new TypeError()), type, QUALITY);
  });
}

/** @param {any} library @param {Blob} blob @returns {any} an object by which the library requests parts of the file */
function rangesOf(library, blob) {
  const ranges = new library.PDFDataRangeTransport(blob.size, null);
  ranges.requestDataRange = async (/** @type {number} */ begin, /** @type {number} */ end) => {
    try {
      ranges.onDataRange(begin, new Uint8Array(await blob.slice(begin, end).arrayBuffer()));
    } catch {
      // The file can no longer be read, or its bytes are no longer needed.
    }
  };
  return ranges;
}
