/** Who is here: round chips with initials, and the list behind them. */

import { textOn } from '../canvas/colors.js';
import { words } from '../words/words.js';
import { showDialog } from './dialogs.js';
import { element, make } from './elements.js';

/** @typedef {import('../session/participants.js').Participant} Participant */

/** How many of the others have a chip; on a narrow screen. */
const SHOWN_CHIPS = 4;
const SHOWN_CHIPS_NARROW = 1;
const DRAWING_MS = 900;

/** Event: `rename`. */
export class People extends EventTarget {
  #list = element('people');
  /** @type {Map<number, HTMLElement>} */
  #chips = new Map();
  /** @type {Map<number, ReturnType<typeof setTimeout>>} */
  #drawing = new Map();
  /** @type {Participant[]} */
  #others = [];
  /** @type {{ name: string, color: string }} */
  #me = { name: '', color: '#888888' };
  #isConnected = true;
  #narrow = matchMedia('(max-width: 560px)');

  constructor() {
    super();
    this.#narrow.addEventListener('change', () => this.show(this.#me, this.#others, this.#isConnected));
    element('rename').addEventListener('click', () => {
      /** @type {HTMLDialogElement} */ (element('people-dialog')).close();
      this.dispatchEvent(new Event('rename'));
    });
  }

  /** @param {{ name: string, color: string }} me @param {Participant[]} others @param {boolean} isConnected */
  show(me, others, isConnected) {
    this.#me = me;
    this.#others = others;
    this.#isConnected = isConnected;
    this.#chips.clear();
    const mine = chip(me, words.youAre(me.name));
    mine.classList.add('me');
    mine.addEventListener('click', () => this.dispatchEvent(new Event('rename')));
    const room = this.#narrow.matches ? SHOWN_CHIPS_NARROW : SHOWN_CHIPS;
    const rest = others.length > room + 1 ? others.slice(0, room) : others;
    const chips = rest.map((one) => this.#otherChip(one));
    if (rest.length < others.length) chips.push(this.#restChip(others.length - rest.length));
    this.#list.replaceChildren(...[...chips, mine].map((one) => make('li', {}, one)));
    this.#list.toggleAttribute('data-away', !isConnected);
    this.#fillList();
  }

  /** @param {number} number of somebody who draws right now */
  drew(number) {
    const shown = this.#chips.get(number);
    shown?.toggleAttribute('data-drawing', true);
    clearTimeout(this.#drawing.get(number));
    this.#drawing.set(number, setTimeout(() => this.#chips.get(number)?.removeAttribute('data-drawing'), DRAWING_MS));
  }

  /** @param {Participant} participant */
  #otherChip(participant) {
    const made = chip(participant, participant.name);
    made.addEventListener('click', () => showDialog('people-dialog'));
    this.#chips.set(participant.number, made);
    return made;
  }

  /** @param {number} count */
  #restChip(count) {
    const made = make('button', { type: 'button', class: 'chip', 'aria-label': words.morePeople(count) });
    made.append(make('span', {}, `+${words.number(count)}`));
    made.addEventListener('click', () => showDialog('people-dialog'));
    return made;
  }

  #fillList() {
    const rows = [
      row(this.#me, words.you),
      ...this.#others.map((one) => row(one, '')),
    ];
    element('people-list').replaceChildren(...rows);
  }
}

/** @param {{ name: string, color: string }} person @param {string} label */
function chip({ name, color }, label) {
  const made = make('button', { type: 'button', class: 'chip', 'aria-label': label, title: name });
  made.style.setProperty('--own', color);
  made.style.setProperty('--on-own', textOn(color));
  made.append(make('span', { 'aria-hidden': 'true' }, initials(name)));
  return made;
}

/** @param {{ name: string, color: string }} person @param {string} note */
function row({ name, color }, note) {
  const made = make('li', {}, make('span', { class: 'dot', 'aria-hidden': 'true' }), name, make('small', {}, note));
  made.style.setProperty('--own', color);
  return made;
}

/** @param {string} name @returns {string} of its first and last word */
export function initials(name) {
  const parts = name.trim().split(/\s+/);
  const letters = parts.length > 1 ? [parts[0], parts[parts.length - 1]] : parts;
  return letters.map((word) => [...word][0] ?? '').join('').toUpperCase();
}
