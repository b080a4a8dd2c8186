/** The dialog “Sheets”: chooses a sheet; and names, orders, removes and restores them. */

import { cleanSheetName, MAX_SHEET_NAME_LENGTH } from '../model/sheets.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { showDialog } from './dialogs.js';
import { make, makeSVG } from './elements.js';
import { icon } from './icons.js';

/**
 * @typedef {object} Parts
 * @property {import('../protocol/sheetSync.js').Sheets} sheets
 * @property {import('./sheetView.js').SheetView} view
 * @property {import('./sheetPeople.js').SheetPeople} people
 * @property {import('../edit/sheetCommands.js').SheetCommands} commands
 * @property {() => void} add adds a sheet and shows it
 * @property {(number: number) => Promise<void>} remove
 * @property {(number: number) => void} restore
 * @property {() => boolean} isEnded returns true if the session has ended
 */

const ID = 'sheets-dialog';
const UP = 'M12 19V5.5M6.5 11L12 5.5l5.5 5.5';
const DOWN = 'M12 5v13.5M6.5 13l5.5 5.5 5.5-5.5';

export class SheetsDialog {
  #parts;
  #heading = make('h2', { id: 'sheets-title', tabindex: '-1', autofocus: '' }, laterStrings.sheets);
  #rows = make('ol', { id: 'sheets-list', class: 'list', 'aria-labelledby': 'sheets-title' });
  #removedTitle = make('h3', { id: 'removed-sheets' }, laterStrings.removedSheets);
  #removed = make('ul', { class: 'list', 'aria-labelledby': 'removed-sheets' });
  #edit = make('button', { type: 'button', id: 'edit-sheets' });
  #add = make('button', { type: 'button' }, laterStrings.addSheet);
  #dialog;
  #isEditing = false;
  /** Applies the name that was typed last. @type {() => void} */
  #rename = () => {};

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#dialog = this.#build();
    document.body.append(this.#dialog);
  }

