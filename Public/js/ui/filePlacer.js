/** Adds pictures and files to the page. */

import { gridCells, offsetToFreeSpace, placeInCell } from '../edit/autoLayout.js';
import { measureImage, pictureTypeOf } from '../model/imageFile.js';
import { CARD } from '../model/item.js';
import { boundsOf } from '../model/placement.js';
import { byteCount, sizesApart } from '../i18n/format.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { toast } from './dialogs.js';

/**
 * @typedef {import('../edit/itemStore.js').ItemContent} ItemContent
 * @typedef {{ x: number, y: number, width: number, height: number }} Frame
 *
 * @typedef {object} Parts
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../model/scene.js').Items} items
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => Promise<number>} limit returns the maximum bytes of a file
 * @property {(items: import('../model/item.js').Item[]) => void} added called with the added items
 */

/** The offset of an item that would cover another one exactly, in pixels. */
const ASIDE = 32;
/** The search for free space, in pixels: the distance of tried positions, the gap to other items, and the height of the bars. */
const STEP = 16;
const GAP = 12;
const BAR_HEIGHT = 80;

/** Places files on the page: refuses those that are too large, and places the others side by side. */
export class FilePlacer {
  #parts;
  /** Fulfilled when earlier files are placed, because the free space is unknown until then. */
  #before = Promise.resolve();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * @param {File[]} files
   * @param {{ x: number, y: number } | null} at a point of the canvas; null: free space in the view, or else the center
   */
  add(files, at) {
    this.#before = this.#before.then(() => this.#add(files, at));
  }

  /** @param {File[]} files @param {{ x: number, y: number } | null} at */
  async #add(files, at) {
    const { itemStore, camera, view, limit, added } = this.#parts;
    const most = await limit();
    const fitting = files.filter(({ size }) => size <= most);
    const results = await Promise.all(fitting.map((file) => readFile(file).catch(() => null)));
    const contents = results.filter((one) => one !== null);
    const unread = fitting.filter((_, at) => results[at] === null).map(({ name }) => name);
    for (const { text, title } of [...tooLargeMessages(files, most), ...unreadableMessages(unread)]) {
      toast(text, { title, stays: true });
    }
    const { width, height } = view;
    const { scale } = camera;
    const middle = camera.toPlane(at?.x ?? width / 2, at?.y ?? height / 2);
    const hasCards = contents.some(({ natural }) => !natural);
    const least = hasCards ? { width: CARD.width * scale, height: CARD.height * scale } : undefined;
    const frames = gridCells(contents.length, middle, { width, height, scale }, least).map((cell, index) => {
      const { natural } = contents[index];
      return natural ? placeInCell(natural, cell, scale) : { x: cell.x, y: cell.y, ...CARD };
    });
    const [dx, dy] = at === null && this.#offsetToFreeSpace(frames) || this.#offsetToUncovered(frames);
    const items = itemStore.addAll(
      frames.map((one, at) => ({ added: contents[at], at: { ...one, x: one.x + dx, y: one.y + dy } })),
    );
    if (items.length > 0) added(items);
  }

  /**
   * @param {Frame[]} frames @returns {[number, number] | null} the offset at which they are in view and cover nothing; null: none
   */
  #offsetToFreeSpace(frames) {
    const { items, camera, view } = this.#parts;
    if (frames.length === 0) return null;
    const { scale } = camera;
    const [gap, bars] = [GAP / scale, BAR_HEIGHT / scale];
    const taken = items.all.map(({ bounds: { left, top, right, bottom } }) => ({
      left: left - gap,
      top: top - gap,
      right: right + gap,
      bottom: bottom + gap,
    }));
    const { left, top, right, bottom } = camera.seen(view.width, view.height);
    const seen = { left: left + gap, top: top + bars, right: right - gap, bottom: bottom - bars };
    return offsetToFreeSpace(frames.map(boundsOf), taken, seen, STEP / scale);
  }

  /** @param {Frame[]} frames @returns {[number, number]} an offset at which none covers another item exactly */
  #offsetToUncovered(frames) {
    const { items, camera } = this.#parts;
    const aside = ASIDE / camera.scale;
    const isUpon = (/** @type {number} */ by) =>
      frames.some(({ x, y }) =>
        items.all.some(({ place }) => Math.hypot(place.x - x - by, place.y - y - by) < aside / 2)
      );
    let by = 0;
    while (isUpon(by)) by += aside;
    return [by, by];
  }
}

/** @param {File} file @returns {Promise<ItemContent>} @throws {DOMException} if it cannot be read */
export async function readFile(file) {
  const { name } = file;
  const type = await pictureTypeOf(file);
  const natural = type ? await measureImage(file).catch(() => null) : null;
  // A damaged picture is sent as a plain file, so that the other participants also see it as a file.
  const contentType = natural && type
    ? type
    : type
    ? 'application/octet-stream'
    : file.type || 'application/octet-stream';
  return { blob: file, name, contentType, natural };
}

/** The maximum number of messages that name a file each. For more files, one message has their number. */
const MAX_NAMED = 3;

/**
 * @param {{ name: string, size: number }[]} files @param {number} limit bytes
 * @returns {{ title?: string, text: string }[]} messages about files that are too large
 */
export function tooLargeMessages(files, limit) {
  const tooLarge = files.filter(({ size }) => size > limit);
  if (tooLarge.length <= MAX_NAMED) {
    return tooLarge.map(({ name, size }) => ({
      title: name,
      text: strings.tooLarge(...sizesApart(size, limit, strings)),
    }));
  }
  return [{ text: laterStrings.filesTooLarge(tooLarge.length, byteCount(limit, strings)) }];
}

/** @param {string[]} names @returns {{ title?: string, text: string }[]} messages about unreadable files */
export function unreadableMessages(names) {
  if (names.length <= MAX_NAMED) return names.map((title) => ({ title, text: laterStrings.unreadable }));
  return [{ text: laterStrings.filesUnreadable(names.length) }];
}
