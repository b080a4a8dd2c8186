/** The people in the session: round chips as faces. Their list is in `peopleList.js`. */

import { facesOf } from '../model/faces.js';
import { textOn } from '../model/palette.js';
import { identity, peopleAmong } from '../protocol/presence.js';
import { strings } from '../i18n/i18n.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../protocol/presence.js').Presence} Presence
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {Participant & { numbers: number[] }} Person
 */

/** The maximum number of chips of other people; and the maximum on a narrow screen. */
const SHOWN_CHIPS = 4;
const SHOWN_CHIPS_NARROW = 1;
/**
 * The priority of states: a person with several tabs has the first of their states.
 * @type {readonly import('../protocol/presence.js').State['kind'][]}
 */
const LIVELIEST = ['drawing', 'here', 'idle', 'away'];

/**
 * Events: `rename`; `person` (detail: the person whose chip was pressed); `list` (the chip that stands for the others was
 * pressed); `shown` (the chips have changed).
 */
export class People extends EventTarget {
  #list = element('people');
  #presence;
  /** @type {Map<number, HTMLElement>} */
  #chips = new Map();
  /** @type {Person[]} */
  #others = [];
  /** The order of the chips: those with a lower number come first. @type {(person: Person) => number} */
  rank = () => 0;
  /** Returns the name of the sheet that a person sees; '' if this page shows the same sheet. @type {(person: Person) => string} */
  placeOf = () => '';
  /** Called after a participant drew something. @type {(number: number) => void} */
  drew = () => {};
  /** @type {{ name: string, color: string }} */
  #me = { name: '', color: '#888888' };
  #myTabs = 1;
  /** Returns the letters on a person's face. */
  faceOf = facesOf([]);
  #participants = /** @type {Participant[]} */ ([]);
  #isConnected = true;
  #narrow = matchMedia('(max-width: 560px)');

  /** @param {Presence} presence */
  constructor(presence) {
    super();
    this.#presence = presence;
    presence.addEventListener('change', () => this.#refresh());
    this.#narrow.addEventListener('change', () => this.reorder());
    element('rename').addEventListener('click', () => {
      /** @type {HTMLDialogElement} */ (element('people-dialog')).close();
      this.dispatchEvent(new Event('rename'));
    });
  }

  /** @returns {readonly Person[]} all other people */
  get others() {
    return this.#others;
  }

  /** This person, with the number of tabs. */
  get me() {
    return { ...this.#me, tabs: this.#myTabs };
  }

  /** @param {number} number of a participant @returns {HTMLElement | undefined} the person's chip, if there is room for it */
  chip(number) {
    return this.#chips.get(number);
  }

  /** Shows the people again, because their order has changed. */
  reorder() {
    this.show(this.#me, this.#participants, this.#isConnected);
  }

  /**
   * @param {{ name: string, color: string }} me
   * @param {Participant[]} participants the others, including this person's other tabs
   * @param {boolean} isConnected
   */
  show(me, participants, isConnected) {
    const isMine = (/** @type {Participant} */ one) => identity(one) === identity(me);
    this.#me = me;
    this.#participants = participants;
    this.#myTabs = 1 + participants.filter(isMine).length;
    this.#others = peopleAmong(participants.filter((one) => !isMine(one)));
    this.#isConnected = isConnected;
    const focused = [...this.#chips].find(([, one]) => one === document.activeElement)?.[0] ?? 0;
    this.#chips.clear();
    this.faceOf = facesOf([me, ...this.#others].map(({ name }) => name));
    const mine = chip(me, strings.youAre(me.name), this.faceOf);
    mine.classList.add('me');
    mine.addEventListener('click', () => this.dispatchEvent(new Event('rename')));
    const room = this.#narrow.matches ? SHOWN_CHIPS_NARROW : SHOWN_CHIPS;
    const others = [...this.#others].sort((a, b) => this.rank(a) - this.rank(b));
    const rest = others.length > room + 1 ? others.slice(0, room) : others;
    const chips = rest.map((one) => this.#otherChip(one));
    if (rest.length < others.length) chips.push(this.#restChip(others.length - rest.length));
    this.#list.replaceChildren(...[...chips, mine].map((one) => make('li', {}, one)));
    this.#list.toggleAttribute('data-away', !isConnected);
    this.#chips.get(focused)?.focus();
    this.#refresh();
  }

  /** @param {Person} person */
  #otherChip(person) {
    const made = chip(person, person.name, this.faceOf);
    made.addEventListener('click', () => this.dispatchEvent(new CustomEvent('person', { detail: person })));
    for (const number of person.numbers) this.#chips.set(number, made);
    made.dataset.numbers = person.numbers.join();
    return made;
  }

  /** @param {number} count */
  #restChip(count) {
    const made = make('button', {
      type: 'button',
      class: 'chip',
      'data-rest': '',
      'aria-label': strings.morePeople(count),
    });
    made.append(make('span', { 'data-pair': '' }, `+${strings.number(count)}`));
    made.addEventListener('click', () => this.dispatchEvent(new Event('list')));
    return made;
  }

  /** @param {Person} person @returns {import('../protocol/presence.js').State} the liveliest state of the person's tabs */
  state({ numbers }) {
    const states = numbers.map((number) => this.#presence.of(number));
    return states.sort((a, b) => LIVELIEST.indexOf(a.kind) - LIVELIEST.indexOf(b.kind))[0];
  }

  /** Updates the states of all people. */
  #refresh() {
    for (const person of this.#others) {
      this.chip(person.numbers[0])?.toggleAttribute('data-away', this.state(person).kind === 'away');
    }
    this.dispatchEvent(new Event('shown'));
  }
}

/**
 * @param {{ name: string, color: string }} person @param {string} label
 * @param {ReturnType<typeof facesOf>} faceOf
 */
function chip({ name, color }, label, faceOf) {
  const made = make('button', { type: 'button', class: 'chip', 'aria-label': label, title: name });
  made.style.setProperty('--own', color);
  made.style.setProperty('--on-own', textOn(color));
  made.append(face(name, faceOf));
  return made;
}

/** @param {string} name @param {ReturnType<typeof facesOf>} faceOf */
export function face(name, faceOf) {
  const { letters, isPair } = faceOf(name);
  return make('span', { class: 'face', 'aria-hidden': 'true', ...isPair && { 'data-pair': '' } }, letters);
}
