/**
 * The person whom this page follows. The page repeats a message about this to that person, and receives the person's view. It
 * continues to follow after the person reloads the page or opens a new page.
 */

import { identity } from './presence.js';
import { readView } from './sharedView.js';

/**
 * @typedef {import('./sharedView.js').Bounds} Bounds
 * @typedef {import('./followers.js').SharedView} SharedView
 * @typedef {{ name: string, color: string, numbers: number[] }} Person a participant, with the numbers of all tabs
 */

/** The interval of the messages to the person. Shorter than the time after which that page forgets a follower. */
const REPEAT_MS = 5000;
/** The time for which the page waits for a person who left, because a reload or a new page takes a moment. */
export const WAIT_MS = 15_000;
/** The maximum number of tabs of a person whose views are stored separately. */
const MAX_TABS = 16;

/** Event: `change`, after the page began or stopped following (detail: `name` and `isGone` of a person who left). */
export class Following extends EventTarget {
  #send;
  /** @type {Person | null} */
  #person = null;
  /** @type {SharedView | null} */
  #view = null;
  /** The tab of the person whose view is shown. */
  #source = 0;
  /** The latest view of each tab, as text. @type {Map<number, string>} */
  #latest = new Map();
  #sentAt = -Infinity;
  /** The time at which the person left; `Infinity` while the person is here. */
  #missingSince = Infinity;

  /** @param {(message: { ended?: true }, to: number[]) => void} send */
  constructor(send) {
    super();
    this.#send = send;
  }

  /** The followed person; null: none. */
  get person() {
    return this.#person;
  }

  /**
   * The view to show. It may be that of another participant, whom the person follows: such a view is passed on unchanged.
   * @returns {SharedView | null} null until it arrives
   */
  get view() {
    return this.#view;
  }

  /** @param {Person} person @param {number} now milliseconds */
  start(person, now) {
    this.#end();
    this.#person = person;
    this.#missingSince = Infinity;
    this.#sendFollow(now);
    this.#changed();
  }

  stop() {
    if (!this.#person) return;
    this.#end();
    this.#changed();
  }

  /** @param {readonly Person[]} others all other people, after a change @param {number} now */
  peopleChanged(others, now) {
    const person = this.#person;
    if (!person) return;
    const known = new Set(person.numbers);
    const found = others.find(({ numbers }) => numbers.some((number) => known.has(number))) ??
      others.find((one) => identity(one) === identity(person));
    if (!found) {
      this.#missingSince = Math.min(this.#missingSince, now);
      this.#person = { ...person, numbers: [] };
      return;
    }
    this.#missingSince = Infinity;
    const hasNew = found.numbers.some((number) => !known.has(number));
    this.#person = found;
    if (hasNew) this.#sendFollow(now);
  }

  /** The session has changed: its participants have other numbers. */
  sessionChanged() {
    this.#forgetViews();
    if (this.#person) this.#person = { ...this.#person, numbers: [] };
  }

  /**
   * @param {number} sender @param {{ view?: unknown, of?: unknown }} message @param {number} me the number of this participant
   * @returns {boolean} true if there is a new view to show
   */
  receive(sender, { view, of = sender }, me) {
    if (!this.#person?.numbers.includes(sender)) return false;
    const bounds = readView(view);
    // In a circle of followers, the view of this page comes back to it. It is ignored, so nothing moves until a person moves.
    if (!bounds || typeof of !== 'number' || of === me) return false;
    const text = String(view);
    const isMoved = this.#latest.get(sender) !== text;
    if (this.#latest.size < MAX_TABS || this.#latest.has(sender)) this.#latest.set(sender, text);
    // If the person has several tabs, the view of the tab that moved last is shown.
    if (!isMoved && sender !== this.#source) return false;
    this.#source = sender;
    this.#view = { bounds, of };
    return true;
  }

  /** Waits for the next view, because the present one shows a removed sheet. */
  forgetView() {
    this.#view = null;
  }

  /** Repeats the message at the next tick. */
  repeatSoon() {
    this.#sentAt = -Infinity;
  }

  /** Repeats the message to the person, and gives up a person who stays away. @param {number} now */
  tick(now) {
    const person = this.#person;
    if (!person) return;
    if (now - this.#missingSince >= WAIT_MS) {
      this.#end();
      return this.#changed({ name: person.name, isGone: true });
    }
    if (now - this.#sentAt >= REPEAT_MS) this.#sendFollow(now);
  }

  /** @param {number} now */
  #sendFollow(now) {
    this.#sentAt = now;
    this.#send({}, this.#person?.numbers ?? []);
  }

  #end() {
    if (this.#person) this.#send({ ended: true }, this.#person.numbers);
    this.#person = null;
    this.#forgetViews();
  }

  #forgetViews() {
    this.#view = null;
    this.#source = 0;
    this.#latest.clear();
  }

  /** @param {{ name: string, isGone: boolean }} [detail] */
  #changed(detail = { name: '', isGone: false }) {
    this.dispatchEvent(new CustomEvent('change', { detail }));
  }
}
