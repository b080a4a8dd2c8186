/** The import of saved drawings. */

import { CARD } from '../model/item.js';
import { SVG_TYPE } from '../model/pictureTypes.js';
import { boundsOf, DEFAULT_SIDE, fitInto } from '../model/placement.js';
import { boundsOfRotated } from '../model/rotation.js';
import { checkSize, readDrawing } from '../persist/drawingFile.js';
import { offsetBetween } from '../model/sheetOffset.js';
import { sheetOf } from '../model/sheets.js';
import { extentOf } from '../render/export/raster.js';
import { newKey } from '../sync/key.js';
import { errorText } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { readFile, tooLargeMessages } from './filePlacer.js';
import { announce, toast } from './dialogs.js';

/**
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {import('../persist/drawingFile.js').ImportedDrawing} ImportedDrawing
 * @typedef {{ bounds: import('../model/stroke.js').Bounds }} Bounded
 *
 * @typedef {object} Parts
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ showEverything: () => void }} view
 * @property {{ width: number, height: number }} canvas in pixels
 * @property {import('./selectionController.js').SelectionController['insert']} insert
 * @property {(ids: string[]) => void} choose
 * @property {{ readonly current: number, addSheet: (name: string) => number, nameShown: (name: string) => void }} sheets
 *   `addSheet` returns the number of the new sheet; 0: there are too many. `nameShown` names the shown sheet if it has no name
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
   * Imports a saved drawing. On an empty sheet, the objects of a file keep their positions; pasted objects never do.
   * @param {File} file @param {{ x: number, y: number } | null} at a point of the canvas; null: its center
   * @param {{ isPasted?: boolean }} [options]
   */
  async open(file, at, { isPasted = false } = {}) {
    const { camera } = this.#parts;
    // The person may move the page, or go to another sheet, until the file is read.
    const point = at && camera.toPlane(at.x, at.y);
    try {
      checkSize(file);
      const imported = await readDrawing(await file.text(), newKey);
      await this.#insert(imported, point, isPasted);
      if (imported.damaged > 0) toast(laterStrings.openedWithout(imported.damaged), { title: file.name, stays: true });
      else announce(laterStrings.onPage(file.name));
    } catch (error) {
      const text = error instanceof DOMException ? laterStrings.unreadable : errorText(error);
      toast(text, { title: file.name, stays: true });
    }
  }

  /** @param {ImportedDrawing} imported @param {[number, number] | null} point of the plane @param {boolean} isPasted */
  async #insert({ shapes, items, sheets }, point, isPasted) {
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
    const fillsSheet = scene.sheet.isEmpty && !isPasted;
    const all = [...shapes, ...placed.map(({ place }) => ({ bounds: boundsOfPlace(place) }))];
    if (all.length === 0) return;
    const offsetOf = this.#offsets(all, sheets, fillsSheet, point);
    const moved = shapes.map((shape) => {
      const [x, y] = offsetOf(shape.bounds);
      return shape.moved({ factor: 1, x, y });
    });
    for (const { place } of placed) {
      const [x, y] = offsetOf(boundsOfPlace(place));
      [place.x, place.y] = [place.x + x, place.y + y];
    }
    // Above everything on the page, in the order of the file.
    const above = drawing.nextZ;
    const order = [...moved, ...placed.map(({ place }) => place)].sort((one, other) => one.z - other.z);
    order.forEach((one, at) => one.z = above + at);
    const ids = await insert(moved, placed);
    if (fillsSheet) return view.showEverything();
    const here = new Set(scene.sheet.all.map(({ id }) => id));
    choose(ids.filter((id) => here.has(id)));
  }

  /**
   * Returns the offsets of the imported objects. The first sheet with objects is added to the shown one, and each other sheet to a
   * new one.
   * @param {Bounded[]} all @param {ImportedDrawing['sheets']} sheets of the file; empty: it has one
   * @param {boolean} fillsSheet true if the objects keep their positions on the sheet @param {[number, number] | null} point
   * @returns {(bounds: Bounded['bounds']) => [number, number]}
   */
  #offsets(all, sheets, fillsSheet, point) {
    const { current, addSheet, nameShown } = this.#parts.sheets;
    const filled = sheets.filter(({ number }) => all.some(({ bounds }) => sheetOf(bounds) === number));
    const first = filled[0]?.number ?? sheetOf(boundsOfAll(all));
    const others = new Map(
      filled.slice(1).map(({ number, name }) => {
        // Without room for more sheets, all objects are on the shown one.
        return [number, offsetBetween(number, addSheet(name) || current)];
      }),
    );
    if (fillsSheet && filled.length > 0) nameShown(filled[0].name);
    const rest = others.size === 0 ? all : all.filter(({ bounds }) => !others.has(sheetOf(bounds)));
    const offset = fillsSheet ? offsetBetween(first, current) : this.#offsetTo(rest, point);
    return (bounds) => others.get(sheetOf(bounds)) ?? offset;
  }

  /**
   * @param {Bounded[]} all @param {[number, number] | null} point
   * @returns {[number, number]} the offset to the point, or else to the center of the view
   */
  #offsetTo(all, point) {
    const { camera, canvas } = this.#parts;
    const { left, top, width, height } = extentOf(all);
    const [x, y] = point ?? camera.toPlane(canvas.width / 2, canvas.height / 2);
    return [x - left - width / 2, y - top - height / 2];
  }
}

/**
 * @param {import('../edit/itemStore.js').ItemContent} added a picture @param {Size} size in the file
 * @returns {Size} that size; but the natural size for an SVG that an earlier version of the page saved as a card
 */
function shownSize({ contentType, natural }, size) {
  const isCard = size.width === CARD.width && size.height === CARD.height;
  if (contentType !== SVG_TYPE || !isCard || !natural) return size;
  return fitInto(natural, { width: DEFAULT_SIDE, height: DEFAULT_SIDE });
}

/** @param {import('../model/placement.js').Placement} place @returns {Bounded['bounds']} */
function boundsOfPlace(place) {
  return boundsOfRotated(boundsOf(place), place.angle ?? 0);
}

/** @param {Bounded[]} all at least one @returns {Bounded['bounds']} */
function boundsOfAll(all) {
  const { left, top, width, height } = extentOf(all);
  return { left, top, right: left + width, bottom: top + height };
}
