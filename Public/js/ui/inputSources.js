/** What comes in: files that are dropped on the page, pasted or picked, words that are pasted, and drawings that are imported. */

import { CARD } from '../model/item.js';
import { boundsOf } from '../model/placement.js';
import { checkSize, readDrawing } from '../persist/drawingFile.js';
import { extentOf } from '../render/export/raster.js';
import { newKey } from '../sync/key.js';
import { errorWords, words } from '../i18n/i18n.js';
import { readFile, tooLargeMessages } from './filePlacer.js';
import { announce, toast } from './dialogs.js';
import { element } from './elements.js';
import { isBusy } from './keys.js';

/** @typedef {(files: File[], at: { x: number, y: number } | null) => void} FilesHandler `at`: where on the screen they were dropped */

/** The sources of files and text: drag and drop, the clipboard, and the file picker. */
export class InputSources {
  #onFiles;
  #drop = element('drop');
  #input = /** @type {HTMLInputElement} */ (element('files'));

  #onText;
  #isDisabled;

  /** @param {FilesHandler} onFiles @param {(text: string) => void} onText what was pasted @param {() => boolean} isDisabled whether nothing is taken */
  constructor(onFiles, onText, isDisabled) {
    this.#onFiles = onFiles;
    this.#onText = onText;
    this.#isDisabled = isDisabled;
    // All over the page: a file that is dropped beside the canvas must not replace the page.
    for (const event of ['dragenter', 'dragover', 'dragleave', 'drop']) {
      addEventListener(event, (drag) => this.#drag(/** @type {DragEvent} */ (drag)));
    }
    // While something is dragged there are no such events: a drag that ended unheard shows by them.
    addEventListener('pointermove', () => this.#drop.removeAttribute('data-over'));
    addEventListener('paste', (event) => this.#paste(event));
    element('add').addEventListener('click', () => this.pick());
    this.#input.addEventListener('change', () => {
      this.#onFiles([...this.#input.files ?? []], null);
      // Else the same file could not be picked again.
      this.#input.value = '';
    });
  }

  pick() {
    this.#input.click();
  }

  /** @param {DragEvent} event */
  #drag(event) {
    const { type, dataTransfer, relatedTarget } = event;
    // It leaves the page when it goes to no other element of it. What it carried is not said any more then.
    if (type === 'dragleave') return void (relatedTarget === null && this.#drop.removeAttribute('data-over'));
    if (!dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    dataTransfer.dropEffect = this.#isDisabled() ? 'none' : 'copy';
    if (this.#isDisabled()) return;
    this.#drop.toggleAttribute('data-over', type !== 'drop');
    if (type !== 'drop') return;
    const files = withoutFolders(dataTransfer);
    if (files.length > 0) this.#onFiles(files, { x: event.clientX, y: event.clientY });
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    if (this.#isDisabled() || isBusy(event.target)) return;
    const files = [...event.clipboardData?.files ?? []];
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (files.length + text.length === 0) return;
    event.preventDefault();
    if (files.length > 0) this.#onFiles(files, null);
    else this.#onText(text);
  }
}

/** A folder looks like a file that cannot be read. @param {DataTransfer} data @returns {File[]} */
function withoutFolders({ items, files }) {
  const folders = [...items].filter(({ kind }) => kind === 'file').map((item) =>
    item.webkitGetAsEntry?.()?.isDirectory
  );
  return [...files].filter((_, at) => !folders[at]);
}

/**
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
 * @property {() => Promise<number>} limit bytes of a file
 */

/** Imports a saved drawing into the current one. Its shapes and items become this person's own. */
export class DrawingImporter {
  #parts;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {File} file @param {{ x: number, y: number } | null} at where on the canvas it was dropped; null: nowhere */
  async open(file, at) {
    try {
      checkSize(file);
      const imported = await readDrawing(await file.text(), newKey);
      await this.#insert(imported, at);
      if (imported.damaged > 0) toast(words.openedWithout(imported.damaged), { title: file.name, stays: true });
      else announce(words.onPage(file.name));
    } catch (error) {
      const text = error instanceof DOMException ? words.unreadable : errorWords(error);
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
    const tried = await Promise.all(files.map((file) => file.size > most ? null : readFile(file)));
    const laid = items.flatMap(({ placement: { x, y, width, height, z } }, at) => {
      const added = tried[at];
      if (!added) return [];
      const size = added.natural && width && height ? { width, height } : CARD;
      return [{ added, place: { x, y, z: z ?? 0, ...size } }];
    });
    const wasEmpty = scene.isEmpty;
    const all = [...shapes, ...laid.map(({ place }) => ({ bounds: boundsOf(place) }))];
    if (all.length === 0) return;
    const [x, y] = wasEmpty ? [0, 0] : this.#offsetTo(all, at);
    const moved = shapes.map((shape) => shape.moved({ factor: 1, x, y }));
    for (const { place } of laid) [place.x, place.y] = [place.x + x, place.y + y];
    // Above all that is here, in the order that they have.
    const above = drawing.nextZ;
    const order = [...moved, ...laid.map(({ place }) => place)].sort((one, other) => one.z - other.z);
    order.forEach((one, at) => one.z = above + at);
    const ids = insert(moved, laid);
    if (wasEmpty) view.showEverything();
    else choose(ids);
  }

  /** @param {{ bounds: import('../model/stroke.js').Bounds }[]} all @param {{ x: number, y: number } | null} at @returns {[number, number]} to there */
  #offsetTo(all, at) {
    const { camera, canvas } = this.#parts;
    const { left, top, width, height } = extentOf(all);
    const [x, y] = camera.toPlane(at?.x ?? canvas.width / 2, at?.y ?? canvas.height / 2);
    return [x - left - width / 2, y - top - height / 2];
  }
}