  /** @param {number} [number] a sheet to edit */
  async open(number = 0) {
    if (this.#dialog.open) return;
    this.#isEditing = number > 0;
    this.#fill();
    const closed = showDialog(ID);
    const field = this.#rows.querySelector(`[data-number="${number}"] input`);
    if (field instanceof HTMLInputElement) field.select();
    await closed;
    this.#rename();
    this.#rows.replaceChildren();
    this.#removed.replaceChildren();
  }

  /** Applies a change of the sheets, unless this person is typing a name. */
  show() {
    if (this.#dialog.open && !this.#rows.contains(document.activeElement)) this.#fill();
  }

  /** @returns {HTMLDialogElement} */
  #build() {
    this.#edit.addEventListener('click', () => {
      this.#isEditing = !this.#isEditing;
      this.#fill();
    });
    this.#add.addEventListener('click', () => {
      this.#dialog.close('');
      this.#parts.add();
    });
    const done = make('button', { class: 'primary', value: 'close' }, strings.done);
    const actions = make('div', { class: 'actions' }, this.#edit, this.#add, done);
    const form = make(
      'form',
      { method: 'dialog' },
      this.#heading,
      this.#rows,
      this.#removedTitle,
      this.#removed,
      actions,
    );
    // Enter in a field would close the dialog.
    form.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      this.#rename();
    });
    return make('dialog', { id: ID, 'aria-labelledby': 'sheets-title' }, form);
  }

  #fill() {
    const { sheets, view, people, isEnded } = this.#parts;
    const { bySheet } = people;
    if (isEnded()) this.#isEditing = false;
    const removed = this.#isEditing ? sheets.removed : [];
    this.#rows.replaceChildren(
      ...view.list.map((number) =>
        this.#isEditing ? this.#editRow(number) : this.#row(number, bySheet.get(number) ?? [])
      ),
    );
    this.#removed.replaceChildren(...removed.map((number) => this.#removedRow(number)));
    this.#removedTitle.hidden = this.#removed.hidden = removed.length === 0;
    this.#edit.hidden = this.#add.hidden = isEnded();
    this.#edit.textContent = this.#isEditing ? laterStrings.editedSheets : laterStrings.editSheets;
  }

  /** @param {number} number @param {{ name: string }[]} there the others who see it */
  #row(number, there) {
    const { view, people } = this.#parts;
    const names = there.map(({ name }) => name);
    const button = make('button', { type: 'button', class: 'sheet-row' }, make('b', {}, people.nameOf(number)));
    if (names.length > 0) button.append(make('small', {}, strings.names(names)));
    if (number === view.current) button.setAttribute('aria-current', 'true');
    button.addEventListener('click', () => {
      this.#dialog.close('');
      view.go(number);
    });
    return make('li', {}, button);
  }

  /** @param {number} number */
  #editRow(number) {
    const { sheets, view: { list }, people, commands } = this.#parts;
    const at = list.indexOf(number);
    const name = people.nameOf(number);
    let before = sheets.find(number)?.name ?? '';
    const field = make('input', {
      type: 'text',
      maxlength: String(MAX_SHEET_NAME_LENGTH),
      dir: 'auto',
      placeholder: laterStrings.sheet(at + 1),
      'aria-label': laterStrings.nameOfSheet(name),
      spellcheck: 'false',
      enterkeyhint: 'done',
    });
    field.value = before;
    const rename = () => {
      // An unchanged field must not overwrite a name that another participant has typed since then.
      if (field.value === before) return;
      before = field.value;
      commands.rename(number, cleanSheetName(field.value));
    };
    field.addEventListener('input', () => (this.#rename = rename));
    field.addEventListener('change', rename);
    const move = (/** @type {number} */ to, /** @type {string} */ path, /** @type {string} */ label) => {
      const made = iconButton(label, arrow(path), () => {
        commands.move(number, to);
        this.#refill(number, to < at ? 0 : 1);
      });
      made.disabled = to < 0 || to >= list.length;
      return made;
    };
    const remove = iconButton(laterStrings.removeSheet(name), icon('remove'), async () => {
      await this.#parts.remove(number);
      this.#refill(list[at + 1] ?? list[at - 1], 2);
    });
    remove.disabled = list.length < 2;
    const up = move(at - 1, UP, laterStrings.sheetUp(name));
    const down = move(at + 1, DOWN, laterStrings.sheetDown(name));
    return make('li', { 'data-number': String(number) }, field, up, down, remove);
  }

  /** @param {number} number */
  #removedRow(number) {
    const name = this.#parts.people.nameOf(number);
    const label = laterStrings.restoreSheetOf(name);
    const button = make('button', { type: 'button', 'aria-label': label }, laterStrings.restoreSheet);
    button.addEventListener('click', () => {
      this.#parts.restore(number);
      this.#refill(number, 2);
    });
    return make('li', {}, make('span', { class: 'name' }, name), button);
  }

  /**
   * Shows the rows again, after the sheets have reported their change.
   * @param {number} number the sheet whose row gets the focus @param {number} at the button in it
   */
  #refill(number, at) {
    queueMicrotask(() => {
      if (!this.#dialog.open) return;
      this.#fill();
      const row = this.#rows.querySelector(`[data-number="${number}"]`);
      const buttons = [...row?.querySelectorAll('button') ?? []];
      (buttons[at]?.disabled === false ? buttons[at] : buttons.find(({ disabled }) => !disabled) ?? this.#heading)
        .focus();
    });
  }
}

/** @param {string} path @returns {SVGElement} */
function arrow(path) {
  return makeSVG('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, makeSVG('path', { d: path }));
}

/** @param {string} label @param {Node} picture @param {() => void} done */
function iconButton(label, picture, done) {
  const button = make('button', { type: 'button', class: 'small', 'aria-label': label, title: label });
  button.append(picture);
  button.addEventListener('click', done);
  return button;
}
