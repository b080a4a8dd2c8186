/** The people of a meeting: the marks on their chips, their list, and the announcements of raised hands and followers. */

import { SenderLimit } from '../protocol/senderLimit.js';
import { laterStrings } from '../i18n/later.js';
import { announce, toast } from './dialogs.js';
import { PeopleList } from './peopleList.js';
import { drawingMarker, markChips } from './peopleMarks.js';

/**
 * @typedef {import('./people.js').Person} Person
 *
 * @typedef {object} Parts
 * @property {import('./people.js').People} people
 * @property {import('../protocol/raisedHands.js').RaisedHands} hands
 * @property {import('./followController.js').FollowController} follow
 * @property {() => number} me returns the number of this participant; 0: none
 * @property {(number: number) => { name: string, color: string }} author
 * @property {() => void} changed called after a change of the people, their hands, or the followers
 */

/** The rank of people without a raised hand. */
const LAST = 1e9;
/** The delay before changes of hands and followers are shown, so that many changes cost no more than one. */
const SHOW_MS = 100;

export class MeetingPeople {
  #parts;
  #list;
  /** The limit of the announcements about a participant. */
  #limit = new SenderLimit(0.2, 3);
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  /** The followers at the last change. @type {ReadonlySet<number>} */
  #followers = new Set();
  /**
   * The positions of raised hands in their order, from 1 on, by participant. All tabs of a person have the same position.
   * @type {Map<number, number>}
   */
  #places = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { people, hands, follow } = parts;
    this.#list = new PeopleList({
      people,
      marksOf: (person) => this.#marksOf(person),
      own: () => this.#own,
      follow: (person) => follow.toggle(person),
    });
    people.rank = ({ numbers }) => this.#places.get(numbers[0]) ?? LAST;
    people.drew = drawingMarker(people);
    people.addEventListener('shown', () => this.#show());
    hands.addEventListener('change', (event) => {
      this.#showSoon();
      const { raised } = /** @type {CustomEvent<{ raised: number | null }>} */ (event).detail;
      if (raised !== null) this.#announceHand(raised);
    });
    follow.addEventListener('follow', (event) => {
      this.#show();
      this.#announceFollowing(/** @type {CustomEvent} */ (event).detail);
    });
    follow.addEventListener('followers', () => this.#followersChanged());
  }

  openList() {
    return this.#list.open();
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    this.#limit.keepOnly(isHere);
  }

  /** Shows the people once for all changes of a moment. Raised hands come first. */
  #showSoon() {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#findPlaces();
      this.#parts.people.reorder();
    }, SHOW_MS);
  }

  #show() {
    const { people, changed } = this.#parts;
    this.#findPlaces();
    markChips(people, (person) => this.#marksOf(person), this.#own);
    this.#list.refresh();
    changed();
  }

  /** Numbers the raised hands, by person. */
  #findPlaces() {
    const { people, hands, me } = this.#parts;
    this.#places.clear();
    let place = 0;
    for (const number of hands.order(me())) {
      if (this.#places.has(number)) continue;
      place += 1;
      const person = people.others.find(({ numbers }) => numbers.includes(number));
      // All other numbers are tabs of this person.
      for (const one of person?.numbers ?? [me(), number]) this.#places.set(one, place);
    }
  }

  /** This person's hand and followers, by person. */
  get #own() {
    const { people, follow, me } = this.#parts;
    const followers = people.others.filter((person) => follow.isFollower(person));
    return { hand: this.#places.get(me()) ?? 0, followers: followers.length };
  }

  /** @param {Person} person @returns {import('./peopleMarks.js').Marks} */
  #marksOf(person) {
    const { follow } = this.#parts;
    return {
      hand: this.#places.get(person.numbers[0]) ?? 0,
      isFollowed: follow.isFollowed(person),
      isFollower: follow.isFollower(person),
    };
  }

  /** @param {number} number */
  #announceHand(number) {
    if (!this.#limit.allows(number, performance.now())) return;
    const { name, color } = this.#parts.author(number);
    toast(laterStrings.raisedHand(name), { color, about: `hand-${number}` });
  }

  /** @param {{ name: string, isGone: boolean }} detail of a person who left */
  #announceFollowing({ name, isGone }) {
    const { person } = this.#parts.follow;
    if (isGone) toast(laterStrings.followedIsGone(name));
    else announce(person ? laterStrings.youFollow(person.name) : laterStrings.youFollowNobody);
  }

  #followersChanged() {
    const { follow, author } = this.#parts;
    const fresh = follow.followers.find((number) => !this.#followers.has(number));
    this.#followers = new Set(follow.followers);
    this.#showSoon();
    if (fresh === undefined || !this.#limit.allows(fresh, performance.now())) return;
    announce(laterStrings.beganToFollow(author(fresh).name));
  }
}
