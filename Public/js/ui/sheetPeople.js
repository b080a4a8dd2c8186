/** The names of the sheets, and the people on them. */

import { identity, peopleAmong } from '../protocol/presence.js';
import { laterStrings } from '../i18n/later.js';

/**
 * @typedef {import('../sync/participants.js').Participant & { numbers: number[] }} Person
 *
 * @typedef {object} Parts
 * @property {import('../protocol/sheetSync.js').Sheets} sheets
 * @property {{ readonly list: readonly number[], readonly current: number }} view
 * @property {Pick<import('../app/sharing.js').Sharing, 'session'>} sharing
 * @property {Pick<import('../protocol/presence.js').Presence, 'of'>} presence
 * @property {{ name: string, color: string }} profile of this person
 */

export class SheetPeople {
  #parts;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {number} number @returns {string} the name of a sheet, or else its position */
  nameOf(number) {
    const { sheets, view } = this.#parts;
    const at = view.list.indexOf(number);
    return sheets.find(number)?.name || laterStrings.sheet(at < 0 ? number : at + 1);
  }

  /** @param {{ numbers: number[] }} person @returns {number} the sheet that the person sees, in the first tab that is not hidden */
  sheetOf({ numbers }) {
    const states = numbers.map((number) => this.#parts.presence.of(number));
    const { sheet } = states.find(({ kind }) => kind !== 'away') ?? states[0];
    return this.#parts.view.list.includes(sheet) ? sheet : this.#parts.view.list[0];
  }

  /** @returns {Person[]} all other people */
  get others() {
    const { sharing, profile } = this.#parts;
    const active = sharing.session?.activeParticipants ?? [];
    // In a session, this person's color is the one that the gateway gave.
    const me = sharing.session?.localParticipant ?? profile;
    return peopleAmong(active.filter((one) => identity(one) !== identity(me)));
  }

  /** The others by the number of the sheet that they see. @returns {Map<number, Person[]>} */
  get bySheet() {
    /** @type {Map<number, Person[]>} */
    const people = new Map();
    for (const person of this.others) {
      const sheet = this.sheetOf(person);
      const there = people.get(sheet);
      if (there) there.push(person);
      else people.set(sheet, [person]);
    }
    return people;
  }

  /** @param {number} number of a sheet @returns {Person[]} the others who see it */
  on(number) {
    return this.bySheet.get(number) ?? [];
  }

  /**
   * @param {number} number @param {Person[]} [people] the others who see it
   * @returns {string} the name of a sheet, with those of the people on it
   */
  labelOf(number, people = this.on(number)) {
    const name = this.nameOf(number);
    return people.length > 0 ? laterStrings.sheetWith(name, people.map(({ name }) => name)) : name;
  }

  /** @param {{ numbers: number[] }} person @returns {string} the sheet that the person sees; '' if it is the shown one */
  placeOf(person) {
    const sheet = this.sheetOf(person);
    return sheet === this.#parts.view.current ? '' : laterStrings.onSheet(this.nameOf(sheet));
  }

  /**
   * Marks the faces of people who see another sheet than this person.
   * @param {HTMLElement} faces the list of people @returns {boolean} true if a mark has changed
   */
  mark(faces) {
    const { view } = this.#parts;
    const { others } = this;
    let isChanged = false;
    for (const chip of /** @type {NodeListOf<HTMLElement>} */ (faces.querySelectorAll('[data-numbers]'))) {
      const numbers = String(chip.dataset.numbers).split(',').map(Number);
      const person = others.find((one) => one.numbers.includes(numbers[0]));
      if (!person) continue;
      const sheet = this.sheetOf(person);
      const mark = sheet === view.current ? undefined : String(view.list.indexOf(sheet) + 1);
      if (chip.dataset.sheet === mark) continue;
      isChanged = true;
      if (mark) chip.dataset.sheet = mark;
      else delete chip.dataset.sheet;
    }
    return isChanged;
  }
}
