/** The people in the session: round chips as faces, and the list that the chips open. */

import { facesOf } from '../model/faces.js';
import { textOn } from '../model/palette.js';
import { identity, peopleAmong } from '../protocol/presence.js';
import { strings } from '../i18n/i18n.js';
import { showDialog } from './dialogs.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../protocol/presence.js').Presence} Presence
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {Participant & { numbers: number[] }} Person
 */

/** The maximum number of chips of other people; and the maximum on a narrow screen. */
const SHOWN_CHIPS = 4;
const SHOWN_CHIPS_NARROW = 1;
const DRAWING_MS = 900;
/** The interval of updates of the open list. */
const REFRESH_MS = 5000;
/**
 * The priority of states: a person with several tabs has the first of their states.
 * @type {readonly import('../protocol/presence.js').State['kind'][]}
 */
const LIVELIEST = ['drawing', 'here', 'idle', 'away'];

/** Event: `rename`. */
export class People extends EventTarget {
  #list = element('people');
  #presence;
  /** @type {Map<number, HTMLElement>} */
  #chips = new Map();
  /** @type {Map<number, ReturnType<typeof setTimeout>>} */
  #drawing = new Map();
  /** @type {Person[]} */
  #others = [];
  /** @type {{ name: string, color: string }} */
  #me = { name: '', color: '#888888' };
  #myTabs = 1;
  #face = facesOf([]);
  #participants = /** @type {Participant[]} */ ([]);
  #isConnected = true;
  #narrow = matchMedia('(max-width: 560px)');

  /** @param {Presence} presence */
  constructor(presence) {
    super();
    this.#presence = presence;
    presence.addEventListener('change', () => this.#refresh());
    this.#narrow.addEventListener('change', () => this.show(this.#me, this.#participants, this.#isConnected));
    element('rename').addEventListener('click', () => {
      /** @type {HTMLDialogElement} */ (element('people-dialog')).close();
      this.dispatchEvent(new Event('rename'));
    });
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
    this.#chips.clear();
    this.#face = facesOf([me, ...this.#others].map(({ name }) => name));
    const mine = chip(me, strings.youAre(me.name), this.#face);
    mine.classList.add('me');
    mine.addEventListener('click', () => this.dispatchEvent(new Event('rename')));
    const room = this.#narrow.matches ? SHOWN_CHIPS_NARROW : SHOWN_CHIPS;
    const others = this.#others;
    const rest = others.length > room + 1 ? others.slice(0, room) : others;
    const chips = rest.map((one) => this.#otherChip(one));
    if (rest.length < others.length) chips.push(this.#restChip(others.length - rest.length));
    this.#list.replaceChildren(...[...chips, mine].map((one) => make('li', {}, one)));
    this.#list.toggleAttribute('data-away', !isConnected);
    this.#refresh();
  }

  /** @param {number} number of a participant who is drawing now */
  drew(number) {
    const shown = this.#chips.get(number);
    shown?.toggleAttribute('data-drawing', true);
    clearTimeout(this.#drawing.get(number));
    this.#drawing.set(number, setTimeout(() => this.#chips.get(number)?.removeAttribute('data-drawing'), DRAWING_MS));
  }

  /** @param {Person} person */
  #otherChip(person) {
    const made = chip(person, person.name, this.#face);
    made.addEventListener('click', () => this.#open());
    for (const number of person.numbers) this.#chips.set(number, made);
    return made;
  }

  /** @param {number} count */
  #restChip(count) {
    const made = make('button', { type: 'button', class: 'chip', 'aria-label': strings.morePeople(count) });
    made.append(make('span', { 'data-pair': '' }, `+${strings.number(count)}`));
    made.addEventListener('click', () => this.#open());
    return made;
  }

  async #open() {
    const timer = setInterval(() => this.#refresh(), REFRESH_MS);
    this.#refresh();
    await showDialog('people-dialog');
    clearInterval(timer);
  }

  /** Updates the states of all people. */
  #refresh() {
    for (const person of this.#others) {
      const made = this.#chips.get(person.number);
      const { kind } = this.#state(person);
      made?.toggleAttribute('data-away', kind === 'away');
      made?.setAttribute('aria-label', kind === 'away' ? strings.isAway(person.name) : person.name);
    }
    const tabs = this.#myTabs > 1 ? strings.tabs(this.#myTabs) : '';
    const rows = [
      row(this.#me, [strings.you, tabs], 'here', this.#face),
      ...this.#others.map((one) => {
        const { kind, minutes } = this.#state(one);
        const status = kind === 'idle' ? strings.idleFor(minutes) : strings.presence[kind];
        return row(one, [status, one.numbers.length > 1 ? strings.tabs(one.numbers.length) : ''], kind, this.#face);
      }),
    ];
    element('people-list').replaceChildren(...rows);
  }

  /** @param {Person} person */
  #state({ numbers }) {
    const states = numbers.map((number) => this.#presence.of(number));
    return states.sort((a, b) => LIVELIEST.indexOf(a.kind) - LIVELIEST.indexOf(b.kind))[0];
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

/**
 * @param {{ name: string, color: string }} person @param {string[]} notes @param {string} kind the state
 * @param {ReturnType<typeof facesOf>} faceOf
 */
function row({ name, color }, notes, kind, faceOf) {
  const made = make('li', { 'data-kind': kind }, face(name, faceOf), make('span', { class: 'name' }, name));
  made.append(make('small', {}, notes.filter(Boolean).join(' · ')));
  made.style.setProperty('--own', color);
  made.style.setProperty('--on-own', textOn(color));
  return made;
}

/** @param {string} name @param {ReturnType<typeof facesOf>} faceOf */
function face(name, faceOf) {
  const { letters, isPair } = faceOf(name);
  return make('span', { class: 'face', 'aria-hidden': 'true', ...isPair && { 'data-pair': '' } }, letters);
}
