/** The dialog that a PDF opens: some of its pages become pictures, and the PDF itself becomes a file if the person wants it. */

import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { LibraryMissingError, loadLibrary } from '../render/pdf/library.js';
import { isPDF, MAX_PDF_BYTES, PDFFile } from '../render/pdf/pdfFile.js';
import { showDialog, toast } from './dialogs.js';
import { make } from './elements.js';
import { MAX_LISTED_PAGES, PDFPageGrid } from './pdfPageGrid.js';

/** The maximum number of pages that are added at a time. */
const MAX_PAGES = 100;
/** The time to wait for the answer of a server without the library. After that, the dialog shows that the PDF is being opened. */
const PATIENCE_MS = 300;

/** True after the page has explained that the server does not have the library. */
let isExplained = false;

/**
 * @param {File} file that claims to be a PDF
 * @returns {Promise<File[]>} the chosen pages as pictures, or the file itself; none if the person cancels
 */
export async function askForPages(file) {
  if (file.size > MAX_PDF_BYTES || !await isPDF(file).catch(() => false)) return [file];
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  const isMissing = await Promise.race([loadLibrary().then(() => false, () => true), patience]);
  if (!isMissing) return await new PDFDialog(file).ask();
  explainMissing(file.name);
  return [file];
}

/** Says that a PDF is only a file here, once for each visit. @param {string} name */
function explainMissing(name) {
  if (!isExplained) toast(laterStrings.pdf.notHere, { title: name });
  isExplained = true;
}

class PDFDialog {
  #file;
  /** @type {PDFFile | null} */
  #pdf = null;
  /** @type {PDFPageGrid | null} */
  #grid = null;
  #lifetime = new AbortController();
  /** The files to add, when the dialog closes. @type {File[]} */
  #files = [];
  /** @type {(password: string) => void} */
  #usePassword = () => {};
  #note = make('p', { class: 'note', role: 'status' }, laterStrings.pdf.opening);
  #password = make('input', {
    type: 'password',
    dir: 'auto',
    'aria-label': laterStrings.pdf.password,
    autocomplete: 'off',
    hidden: '',
  });
  #asFile = make('input', { type: 'checkbox' });
  #check = make('label', { class: 'check', hidden: '' }, this.#asFile, make('span', {}, laterStrings.pdf.asFile));
  #all = make('button', { type: 'button', hidden: '' }, laterStrings.pdf.all);
  #cancel = make('button', { type: 'button', 'data-close': '' }, strings.cancel);
  #add = make('button', { class: 'primary', hidden: '' }, laterStrings.pdf.add);
  #form = make('form', { method: 'dialog' });
  #dialog = make('dialog', { id: 'pdf-dialog', class: 'pdf', 'aria-labelledby': 'pdf-title' }, this.#form);

  /** @param {File} file */
  constructor(file) {
    this.#file = file;
    const actions = make('div', { class: 'actions' }, this.#all, this.#cancel, this.#add);
    const title = make('h2', { id: 'pdf-title' }, file.name);
    this.#form.append(title, this.#note, this.#password, this.#check, actions);
    this.#asFile.addEventListener('change', () => this.#chosen());
    this.#all.addEventListener('click', () => this.#grid?.chooseAll(!this.#grid.isAllChosen));
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#grid) this.#addPages(this.#grid.chosen);
      else this.#usePassword(this.#password.value);
    });
  }

  /** @returns {Promise<File[]>} */
  async ask() {
    document.body.append(this.#dialog);
    const closed = showDialog(this.#dialog.id);
    this.#open();
    const answer = await closed;
    this.#lifetime.abort();
    this.#grid?.stop();
    this.#pdf?.close();
    this.#dialog.remove();
    return answer === 'add' ? this.#files : [];
  }

  async #open() {
    const { signal } = this.#lifetime;
    try {
      this.#pdf = await PDFFile.open(this.#file, this.#askPassword.bind(this), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LibraryMissingError) explainMissing(this.#file.name);
      else toast(laterStrings.pdf.unreadable, { title: this.#file.name, stays: true });
      return this.#close([this.#file]);
    }
    // The person may have closed the dialog while the PDF was opened.
    if (signal.aborted) return void this.#pdf.close();
    const { pageCount } = this.#pdf;
    this.#grid = new PDFPageGrid(pageCount, this.#pdf.paint.bind(this.#pdf), () => this.#chosen());
    this.#note.after(this.#grid.element);
    this.#password.hidden = true;
    this.#add.textContent = laterStrings.pdf.add;
    this.#check.hidden = this.#add.hidden = false;
    this.#all.hidden = pageCount === 1;
    this.#chosen();
    this.#grid.focus();
  }

  /** @param {boolean} isWrong @returns {Promise<string>} */
  #askPassword(isWrong) {
    this.#note.textContent = isWrong ? laterStrings.pdf.wrongPassword : laterStrings.pdf.locked;
    this.#password.hidden = this.#add.hidden = false;
    this.#add.textContent = laterStrings.pdf.open;
    this.#password.select();
    return new Promise((resolve) => this.#usePassword = resolve);
  }

  /** Shows the number of chosen pages. */
  #chosen() {
    if (!this.#grid || this.#grid.element.inert) return;
    const count = this.#grid.chosen.length;
    const pageCount = this.#pdf?.pageCount ?? 0;
    this.#add.disabled = count > MAX_PAGES || (count === 0 && !this.#asFile.checked);
    this.#all.textContent = this.#grid.isAllChosen ? laterStrings.pdf.none : laterStrings.pdf.all;
    this.#note.textContent = count > MAX_PAGES
      ? laterStrings.pdf.tooMany(MAX_PAGES)
      : count > 0
      ? laterStrings.pdf.chosen(count)
      : pageCount > MAX_LISTED_PAGES
      ? laterStrings.pdf.onlyFirst(MAX_LISTED_PAGES)
      : laterStrings.pdf.choose;
  }

  /** @param {number[]} numbers of the pages */
  async #addPages(numbers) {
    const { signal } = this.#lifetime;
    const pdf = /** @type {PDFFile} */ (this.#pdf);
    this.#form.setAttribute('aria-busy', 'true');
    for (const control of [this.#add, this.#all, this.#asFile]) control.disabled = true;
    this.#grid?.element.toggleAttribute('inert', true);
    this.#cancel.focus();
    const name = this.#file.name.replace(/\.pdf$/i, '');
    /** @type {File[]} */
    const files = [];
    for (const [at, number] of numbers.entries()) {
      this.#note.textContent = laterStrings.pdf.adding(at + 1, numbers.length);
      const blob = await pdf.picture(number, signal).catch(() => null);
      if (signal.aborted) return;
      if (blob) files.push(new File([blob], laterStrings.pdf.picture(name, number), { type: blob.type }));
      else toast(laterStrings.pdf.damagedPage(number), { title: this.#file.name });
    }
    this.#close(this.#asFile.checked ? [...files, this.#file] : files);
  }

  /** @param {File[]} files to add */
  #close(files) {
    this.#files = files;
    this.#dialog.close('add');
  }
}
