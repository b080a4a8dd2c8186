/** The list of objects: every object of the page in words, to select, show and remove it without seeing it. */

import { groupsOf } from '../model/objectGroups.js';
import { overlap } from '../model/stroke.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { showDialog } from './dialogs.js';
import { make } from './elements.js';
import { ObjectRow } from './objectRow.js';

/**
 * @typedef {import('../model/objectGroups.js').ObjectGroup} ObjectGroup
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {{ group: ObjectGroup, key: string, isSelected: boolean, readonly name: string }} Entry `key`: the id of its first
 *   object
 *
 * @typedef {object} Parts
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../edit/selection.js').Selection} selection
 * @property {() => Bounds} view returns the visible part of the plane
 * @property {(group: ObjectGroup) => string} nameOf returns the name of a group
 * @property {(group: ObjectGroup) => void} choose selects a group and shows it
 * @property {(group: ObjectGroup) => Promise<void>} remove removes a group for everybody; may ask first
 * @property {() => boolean} isEnded returns true if the session has ended, so nothing can be removed
 */

const ID = 'objects-dialog';
/** The number of rows at first, and the number that each press on “Show more” adds. */
const ROWS = 40;
/** The minimum number of entries for a search field. */
const MIN_SEARCHED = 12;
/**
 * The minimum delay between a change of the page and the update of the list, in milliseconds, and as a multiple of the duration
 * of the last update.
 */
const UPDATE_MS = 1000;
const UPDATE_PAUSE_FACTOR = 10;
/** The minimum interval of announcements that the list has changed. */
const ANNOUNCE_MS = 10_000;

