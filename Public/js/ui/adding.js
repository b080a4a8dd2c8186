/** Puts files on the page: too large ones are refused at once, the others lie side by side. */

import { cells, laidInto, wayToFree } from '../canvas/arranging.js';
import { measured, pictureTypeOf } from '../canvas/imageFile.js';
import { CARD } from '../canvas/item.js';
import { boundsOf } from '../canvas/placement.js';
import { tooLargeWords, unreadableWords } from './itemWords.js';
import { toast } from './dialogs.js';

/**
 * @typedef {import('../canvas/album.js').Added} Added
 * @typedef {{ x: number, y: number, width: number, height: number }} Laid
 *
 * @typedef {object} Parts
 * @property {import('../canvas/album.js').Album} album
 * @property {import('../canvas/scene.js').Items} items
 * @property {import('../canvas/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => Promise<number>} limit bytes of a file
 * @property {(items: import('../canvas/item.js').Item[]) => void} added they are on the page
 */

/** What would lie right upon another is laid so far beside it, in pixels. */
const ASIDE = 32;
/** A free place is looked for at so many pixels from each other, so far from what is there, and below and above the bars. */
const STEP = 16;
const GAP = 12;
const BARS = 80;

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
    const { album, camera, view, limit, added } = this.#parts;
    const most = await limit();
    const fitting = files.filter(({ size }) => size <= most);
    const tried = await Promise.all(fitting.map((file) => read(file).catch(() => null)));
    const taken = tried.filter((one) => one !== null);
    const unread = fitting.filter((_, at) => tried[at] === null).map(({ name }) => name);
    for (const { text, title } of [...tooLargeWords(files, most), ...unreadableWords(unread)]) {
      toast(text, { title, stays: true });
    }
    const { width, height } = view;
    const { scale } = camera;
    const middle = camera.toPlane(at?.x ?? width / 2, at?.y ?? height / 2);
    const hasCards = taken.some(({ natural }) => !natural);
    const least = hasCards ? { width: CARD.width * scale, height: CARD.height * scale } : undefined;
    const laid = cells(taken.length, middle, { width, height, scale }, least).map((cell, index) => {
      const { natural } = taken[index];
      return natural ? laidInto(natural, cell, scale) : { x: cell.x, y: cell.y, ...CARD };
    });
    const [dx, dy] = at === null && this.#wayToFree(laid) || this.#aside(laid);
    const items = album.addAll(
      laid.map((one, at) => ({ added: taken[at], at: { ...one, x: one.x + dx, y: one.y + dy } })),
    );
    if (items.length > 0) added(items);
  }

  /** @param {Laid[]} laid @returns {[number, number] | null} to where they cover nothing, within what is seen between the bars */
  #wayToFree(laid) {
    const { items, camera, view } = this.#parts;
    if (laid.length === 0) return null;
    const { scale } = camera;
    const [gap, bars] = [GAP / scale, BARS / scale];
    const taken = items.all.map(({ bounds: { left, top, right, bottom } }) => ({
      left: left - gap,
      top: top - gap,
      right: right + gap,
      bottom: bottom + gap,
    }));
    const { left, top, right, bottom } = camera.seen(view.width, view.height);
    const seen = { left: left + gap, top: top + bars, right: right - gap, bottom: bottom - bars };
    return wayToFree(laid.map(boundsOf), taken, seen, STEP / scale);
  }

  /** @param {Laid[]} laid @returns {[number, number]} to where none lies right upon another */
  #aside(laid) {
    const { items, camera } = this.#parts;
    const aside = ASIDE / camera.scale;
    const isUpon = (/** @type {number} */ by) =>
      laid.some(({ x, y }) =>
        items.all.some(({ place }) => Math.hypot(place.x - x - by, place.y - y - by) < aside / 2)
      );
    let by = 0;
    while (isUpon(by)) by += aside;
    return [by, by];
  }
}

/** @param {File} file @returns {Promise<Added>} @throws {DOMException} if it cannot be read */
export async function read(file) {
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
