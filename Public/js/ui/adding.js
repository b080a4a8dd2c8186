/** Puts files on the page: too large ones are refused at once, the others lie side by side. */

import { cells, laidInto } from '../canvas/arranging.js';
import { measured, pictureTypeOf } from '../canvas/imageFile.js';
import { CARD } from '../canvas/item.js';
import { tooLargeText } from '../session/byteCount.js';
import { toast } from './notices.js';

/**
 * @typedef {import('../canvas/album.js').Added} Added
 * @typedef {import('../canvas/arranging.js').Cell} Cell
 *
 * @typedef {object} Parts
 * @property {import('../canvas/album.js').Album} album
 * @property {import('../canvas/items.js').Items} items
 * @property {import('../canvas/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => Promise<number>} limit bytes of a file
 */

/** What would lie right upon another is laid so far beside it, in pixels. */
const ASIDE = 32;

export class Adding {
  #parts;
  /** What came before is laid down first: only then is known which places are free. */
  #before = Promise.resolve();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {File[]} files @param {{ x: number, y: number } | null} at of the canvas; null: its middle */
  add(files, at) {
    this.#before = this.#before.then(() => this.#add(files, at));
  }

  /** @param {File[]} files @param {{ x: number, y: number } | null} at */
  async #add(files, at) {
    const { camera, view, limit } = this.#parts;
    const { width, height } = view;
    const { scale } = camera;
    const middle = this.#free(camera.toPlane(at?.x ?? width / 2, at?.y ?? height / 2), ASIDE / scale);
    const most = await limit();
    const taken = files.filter((file) => file.size <= most);
    for (const file of files) {
      if (file.size > most) toast(tooLargeText(file.size, most), { title: file.name, stays: true });
    }
    const types = await Promise.all(taken.map((file) => pictureTypeOf(file).catch(() => null)));
    const least = types.includes(null) ? { width: CARD.width * scale, height: CARD.height * scale } : undefined;
    const places = cells(taken.length, middle, { width, height, scale }, least);
    for (const [index, file] of taken.entries()) await this.#addOne(file, places[index], scale);
  }

  /** @param {[number, number]} place @param {number} aside @returns {[number, number]} it, or the next beside it that is free */
  #free([x, y], aside) {
    const { all } = this.#parts.items;
    while (all.some(({ place }) => Math.hypot(place.x - x, place.y - y) < aside / 2)) [x, y] = [x + aside, y + aside];
    return [x, y];
  }

  /** @param {File} file @param {Cell} cell @param {number} scale */
  async #addOne(file, cell, scale) {
    try {
      const added = await read(file);
      const at = added.natural ? laidInto(added.natural, cell, scale) : { x: cell.x, y: cell.y, ...CARD };
      this.#parts.album.add(added, at);
    } catch {
      toast('This file cannot be read.', { title: file.name, stays: true });
    }
  }
}

/** @param {File} file @returns {Promise<Added>} @throws {DOMException} if it cannot be read */
async function read(file) {
  const { name } = file;
  const type = await pictureTypeOf(file);
  const natural = type ? await measured(file).catch(() => null) : null;
  // What only looks like a picture is a file, to the others too.
  const contentType = natural && type
    ? type
    : type
    ? 'application/octet-stream'
    : file.type || 'application/octet-stream';
  return { blob: file, name, contentType, natural };
}
