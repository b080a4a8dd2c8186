/** The marks at the chips of people: a raised hand, who follows whom, and who is drawing. */

import { strings } from '../i18n/i18n.js';
import { joinParts, laterStrings } from '../i18n/later.js';
import { element, make, makeSVG } from './elements.js';
import { icon } from './icons.js';

/**
 * @typedef {import('./people.js').Person} Person
 *
 * @typedef {object} Marks
 * @property {number} hand the position of the person's raised hand, from 1 on; 0: it is not raised
 * @property {boolean} isFollowed true if this page follows the person
 * @property {boolean} isFollower true if the person follows this page
 */

/** The time for which a chip shows that its person is drawing; and the minimum interval between two starts of this time. */
const DRAWING_MS = 900;
const RENEWAL_MS = 100;
const EYE = 'M3 12c2.2-4 5.2-6 9-6s6.8 2 9 6c-2.2 4-5.2 6-9 6s-6.8-2-9-6zM12 9.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5z';

/**
 * Marks the chips.
 * @param {import('./people.js').People} people
 * @param {(person: Person) => Marks} marksOf
 * @param {{ hand: number, followers: number }} own the position of this person's raised hand, and the number of followers
 */
export function markChips(people, marksOf, own) {
  for (const person of people.others) {
    const chip = people.chip(person.numbers[0]);
    if (chip) markChip(chip, person, marksOf(person), people.placeOf(person));
  }
  const rest = element('people').querySelector('[data-rest]');
  if (rest) {
    const hidden = people.others.filter(({ numbers }) => !people.chip(numbers[0]));
    const hands = hidden.filter((person) => marksOf(person).hand > 0).length;
    mark(rest, hands, 0);
    const label = strings.morePeople(hidden.length);
    rest.setAttribute('aria-label', hands > 0 ? joinParts([label, laterStrings.hands(hands)]) : label);
  }
  const mine = element('people').querySelector('.me');
  if (mine) mark(mine, own.hand, own.followers);
}

/** @param {number} place the position of a raised hand @returns {string} for screen readers; '' if it is not raised */
export function handText(place) {
  return place > 0 ? laterStrings.handPlace(place) : '';
}

/**
 * @param {HTMLElement} chip @param {Person} person @param {Marks} marks
 * @param {string} place the sheet that the person sees; '' if this page shows the same sheet
 */
function markChip(chip, { name }, { hand, isFollowed, isFollower }, place) {
  mark(chip, hand, isFollower ? 1 : 0);
  const state = chip.hasAttribute('data-away') ? laterStrings.presence.away : '';
  const notes = [place, state, handText(hand), isFollower ? laterStrings.followsYou : ''];
  chip.setAttribute('aria-pressed', String(isFollowed));
  chip.setAttribute('aria-label', joinParts([laterStrings.followPerson(name), ...notes]));
  chip.title = joinParts([name, ...notes]);
}

/** @param {Element} chip @param {number} hand @param {number} followers */
function mark(chip, hand, followers) {
  for (const old of chip.querySelectorAll('.badge')) old.remove();
  if (hand > 0) chip.append(make('i', { class: 'badge', 'data-kind': 'hand', 'aria-hidden': 'true' }, icon('hand')));
  if (followers === 0) return;
  const eye = makeSVG('svg', { class: 'icon', viewBox: '0 0 24 24' }, makeSVG('path', { d: EYE }));
  chip.append(make('i', { class: 'badge', 'data-kind': 'eye', 'aria-hidden': 'true' }, eye));
}

/** @param {import('./people.js').People} people @returns {(number: number) => void} marks the chip of a participant who drew */
export function drawingMarker(people) {
  /** The time of the last mark, by the participant's number. @type {Map<number, number>} */
  const markedAt = new Map();
  return (number) => {
    const now = performance.now();
    // Thousands of entries may arrive at once, and a timer for each would cost more than the entry.
    if (now < (markedAt.get(number) ?? -Infinity) + RENEWAL_MS) return;
    markedAt.set(number, now);
    people.chip(number)?.toggleAttribute('data-drawing', true);
    setTimeout(() => {
      if (markedAt.get(number) === now) people.chip(number)?.removeAttribute('data-drawing');
    }, DRAWING_MS);
  };
}