export class ObjectsDialog {
  #parts;
  #heading = make('h2', { id: 'objects-title', tabindex: '-1', autofocus: '' }, laterStrings.objects);
  #search = make('input', {
    type: 'search',
    dir: 'auto',
    'aria-label': laterStrings.searchObjects,
    placeholder: laterStrings.searchPages,
    spellcheck: 'false',
  });
  #count = make('p', { class: 'note' });
  #status = make('p', { class: 'hidden-text', role: 'status' });
  #list = make('ul', { id: 'objects-list', class: 'list', 'aria-labelledby': 'objects-title' });
  #more = make('button', { type: 'button', id: 'more-objects' });
  #dialog;
  /** @type {Entry[]} */
  #entries = [];
  /** @type {Map<string, ObjectRow>} the shown rows, by the keys of their entries */
  #rows = new Map();
  #limit = ROWS;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #updating;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #announcing;
  #announced = '';
  /** The duration of the last update, in milliseconds. */
  #updateMs = 0;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#dialog = this.#build();
    document.body.append(this.#dialog);
    const changed = () => this.#changed();
    parts.scene.observe({ shown: changed, changed, hidden: changed });
  }

  /** Shows the list until the person closes it or selects an object. */
  async open() {
    if (document.querySelector('dialog[open]')) return;
    this.#limit = ROWS;
    this.#search.value = '';
    this.#update();
    this.#search.hidden = this.#entries.length < MIN_SEARCHED;
    const closed = showDialog(ID);
    const selected = this.#entries.findIndex(({ key, isSelected }) => isSelected && this.#rows.has(key));
    this.#focusAt(Math.max(0, selected));
    this.#say(this.#count.textContent ?? '');
    await closed;
    // The list may have been opened again before its `close` event.
    if (!this.#dialog.open) this.#clear();
  }

  /** Closes the list and selects an object at once, without waiting for the `close` event. @param {string} key of an entry */
  #choose(key) {
    const chosen = this.#entries.find((entry) => entry.key === key);
    this.#dialog.close();
    if (chosen) this.#parts.choose(chosen.group);
  }

  #clear() {
    clearTimeout(this.#updating);
    clearTimeout(this.#announcing);
    this.#updating = this.#announcing = undefined;
    this.#entries = [];
    this.#rows.clear();
    this.#list.replaceChildren();
    this.#status.textContent = '';
  }

  /** @returns {HTMLDialogElement} */
  #build() {
    this.#search.addEventListener('input', () => {
      this.#limit = ROWS;
      this.#update();
    });
    this.#list.addEventListener('keydown', (event) => this.#key(event));
    this.#list.addEventListener('focusin', ({ target }) => this.#makeCurrent(/** @type {Node} */ (target)));
    this.#more.addEventListener('click', () => {
      const first = this.#rows.size;
      this.#limit += ROWS;
      this.#update();
      this.#shownRows[first]?.focus();
    });
    const help = make('p', { class: 'note', id: 'objects-help' }, laterStrings.objectsHelp);
    const done = make('button', { class: 'primary', value: 'close' }, strings.done);
    const actions = make('div', { class: 'actions' }, this.#more, done);
    const form = make(
      'form',
      { method: 'dialog' },
      this.#heading,
      help,
      this.#search,
      this.#list,
      this.#count,
      this.#status,
      actions,
    );
    // Enter in the field would close the dialog.
    this.#search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') event.preventDefault();
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      this.#shownRows[0]?.focus();
    });
    return make('dialog', { id: ID, 'aria-labelledby': 'objects-title', 'aria-describedby': 'objects-help' }, form);
  }

  /** Updates the list after a change of the page, with a delay because others may be drawing. */
  #changed() {
    if (!this.#dialog.open) return;
    this.#updating ??= setTimeout(() => {
      this.#updating = undefined;
      this.#update();
      this.#announcing ??= setTimeout(() => {
        this.#announcing = undefined;
        this.#say(this.#count.textContent ?? '');
      }, ANNOUNCE_MS);
    }, Math.max(UPDATE_MS, UPDATE_PAUSE_FACTOR * this.#updateMs));
  }

  /** Announces a text, unless it is the last one that was announced. @param {string} text */
  #say(text) {
    if (text === this.#announced) return;
    this.#announced = text;
    this.#status.textContent = text;
  }

  /** Reads the objects again, and shows as many of them as before. */
  #update() {
    const begin = performance.now();
    const all = this.#read();
    this.#entries = withWords(all, this.#search.value);
    const shown = this.#entries.slice(0, this.#limit);
    this.#showRows(shown);
    const rest = this.#entries.length - shown.length;
    this.#more.hidden = rest === 0;
    this.#more.textContent = laterStrings.moreObjects(rest);
    this.#count.textContent = all.length === 0
      ? laterStrings.noObjects
      : laterStrings.objectsListed(this.#entries.length);
    this.#updateMs = performance.now() - begin;
  }

  /** @returns {Entry[]} first those in view, and the topmost first among them */
  #read() {
    const { scene, selection, view, nameOf } = this.#parts;
    const seen = view();
    const groups = groupsOf(scene.sheet.all).reverse();
    const isSeen = (/** @type {ObjectGroup} */ { bounds }) => overlap(bounds, seen);
    return [...groups.filter(isSeen), ...groups.filter((group) => !isSeen(group))].map((group) => ({
      group,
      key: group.members[0].id,
      // Names are computed on demand, because most entries of a very long list are not shown.
      get name() {
        return nameOf(group);
      },
      isSelected: group.members.every(({ id }) => selection.has(id)),
    }));
  }

  /**
   * Shows these entries. The row with the focus stays in place, so that a screen reader does not read it again.
   * @param {Entry[]} entries
   */
  #showRows(entries) {
    const focused = this.#shownRows.findIndex(({ hasFocus }) => hasFocus);
    const focusedKey = this.#shownRows[focused]?.key;
    /** @type {Map<string, ObjectRow>} */
    const rows = new Map();
    for (const entry of entries) {
      const row = this.#rows.get(entry.key) ?? new ObjectRow(entry.key, {
        choose: () => this.#choose(entry.key),
        remove: () => this.#remove(entry.key),
      });
      row.show(entry, !this.#parts.isEnded() && !isLocked(entry));
      rows.set(entry.key, row);
    }
    this.#rows = rows;
    const [first] = rows.values();
    if (first && !this.#shownRows.some(({ isCurrent }) => isCurrent)) first.isCurrent = true;
    const elements = this.#shownRows.map((row) => row.element);
    const kept = rows.get(focusedKey ?? '')?.element;
    if (kept) {
      const at = elements.indexOf(kept);
      for (const child of [...this.#list.children]) if (child !== kept) child.remove();
      kept.before(...elements.slice(0, at));
      kept.after(...elements.slice(at + 1));
      return;
    }
    this.#list.replaceChildren(...elements);
    if (focused < 0) return;
    this.#say(laterStrings.objectGone);
    this.#focusAt(focused);
  }

  /** @returns {ObjectRow[]} in order */
  get #shownRows() {
    return [...this.#rows.values()];
  }

  /** @param {number} index of a row, or of the one after the last */
  #focusAt(index) {
    const rows = this.#shownRows;
    const row = rows[Math.min(index, rows.length - 1)];
    if (row) row.focus();
    else this.#heading.focus();
  }

  /** The tab key reaches only the row that had the focus last. @param {Node} target */
  #makeCurrent(target) {
    for (const row of this.#rows.values()) row.isCurrent = row.element.contains(target);
  }

  /** @param {KeyboardEvent} event in the list */
  #key(event) {
    const rows = this.#shownRows;
    const at = rows.findIndex(({ hasFocus }) => hasFocus);
    const { key } = event;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[key];
    if (/^(?:Delete|Backspace)$/.test(key) && rows[at]) this.#remove(rows[at].key);
    else if (key === 'ArrowDown' && to === rows.length && !this.#more.hidden) this.#more.focus();
    else if (to === undefined || !rows[to]) return;
    else rows[to].focus();
    event.preventDefault();
  }

  /** @param {string} key of an entry */
  async #remove(key) {
    const entry = this.#entries.find((one) => one.key === key);
    if (!entry || this.#parts.isEnded()) return;
    if (isLocked(entry)) return this.#say(laterStrings.lockedStays);
    const at = this.#shownRows.findIndex((row) => row.key === key);
    await this.#parts.remove(entry.group);
    if (!this.#dialog.open) return;
    // The focus moves to the next row first, because the row with the focus would stay in place.
    this.#heading.focus();
    this.#update();
    const isGone = !this.#entries.some((one) => one.key === key);
    if (isGone) this.#say(strings.thingsRemoved(entry.group.members.length));
    this.#focusAt(at);
  }
}

/** @param {Entry} entry @returns {boolean} true if nobody can select or remove its objects */
function isLocked({ group: { members } }) {
  return members[0].isLocked;
}

/** @param {Entry[]} entries @param {string} wanted words @returns {Entry[]} those whose names have all the words */
function withWords(entries, wanted) {
  const words = wanted.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ name }) => {
    const text = name.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}
