/**
 * The requests of other participants to see their part of the page. A person who is active on this page gets an offer, and
 * decides. For a person who only watches, the camera moves at once, and a button leads back: most people in a meeting watch, and
 * would miss the explanation. After a person went back, later requests of the same participant are only offers.
 */

import { readView } from '../protocol/sharedView.js';
import { SenderLimit } from '../protocol/senderLimit.js';
import { laterStrings } from '../i18n/later.js';
import { strings } from '../i18n/i18n.js';
import { announce } from './dialogs.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {{ name: string, color: string }} Author
 * @typedef {{ shown: HTMLElement, timer: ReturnType<typeof setTimeout>, before: Bounds | null }} Offer `before`: the view before
 *   the person was brought somewhere
 */

/** The time without input after which a person counts as only watching. */
const WATCH_MS = 10_000;
/** The time for which an offer is shown. */
const SHOWN_MS = 20_000;
/** The maximum number of offers. Each participant has one at most, the latest. */
const MAX_OFFERS = 3;

export class GatherOffers {
  #parts;
  #limit = new SenderLimit(1 / 8, 2);
  /** @type {Map<number, Offer>} by the participant's number */
  #offers = new Map();
  /** The participants whose request this person has undone by going back. @type {Set<number>} */
  #refused = new Set();
  #now;
  #inputAt;

  /**
   * @param {object} parts
   * @param {(number: number) => Author} parts.author
   * @param {() => Bounds} parts.view the visible part of the plane
   * @param {() => boolean} parts.isBusy returns true while the person draws, writes, answers a question or
   *   follows another person, or the page is hidden
   * @param {(bounds: Bounds) => void} parts.go moves the camera
   * @param {() => number} [now] milliseconds
   */
  constructor(parts, now = () => performance.now()) {
    this.#parts = parts;
    this.#now = now;
    this.#inputAt = now();
    for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
      addEventListener(type, () => this.#inputAt = this.#now(), { passive: true, capture: true });
    }
  }

  /** @param {number} number of the sender @param {{ view?: unknown }} message */
  receive(number, { view }) {
    const now = this.#now();
    const bounds = readView(view);
    if (!bounds || !this.#limit.allows(number, now)) return;
    const { view: seen, isBusy, go, author } = this.#parts;
    const { name } = author(number);
    if (isBusy() || now - this.#inputAt < WATCH_MS || this.#refused.has(number)) {
      return this.#show(number, null, laterStrings.wantsYou(name), laterStrings.goThere, () => go(bounds));
    }
    // After two requests, going back leads to the view before the first one.
    const before = this.#offers.get(number)?.before ?? seen();
    go(bounds);
    this.#show(number, before, laterStrings.broughtYou(name), laterStrings.goBack, () => {
      this.#refused.add(number);
      go(before);
    });
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    this.#limit.keepOnly(isHere);
    for (const number of this.#refused) if (!isHere(number)) this.#refused.delete(number);
    for (const number of this.#offers.keys()) if (!isHere(number)) this.#remove(number);
  }

  /** Removes the offers of a person whom this page follows. @param {number[]} numbers of the person */
  withdraw(numbers) {
    for (const number of numbers) this.#remove(number);
  }

  /**
   * @param {number} number @param {Bounds | null} before @param {string} text @param {string} action
   * @param {() => void} done called when the person accepts
   */
  #show(number, before, text, action, done) {
    this.#remove(number);
    const [oldest] = this.#offers.keys();
    if (this.#offers.size >= MAX_OFFERS) this.#remove(oldest);
    const button = make('button', { type: 'button', class: 'quiet' }, action);
    button.addEventListener('click', () => {
      this.#remove(number);
      done();
    });
    const close = make('button', { type: 'button', class: 'small', 'aria-label': strings.close });
    close.append(icon('close'));
    close.addEventListener('click', () => this.#remove(number));
    const dot = make('span', { class: 'dot', 'aria-hidden': 'true' });
    const shown = make('div', { class: 'toast', 'data-offer': '' }, dot, make('span', {}, text), button, close);
    shown.style.setProperty('--own', this.#parts.author(number).color);
    element('toasts').append(shown);
    this.#offers.set(number, { shown, timer: setTimeout(() => this.#remove(number), SHOWN_MS), before });
    announce(text);
  }

  /** @param {number} number */
  #remove(number) {
    const offer = this.#offers.get(number);
    if (!offer) return;
    clearTimeout(offer.timer);
    if (offer.shown.contains(document.activeElement)) element('canvas').focus();
    offer.shown.remove();
    this.#offers.delete(number);
  }
}
