/** The dialog “My pages”: the title of the shown page, and the list of all pages on this device. */

import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { confirmed, showDialog } from './dialogs.js';
import { make } from './elements.js';
import { icon } from './icons.js';

/**
 * @typedef {import('../persist/pageList.js').Page} Page
 *
 * @typedef {object} Parts
 * @property {Pick<import('../persist/pageList.js').PageList, 'all' | 'remove' | 'canOpen'>} list
 * @property {import('../protocol/titleSync.js').Title} title of the shown page
 * @property {() => string | null} shown returns the id of the shown page
 * @property {(page: Page) => string} addressOf returns the address that opens a page
 * @property {() => Promise<void>} record stores the record of the shown page
 * @property {() => void} newPage
 */

const ID = 'pages-dialog';
/** The minimum number of pages for a search field. */
const MIN_SEARCHED = 8;
/** The maximum number of names in a row. */
const MAX_NAMES = 3;

export class PagesDialog {
  #parts;
  #heading = make('h2', { id: 'pages-title', tabindex: '-1', autofocus: '' }, strings.myPages);
  #title = make('input', { type: 'text', dir: 'auto', spellcheck: 'false', enterkeyhint: 'done' });
  #search = make('input', {
    type: 'search',
    dir: 'auto',
    'aria-label': laterStrings.searchPages,
    placeholder: laterStrings.searchPages,
  });
  #note = make('p', { class: 'note', role: 'status' });
  #rows = make('ul', { id: 'pages-list', class: 'list', 'aria-labelledby': 'pages-title' });
  #removeAll = make('button', { type: 'button', id: 'remove-pages' }, laterStrings.removeAllPages);
  #dialog;
  /** @type {Page[]} */
  #pages = [];
  /** The addresses of the shown thumbnails. @type {string[]} */
  #urls = [];
  /** The title in the field before the person changed it. */
  #titleBefore = '';

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#title.maxLength = parts.title.maxLength;
    this.#dialog = this.#build();
    document.body.append(this.#dialog);
    parts.title.addEventListener('change', () => this.#dialog.open && this.#titleChanged());
  }

  async open() {
    if (this.#dialog.open) return;
    const recording = this.#parts.record();
    this.#pages = await this.#parts.list.all();
    if (this.#dialog.open) return;
    this.#fillTitle();
    this.#search.value = '';
    this.#search.hidden = this.#pages.length < MIN_SEARCHED;
    this.#show();
    const closed = showDialog(ID);
    recording.then(() => this.#dialog.open ? this.#reload() : undefined);
    await closed;
    this.#rename();
    this.#release();
    this.#rows.replaceChildren();
  }

  /** @returns {HTMLDialogElement} */
  #build() {
    const newPage = make('button', { type: 'button' }, strings.newPage);
    newPage.addEventListener('click', () => {
      this.#dialog.close('');
      this.#parts.newPage();
    });
    this.#removeAll.addEventListener('click', () => this.#removeOthers());
    this.#title.addEventListener('change', () => this.#rename());
    this.#search.addEventListener('input', () => this.#show());
    this.#rows.addEventListener('keydown', (event) => this.#key(event));
    const form = make(
      'form',
      { method: 'dialog' },
      this.#heading,
      make('label', { class: 'field' }, make('span', {}, laterStrings.pageTitle), this.#title),
      this.#search,
      this.#note,
      this.#rows,
      make(
        'div',
        { class: 'actions' },
        this.#removeAll,
        newPage,
        make('button', { class: 'primary', value: 'close' }, strings.done),
      ),
    );
    // Enter in a field would close the dialog.
    form.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      this.#rename();
    });
    return make('dialog', { id: ID, 'aria-labelledby': 'pages-title' }, form);
  }

  #fillTitle() {
    this.#title.value = this.#titleBefore = this.#parts.title.text;
  }

  #rename() {
    const { value } = this.#title;
    // An unchanged field must not overwrite a title that another participant has typed since then.
    if (value === this.#titleBefore) return;
    this.#parts.title.set(value);
    this.#fillTitle();
    this.#parts.record();
  }

  /** Shows the present title, which another participant may have changed. */
  #titleChanged() {
    const { text } = this.#parts.title;
    if (this.#title.value === this.#titleBefore) this.#fillTitle();
    for (const page of this.#pages) if (page.id === this.#parts.shown()) page.title = text;
    const shown = this.#rows.querySelector('[aria-current] b');
    if (shown) shown.textContent = text || laterStrings.untitled;
  }

  /** Reads the list again, unless the person is using it. */
  async #reload() {
    const pages = await this.#parts.list.all();
    if (!this.#dialog.open || this.#rows.contains(document.activeElement)) return;
    this.#pages = pages;
    this.#show();
  }

  #show() {
    this.#release();
    const words = this.#search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const found = this.#pages.filter(({ title, people }) => {
      const text = [title || laterStrings.untitled, ...people].join(' ').toLocaleLowerCase();
      return words.every((word) => text.includes(word));
    });
    this.#rows.replaceChildren(...found.map((page) => this.#row(page)));
    // The button is hidden during a search, because it would remove pages that are not shown.
    this.#removeAll.hidden = words.length > 0 || !this.#pages.some(({ id }) => id !== this.#parts.shown());
    this.#note.textContent = words.length > 0 ? laterStrings.pagesFound(found.length) : laterStrings.pagesHere;
  }

  /** @param {Page} page */
  #row(page) {
    const isShown = page.id === this.#parts.shown();
    const name = page.title || laterStrings.untitled;
    const link = make(
      'a',
      { class: 'page', href: this.#parts.addressOf(page) },
      this.#picture(page),
      make('span', {}, make('b', {}, name), make('small', {}, notesOf(page, isShown))),
    );
    if (isShown) link.setAttribute('aria-current', 'page');
    link.addEventListener('click', (event) => {
      // With these modifier keys, the browser opens another tab.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (isShown) this.#dialog.close('');
      else this.#open(page);
    });
    const row = make('li', {}, link);
    if (!isShown) row.append(this.#removeButton(page, name));
    return row;
  }

  /** @param {Page} page */
  #picture({ thumbnail }) {
    if (!thumbnail) return make('span', { class: 'thumbnail' });
    const src = URL.createObjectURL(thumbnail);
    this.#urls.push(src);
    return make('img', { class: 'thumbnail', src, alt: '' });
  }

  /** @param {Page} page @param {string} name */
  #removeButton(page, name) {
    const button = make('button', { type: 'button', class: 'small', 'aria-label': laterStrings.removePage(name) });
    button.append(icon('remove'));
    button.addEventListener('click', () => this.#remove(page, name));
    return button;
  }

  /** @param {Page} page */
  async #open(page) {
    if (await this.#parts.list.canOpen(page)) location.assign(this.#parts.addressOf(page));
    else this.#note.textContent = laterStrings.openElsewhere;
  }

  /** @param {Page} page @param {string} name */
  async #remove(page, name) {
    const text = mayBeLost(page) ? laterStrings.removeLastCopy : laterStrings.removeEntry;
    if (!await confirmed({ title: strings.removeQuestion(name), text, action: strings.remove })) return;
    const at = [...this.#rows.children].findIndex((row) => row.contains(document.activeElement));
    if (!await this.#parts.list.remove(page)) {
      this.#note.textContent = laterStrings.openElsewhere;
      return;
    }
    this.#pages = this.#pages.filter(({ id }) => id !== page.id);
    this.#show();
    const links = this.#links;
    (links[Math.min(at, links.length - 1)] ?? this.#heading).focus();
  }

  async #removeOthers() {
    const others = this.#pages.filter(({ id }) => id !== this.#parts.shown());
    const lost = others.filter(mayBeLost).length;
    const title = laterStrings.removePages(others.length);
    const text = lost > 0 ? laterStrings.removeLastCopies(lost) : laterStrings.removeEntry;
    if (!await confirmed({ title, text, action: strings.remove })) return;
    let areAllRemoved = true;
    for (const page of others) areAllRemoved = await this.#parts.list.remove(page) && areAllRemoved;
    this.#pages = await this.#parts.list.all();
    this.#show();
    if (!areAllRemoved) this.#note.textContent = laterStrings.someOpenElsewhere;
    this.#heading.focus();
  }

  /** @returns {HTMLElement[]} */
  get #links() {
    return [...this.#rows.querySelectorAll('a')];
  }

  /** Moves the focus among the pages, or removes one. @param {KeyboardEvent} event */
  #key(event) {
    const links = this.#links;
    const row = event.target instanceof Element ? event.target.closest('li') : null;
    const at = links.findIndex((link) => row?.contains(link));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (event.key === 'Delete') row?.querySelector('button')?.click();
    else if (to === undefined || !links[to]) return;
    else links[to].focus();
    event.preventDefault();
  }

  #release() {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
  }
}

/** @param {Page} page @returns {boolean} true if its link may not open it again after the removal */
function mayBeLost({ isOnlyHere, isUnsent, isEnded }) {
  return isOnlyHere || isUnsent || isEnded;
}

/** @param {Page} page @param {boolean} isShown @returns {string} */
function notesOf({ people, at, isEnded, isOnlyHere, isUnsent }, isShown) {
  const shown = people.slice(0, people.length > MAX_NAMES + 1 ? MAX_NAMES : undefined);
  const rest = people.length > shown.length ? [strings.morePeople(people.length - shown.length)] : [];
  const state = isEnded ? laterStrings.pageEnded : isOnlyHere ? laterStrings.onlyHere : '';
  return [
    isShown ? laterStrings.shownPage : '',
    people.length > 0 ? laterStrings.withPeople(strings.names([...shown, ...rest])) : '',
    laterStrings.moment(at, Date.now()),
    state,
    isUnsent ? laterStrings.unsent : '',
  ].filter(Boolean).join(' · ');
}
