/** Inserts the content that a person drops, picks or pastes: pictures and files, saved drawings, and text. */

import { MAX_PASTED, pastedTexts } from '../model/pastedText.js';
import { seenPoint } from '../model/viewPlace.js';
import { isDrawingFile, isDrawingText } from '../persist/drawingFile.js';
import { newKey } from '../sync/key.js';
import { errorText, strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { toast } from './dialogs.js';
import { DrawingImporter } from './drawingImporter.js';
import { FilePlacer } from './filePlacer.js';
import { askForPages } from './pdfDialog.js';

/**
 * @typedef {object} Parts
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../model/scene.js').Items} items
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ showEverything: () => void }} view
 * @property {{ width: number, height: number }} canvas in pixels
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('./stylePicker.js').StylePicker} stylePicker
 * @property {import('./selectionController.js').SelectionController} selectionController
 * @property {(item: import('../model/item.js').Item | null) => void} chooseItem chooses the select tool, and selects the item
 *   only; null: selects nothing
 * @property {import('./drawingImporter.js').Parts['sheets']} sheets
 * @property {() => [number, number] | null} pointer returns the position of the mouse, in the plane
 * @property {() => Promise<number>} limit returns the maximum bytes of a file
 */

/**
 * The maximum number of PDF files whose pages are offered. If more are added together, all are added as files, because a dialog
 * for each one would be too many.
 */
const MAX_PDFS = 3;

/** Inserts files and pasted text into the current drawing. */
export class ContentInserter {
  #parts;
  #importer;
  #filePlacer;
  /** Fulfilled when the person has chosen the pages of earlier PDF files. */
  #pages = Promise.resolve();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { toolbar, selectionController, chooseItem, canvas } = parts;
    this.#importer = new DrawingImporter({
      ...parts,
      insert: selectionController.insert.bind(selectionController),
      // Selected, so that the person can move it at once.
      choose: (ids) => (toolbar.choose('select'), selectionController.selectTool.select(ids)),
    });
    this.#filePlacer = new FilePlacer({
      ...parts,
      view: canvas,
      // A single item is selected, so that the person can move it at once.
      added: ([first, ...others]) => chooseItem(others.length === 0 ? first : null),
    });
  }

  /**
   * Inserts saved drawings, pictures and other files.
   * @param {File[]} files @param {{ x: number, y: number } | null} at the point of the canvas where they were dropped; null: they
   *   were not dropped
   */
  insertFiles(files, at) {
    for (const file of files.filter(isDrawingFile)) this.#importer.open(file, at);
    const others = files.filter((file) => !isDrawingFile(file));
    const pdfs = others.filter(isNamedPDF);
    const arePaged = pdfs.length > 0 && pdfs.length <= MAX_PDFS;
    const placed = arePaged ? others.filter((file) => !isNamedPDF(file)) : others;
    if (placed.length > 0) this.#filePlacer.add(placed, at);
    if (arePaged) this.#pages = this.#pages.then(() => this.#insertPDFs(pdfs, at));
  }

  /** Inserts the pages that the person chooses. @param {File[]} files @param {{ x: number, y: number } | null} at */
  async #insertPDFs(files, at) {
    for (const file of files) {
      const chosen = await pagesOf(file);
      if (chosen.length > 0) this.#filePlacer.add(chosen, at);
    }
  }

  /** Inserts a pasted text. A long one becomes several texts. @param {string} pasted a saved drawing, or any other text */
  async insertText(pasted) {
    const { drawing, camera, canvas, toolbar, stylePicker, selectionController, pointer } = this.#parts;
    if (isDrawingText(pasted)) {
      const at = seenPoint(camera, canvas, pointer());
      return void this.#importer.open(new File([pasted], strings.asDrawing), at, { isPasted: true });
    }
    const identities = { newId: newKey, z: drawing.nextZ };
    const center = camera.toPlane(canvas.width / 2, canvas.height / 2);
    const { texts, isCut } = pastedTexts(pasted, stylePicker.textStyle, identities, center);
    if (texts.length === 0) return;
    const ids = await selectionController.insert(texts, []);
    toolbar.choose('select');
    selectionController.selectTool.select(ids);
    if (isCut) toast(laterStrings.pastedPart(MAX_PASTED, texts.length));
    else if (texts.length > 1) toast(laterStrings.pastedAs(texts.length));
  }
}

/** @param {File} file @returns {boolean} true if it claims to be a PDF */
function isNamedPDF({ name, type }) {
  return type === 'application/pdf' || /\.pdf$/i.test(name);
}

/** @param {File} file @returns {Promise<File[]>} the chosen pages as pictures, or the file itself; none if the person cancels */
async function pagesOf(file) {
  try {
    return await askForPages(file);
  } catch (error) {
    toast(errorText(error), { title: file.name });
    return [file];
  }
}
