/** The import of saved drawings. */

import { CARD } from '../model/item.js';
import { SVG_TYPE } from '../model/pictureTypes.js';
import { boundsOf, DEFAULT_SIDE, fitInto } from '../model/placement.js';
import { boundsOfRotated } from '../model/rotation.js';
import { checkSize, readDrawing } from '../persist/drawingFile.js';
import { extentOf } from '../render/export/raster.js';
import { newKey } from '../sync/key.js';
import { errorText } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { readFile, tooLargeMessages } from './filePlacer.js';
import { announce, toast } from './dialogs.js';

/**
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {import('../persist/drawingFile.js').ImportedDrawing} ImportedDrawing
 *
 * @typedef {object} Parts
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ showEverything: () => void }} view
 * @property {{ width: number, height: number }} canvas in pixels
 * @property {import('./selectionController.js').SelectionController['insert']} insert
 * @property {(ids: string[]) => void} choose
 * @property {() => Promise<number>} limit returns the maximum bytes of a file
 */

/** Imports a saved drawing into the current one. Its shapes and items become this person's own. */
export class DrawingImporter {
  #parts;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * @param {File} file @param {{ x: number, y: number } | null} at where on the canvas it was dropped; null: it was not dropped
   */
  async open(file, at) {
    try {
      checkSize(file);
      const imported = await readDrawing(await file.text(), newKey);
      await this.#insert(imported, at);
      if (imported.damaged > 0) toast(laterStrings.openedWithout(imported.damaged), { title: file.name, stays: true });
      else announce(laterStrings.onPage(file.name));
    } catch (error) {
      const text = error instanceof DOMException ? laterStrings.unreadable : errorText(error);
      toast(text, { title: file.name, stays: true });
    }
  }

  /** @param {ImportedDrawing} imported @param {{ x: number, y: number } | null} at */
  async #insert({ shapes, items }, at) {
    const { scene, drawing, view, insert, choose, limit } = this.#parts;
    const most = await limit();
    const files = items.map(({ name, contentType, bytes }) => new File([bytes], name, { type: contentType }));
    for (const { text, title } of tooLargeMessages(files.filter(({ size }) => size > most), most)) {
      toast(text, { title, stays: true });
    }
    const contents = await Promise.all(files.map((file) => file.size > most ? null : readFile(file)));
    const placed = items.flatMap(({ id, placement: { x, y, width, height, z, angle, isLocked } }, at) => {
      const added = contents[at];
      if (!added) return [];
      const size = added.natural && width && height ? shownSize(added, { width, height }) : CARD;
      const turned = added.natural && angle ? { angle } : {};
      return [{ added, id, place: { x, y, z: z ?? 0, isLocked, ...size, ...turned } }];
    });
    const wasEmpty = scene.isEmpty;
    const all = [
      ...shapes,
      ...placed.map(({ place }) => ({ bounds: boundsOfRotated(boundsOf(place), place.angle ?? 0) })),
    ];
    if (all.length === 0) return;
    const [x, y] = wasEmpty ? [0, 0] : this.#offsetTo(all, at);
    const moved = shapes.map((shape) => shape.moved({ factor: 1, x, y }));
    for (const { place } of placed) [place.x, place.y] = [place.x + x, place.y + y];
    // Above everything on the page, in the order of the file.
    const above = drawing.nextZ;
    const order = [...moved, ...placed.map(({ place }) => place)].sort((one, other) => one.z - other.z);
    order.forEach((one, at) => one.z = above + at);
    const ids = await insert(moved, placed);
    if (wasEmpty) view.showEverything();
    else choose(ids);
  }

  /**
   * @param {{ bounds: import('../model/stroke.js').Bounds }[]} all @param {{ x: number, y: number } | null} at
   * @returns {[number, number]} the offset to the point, or else to the center of the view
   */
  #offsetTo(all, at) {
    const { camera, canvas } = this.#parts;
    const { left, top, width, height } = extentOf(all);
    const [x, y] = camera.toPlane(at?.x ?? canvas.width / 2, at?.y ?? canvas.height / 2);
    return [x - left - width / 2, y - top - height / 2];
  }
}

/**
 * @param {import('../edit/itemStore.js').ItemContent} added a picture @param {Size} size in the file
 * @returns {Size} that size. An earlier version of the page saved an SVG as a card, so this gets its own size.
 */
function shownSize({ contentType, natural }, size) {
  const isCard = size.width === CARD.width && size.height === CARD.height;
  if (contentType !== SVG_TYPE || !isCard || !natural) return size;
  return fitInto(natural, { width: DEFAULT_SIDE, height: DEFAULT_SIDE });
}
