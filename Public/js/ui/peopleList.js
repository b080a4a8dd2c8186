/**
 * The list of the people in the session. It offers the same as the chips at the top, because there is not always room for all
 * chips.
 */

import { textOn } from '../model/palette.js';
import { laterStrings } from '../i18n/later.js';
import { showDialog } from './dialogs.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';
import { face } from './people.js';
import { handText } from './peopleMarks.js';

/**
 * @typedef {import('./people.js').Person} Person
 * @typedef {import('./peopleMarks.js').Marks} Marks
 */

/** The interval of updates of the open list. */
const REFRESH_MS = 5000;

export class PeopleList {
  #parts;
  #list = element('people-list');

  /**
   * @param {object} parts
   * @param {import('./people.js').People} parts.people
   * @param {(person: Person) => Marks} parts.marksOf
   * @param {() => { hand: number, followers: number }} parts.own the position of this person's hand, and the number of followers
   * @param {(person: Person) => void} parts.follow begins or stops following a person
   */
  constructor(parts) {
    this.#parts = parts;
  }

  async open() {
    this.#show();
    const timer = setInterval(() => this.refresh(), REFRESH_MS);
    await showDialog('people-dialog');
    clearInterval(timer);
  }

  /** Updates the list if it is open. */
  refresh() {
    const dialog = /** @type {HTMLDialogElement} */ (element('people-dialog'));
    if (dialog.open) this.#show();
  }

  #show() {
    const { people, own } = this.#parts;
    const focused = [...this.#list.querySelectorAll('button')].findIndex((one) => one === document.activeElement);
    const { name, color, tabs } = people.me;
    const { hand, followers } = own();
    const audience = followers > 0 ? laterStrings.followers(followers) : '';
    const notes = [laterStrings.you, tabs > 1 ? laterStrings.tabs(tabs) : '', audience];
    const others = [...people.others].sort((a, b) => people.rank(a) - people.rank(b));
    const rows = others.map((person) => this.#otherRow(person));
    this.#list.replaceChildren(row({ name, color }, notes, hand, 'here', people.faceOf), ...rows);
    if (focused >= 0) this.#list.querySelectorAll('button')[focused]?.focus();
  }

  /** @param {Person} person */
  #otherRow(person) {
    const { people, marksOf, follow } = this.#parts;
    const { kind, minutes } = people.state(person);
    const { hand, isFollowed, isFollower } = marksOf(person);
    const status = kind === 'idle' ? laterStrings.idleFor(minutes) : laterStrings.presence[kind];
    const tabs = person.numbers.length > 1 ? laterStrings.tabs(person.numbers.length) : '';
    const made = row(
      person,
      [status, tabs, people.placeOf(person), isFollower ? laterStrings.followsYou : ''],
      hand,
      kind,
      people.faceOf,
    );
    const label = laterStrings.followPerson(person.name);
    const button = make('button', { type: 'button', 'aria-pressed': String(isFollowed), 'aria-label': label });
    button.append(isFollowed ? laterStrings.stop : laterStrings.follow);
    button.addEventListener('click', () => {
      /** @type {HTMLDialogElement} */ (element('people-dialog')).close();
      follow(person);
    });
    made.append(button);
    return made;
  }
}

/**
 * @param {{ name: string, color: string }} person @param {string[]} notes @param {number} hand the position of the raised hand;
 *   0: it is not raised
 * @param {string} kind the state @param {import('./people.js').People['faceOf']} faceOf
 */
function row({ name, color }, notes, hand, kind, faceOf) {
  const state = make('small', {}, notes.filter(Boolean).join(' · '));
  const who = make('span', { class: 'who' }, make('span', { class: 'name' }, name), state);
  const made = make('li', { 'data-kind': kind }, face(name, faceOf), who);
  if (hand > 0) made.append(make('span', { class: 'raised', role: 'img', 'aria-label': handText(hand) }, icon('hand')));
  made.style.setProperty('--own', color);
  made.style.setProperty('--on-own', textOn(color));
  return made;
}
