/** The participants who follow this page. Each repeats a message about this, and receives the view of this page. */

import { encodeView } from './sharedView.js';
import { ThrottledSender } from './throttledSender.js';

/**
 * @typedef {import('./sharedView.js').Bounds} Bounds
 * @typedef {{ bounds: Bounds, of: number }} SharedView `of`: the number of the participant whose own view it is
 */

/** The minimum interval between two messages. The followers glide in between. */
const SEND_INTERVAL_MS = 50;
/** The time after which an unchanged view is sent again, because a message may be lost. */
const REPEAT_MS = 2000;
/** A follower is forgotten after this time without a message: a little more than two intervals of its messages. */
export const FORGET_MS = 12_000;
/** The maximum number of followers. Further ones are ignored. */
export const MAX_FOLLOWERS = 1000;

/** Event: `change`, after a follower came or went. */
export class Followers extends EventTarget {
  #send;
  #sender = new ThrottledSender((/** @type {SharedView} */ view) => this.#sendView(view), SEND_INTERVAL_MS);
  /** The times of their last messages. @type {Map<number, number>} */
  #heardAt = new Map();
  #shown = '';
  #setAt = -Infinity;

  /** @param {(message: { view: number[], of: number }, to: number[]) => void} send */
  constructor(send) {
    super();
    this.#send = send;
  }

  /** @returns {number[]} */
  get numbers() {
    return [...this.#heardAt.keys()];
  }

  /** @param {number} number @returns {boolean} */
  has(number) {
    return this.#heardAt.has(number);
  }

  /** @param {number} number @param {{ ended?: unknown }} message @param {number} now milliseconds */
  receive(number, { ended }, now) {
    const isKnown = this.#heardAt.has(number);
    if (ended === true) return void (isKnown && this.#forget(number));
    if (!isKnown && this.#heardAt.size >= MAX_FOLLOWERS) return;
    this.#heardAt.set(number, now);
    if (isKnown) return;
    // The view is sent to all followers once more, so that the new follower receives it.
    this.#shown = '';
    this.dispatchEvent(new Event('change'));
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    for (const number of this.numbers) if (!isHere(number)) this.#forget(number);
  }

  /** Removes followers whose messages have stopped. @param {number} now */
  expire(now) {
    for (const [number, at] of this.#heardAt) if (now - at >= FORGET_MS) this.#forget(number);
  }

  /**
   * @param {SharedView | null} view of this page; null: it has none of its own
   * @param {number} now @returns {boolean} true if a later frame has something to send
   */
  frame(view, now) {
    if (this.#heardAt.size === 0 || !view) {
      this.#sender.end();
      this.#shown = '';
      return false;
    }
    const shown = [view.of, ...encodeView(view.bounds)].join();
    if (shown !== this.#shown || now - this.#setAt >= REPEAT_MS) {
      this.#shown = shown;
      this.#setAt = now;
      this.#sender.set(view);
    }
    return this.#sender.frame(now);
  }

  /** @param {SharedView} view */
  #sendView({ bounds, of }) {
    this.#send({ view: encodeView(bounds), of }, this.numbers);
  }

  /** @param {number} number */
  #forget(number) {
    this.#heardAt.delete(number);
    this.dispatchEvent(new Event('change'));
  }
}
