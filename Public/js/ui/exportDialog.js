/** The export of the picture: save, copy and print. */

import { ItemPainter } from '../model/item.js';
import { drawingText, writeDrawing } from '../persist/drawingFile.js';
import { zipOf } from '../persist/zipFile.js';
import { embedded, extentOf, isItem, paintAll, rasterOf, scaleFor } from '../render/export/raster.js';
import { svgOf } from '../render/export/svg.js';
import { errorText, strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { showDialog, toast } from './dialogs.js';
import { element, make } from './elements.js';
import { pageColors } from './itemView.js';
import { isBusy } from './keys.js';
import { preparePrinting, print, SHARPNESS } from './printing.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {{ blob: Blob, missing: number }} Copy
 * @typedef {import('../app/sheets.js').SheetOfPage} SheetOfPage
 * @typedef {import('../render/export/raster.js').ExportOptions & { colors: import('../model/item.js').Colors }} Order
 */

/** The time for which the address of a download stays valid: browsers may start the download late. */
const KEPT_MS = 60_000;
/** The maximum number of shapes and items for which a preview is shown. With more, it would take too long. */
const MAX_PREVIEWED = 4000;
/** The colors of cards on a paper other than the page's. */
const ON_WHITE = {
  surface: '#ffffff',
  raised: '#f3f1ec',
  line: '#00000024',
  text: '#1d1d20',
  soft: '#5f5e63',
  accent: '#4453d6',
};
/** The file extensions by format. @type {Record<string, string>} */
const ENDINGS = { png: 'png', svg: 'svg', drawing: 'drawtogether', zip: 'zip' };

/** The export dialog: PNG, SVG, a file that can be imported again, the clipboard, and printing. */
export class ExportDialog {
  #scene;
  #selection;
  #title;
  #sheets;
  #allSheets = make('input', { type: 'checkbox', name: 'sheets', value: 'all' });
  #form = /** @type {HTMLFormElement} */ (element('export'));
  #preview = /** @type {HTMLCanvasElement} */ (element('export-preview'));
  #note = element('export-note');
  #copyButton = element('export-copy');
  /** True if the browser can put a picture on the clipboard. */
  #canCopy = globalThis.ClipboardItem !== undefined && navigator.clipboard?.write !== undefined;
  #lifetime = new AbortController();

  /**
   * @param {import('../model/scene.js').Scene} scene @param {import('../edit/selection.js').Selection} selection
   * @param {() => void} remove removes the selection, to cut it
   * @param {() => string} [title] returns the title of the page; '' if it has none
   * @param {() => SheetOfPage[]} [sheets] returns the sheets of the page, in order
   */
  constructor(scene, selection, remove, title = () => '', sheets = () => []) {
    this.#scene = scene;
    this.#selection = selection;
    this.#title = title;
    this.#sheets = () => sheets().filter(({ content }) => !content.isEmpty);
    const label = make('span', {}, laterStrings.allSheets);
    element('export-only').after(make('label', { id: 'export-sheets', class: 'check' }, this.#allSheets, label));
    for (const type of /** @type {const} */ (['copy', 'cut'])) {
      addEventListener(type, async (event) => await this.#clip(event) && type === 'cut' && remove());
    }
    this.#form.addEventListener('change', () => this.#show());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#make(() => this.#save());
    });
    this.#copyButton.addEventListener('click', () => this.#make(() => this.#copy()));
    element('export-print').addEventListener('click', () => this.#make(() => this.#print()));
    preparePrinting(() => scene.sheet.isEmpty ? null : this.#order('white'));
  }

  async open() {
    // All objects may be on removed sheets.
    const isEmpty = this.#scene.sheet.isEmpty && this.#sheets().length === 0;
    if (isEmpty || element('export-dialog').hasAttribute('open')) return;
    this.#lifetime = new AbortController();
    element('export-only').hidden = this.#selection.size === 0;
    element('export-sheets').hidden = this.#sheets().length < 2 && !this.#scene.sheet.isEmpty;
    // If this sheet is empty, all sheets are the only choice.
    this.#allSheets.checked = this.#scene.sheet.isEmpty;
    this.#allSheets.disabled = this.#scene.sheet.isEmpty;
    const closed = showDialog('export-dialog');
    this.#show();
    await closed;
    this.#lifetime.abort();
  }

  get #format() {
    return this.#value('format');
  }

  /** @param {string} name @returns {string} */
  #value(name) {
    return String(new FormData(this.#form).get(name));
  }

  /** @param {string} [of] the choice of paper and colors */
  #order(of = this.#value('paper')) {
    const page = pageColors();
    const colors = of === 'page' ? page : { ...ON_WHITE, font: page.font };
    const painter = new ItemPainter(colors);
    const paper = { page: getComputedStyle(document.body).backgroundColor, white: '#ffffff' }[of] ?? '';
    const progress = (/** @type {number} */ part) => {
      this.#note.textContent = laterStrings.beingMade(strings.percent(Math.floor(100 * part)));
    };
    const chosen = this.#isOnlyChosen ? this.#chosen : [];
    const { sheet } = this.#scene;
    // The selection or the sheet may have become empty since then; the scene has not.
    const shown = sheet.isEmpty ? this.#sheets()[0]?.content ?? this.#scene : sheet;
    const drawables = chosen.length > 0 ? chosen : [...shown.all];
    return { drawables, paint: painter.paint.bind(painter), colors, paper, signal: this.#lifetime.signal, progress };
  }

  get #isOnlyChosen() {
    return this.#value('only') === 'chosen' && this.#selection.size > 0;
  }

  /** True if the export has all sheets. */
  get #hasAll() {
    return this.#allSheets.checked && !element('export-sheets').hidden && !this.#isOnlyChosen;
  }

  get #chosen() {
    return this.#scene.all.filter(({ id }) => this.#selection.ids.has(id));
  }

  get #scale() {
    return Number(this.#value('scale'));
  }

  #show() {
    const format = this.#format;
    element('export-scale').hidden = format !== 'png';
    element('export-paper').hidden = format === 'drawing';
    this.#copyButton.hidden = format === 'drawing' || !this.#canCopy || this.#hasAll;
    const order = this.#order(format === 'drawing' ? 'page' : undefined);
    this.#note.textContent = format === 'png' ? this.#size(order.drawables) : laterStrings.formats[format];
    if (this.#hasAll) {
      const say = format === 'drawing' ? laterStrings.sheetsInDrawing : laterStrings.sheetsInArchive;
      this.#note.textContent = say(this.#sheets().length);
    }
    this.#preview.hidden = order.drawables.length > MAX_PREVIEWED;
    if (this.#preview.hidden) return;
    const { width, height } = extentOf(order.drawables);
    const { clientWidth, clientHeight } = this.#preview;
    paintAll(
      this.#preview,
      order,
      Math.min(2, devicePixelRatio * Math.min(clientWidth / width, clientHeight / height)),
    );
  }

  /** @param {Drawable[]} drawables */
  #size(drawables) {
    const { width, height } = extentOf(drawables);
    const scale = scaleFor(width, height, this.#scale);
    const size = laterStrings.pixels(Math.ceil(width * scale), Math.ceil(height * scale));
    return scale < this.#scale ? `${size} ${laterStrings.noLarger}` : size;
  }

  /** Runs one task at a time, and then closes the dialog. @param {() => Promise<void>} work */
  async #make(work) {
    const { signal } = this.#lifetime;
    const buttons = this.#form.querySelectorAll('button');
    for (const button of buttons) button.disabled = !button.hasAttribute('data-close');
    this.#form.setAttribute('aria-busy', 'true');
    try {
      await work();
      if (!signal.aborted) /** @type {HTMLDialogElement} */ (element('export-dialog')).close('done');
    } catch (error) {
      if (!signal.aborted) toast(errorText(error));
    }
    this.#form.removeAttribute('aria-busy');
    for (const button of buttons) button.disabled = false;
    if (!signal.aborted) this.#show();
  }

  async #save() {
    const format = this.#format;
    const isArchive = this.#hasAll && format !== 'drawing';
    const { blob, missing } = isArchive ? await this.#archive(format) : await this.#copyAs(format);
    this.#lifetime.signal.throwIfAborted();
    const href = URL.createObjectURL(blob);
    make('a', { href, download: fileName(this.#title(), ENDINGS[isArchive ? 'zip' : format]) }).click();
    setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
    reportMissing(missing);
  }

  /** @param {string} format @returns {Promise<Copy>} */
  async #copyAs(format) {
    const order = this.#order();
    if (format !== 'drawing') return await this.#pictureOf(order, format);
    if (!this.#hasAll) return await writeDrawing(order);
    const sheets = this.#sheets();
    const drawables = sheets.flatMap(({ content }) => [...content.all]);
    return await writeDrawing({ ...order, drawables, sheets });
  }

  /** @param {Order} order @param {string} format @returns {Promise<Copy>} */
  async #pictureOf(order, format) {
    return format === 'svg' ? await svgOf(order, order.colors, embedded) : await rasterOf(order, this.#scale);
  }

  /** Makes a picture of each sheet. @param {string} format @returns {Promise<Copy>} */
  async #archive(format) {
    const files = [];
    let missing = 0;
    // All contents are read first, because a sheet may become empty during the export.
    const all = this.#sheets().map(({ label, content }) => ({ label, drawables: [...content.all] }));
    for (const [at, { label, drawables }] of all.entries()) {
      const copy = await this.#pictureOf({ ...this.#order(), drawables }, format);
      missing += copy.missing;
      files.push({ name: `${at + 1} ${safeName(label)}.${ENDINGS[format]}`, blob: copy.blob });
    }
    return { blob: await zipOf(files), missing };
  }

  /** Copies a picture. Requests the clipboard at once, because browsers allow this only shortly after a click or key. */
  async #copy() {
    const made = rasterOf(this.#order(), this.#scale);
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': made.then(({ blob }) => blob) })]);
    const { missing } = await made;
    toast(laterStrings.pictureCopied);
    reportMissing(missing);
  }

  /**
   * Copies the selection as a drawing, which can be pasted on any page.
   * @param {ClipboardEvent} event @returns {Promise<boolean>} true if it is on the clipboard
   */
  async #clip(event) {
    const drawables = this.#chosen;
    if (drawables.length === 0 || isBusy(event.target)) return false;
    event.preventDefault();
    const shapes = drawables.flatMap((one) => isItem(one) ? [] : one);
    try {
      // Pictures may have to be loaded first. A later write to the clipboard is possible in secure contexts only.
      if (shapes.length === drawables.length) event.clipboardData?.setData('text/plain', drawingText(shapes));
      else {
        const made = writeDrawing({ drawables }).then(({ blob }) => blob.slice(0, blob.size, 'text/plain'));
        await navigator.clipboard.write([new ClipboardItem({ 'text/plain': made })]);
      }
      return true;
    } catch (error) {
      toast(errorText(error));
      return false;
    }
  }

  async #print() {
    const order = this.#order('white');
    const all = this.#hasAll ? this.#sheets().map(({ content }) => [...content.all]) : [order.drawables];
    const pictures = [];
    for (const drawables of all) pictures.push(await rasterOf({ ...order, drawables }, SHARPNESS));
    this.#lifetime.signal.throwIfAborted();
    reportMissing(pictures.reduce((sum, { missing }) => sum + missing, 0));
    await print(pictures.map(({ blob }) => blob));
  }
}

/**
 * @param {string} title of the page; '' if it has none @param {string} ending
 * @returns {string} with the present date, and without characters that file systems refuse
 */
export function fileName(title, ending) {
  const name = safeName(title) || 'Draw Together';
  return `${name} ${new Date().toLocaleDateString('sv')}.${ending}`;
}

/** @param {string} name @returns {string} without characters that file systems refuse */
function safeName(name) {
  return name.replace(/[\\/:*?"<>|]/g, '-').replace(/^[.\s]+/, '');
}

/** The painter and the paper for pictures that are shown in any theme. */
export function onWhitePaper() {
  const painter = new ItemPainter({ ...ON_WHITE, font: pageColors().font });
  return { paint: painter.paint.bind(painter), paper: ON_WHITE.surface };
}

/** @param {number} missing the number of pictures that could not be loaded */
function reportMissing(missing) {
  if (missing > 0) toast(laterStrings.savedWithout(missing));
}
