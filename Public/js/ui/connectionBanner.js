/** Says when the connection is lost and what waits; and when it is back. */

import { element } from './elements.js';
import { announce } from './notices.js';

/** A cut this short is nobody's business. */
const SHOW_AFTER_MS = 1500;
const GOOD_NEWS_MS = 2600;

export class ConnectionBanner {
  #banner = element('banner');
  #text = element('banner-text');
  #action = element('banner-action');
  #waiting;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isLost = false;
  #wasJoined = false;
  /** What waited when the connection came back. */
  #toSend = 0;

  /** @param {{ waiting: () => number, retry: () => void }} options how many strokes wait to be sent; tries at once */
  constructor({ waiting, retry }) {
    this.#waiting = waiting;
    this.#action.addEventListener('click', retry);
  }

  /** @param {boolean} wasJoined whether there was a connection before */
  lost(wasJoined) {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#wasJoined = wasJoined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#showLost(), SHOW_AFTER_MS);
  }

  back() {
    const wasShown = this.#isLost && !this.#banner.hidden;
    this.#isLost = false;
    clearTimeout(this.#timer);
    this.#toSend = this.#waiting();
    if (!wasShown) return this.hide();
    this.#show(this.#toSend > 0 ? `Back. Sending ${strokes(this.#toSend)}…` : 'Back.', { isGood: true });
    if (this.#toSend === 0) this.#hideSoon();
    else this.changed();
  }

  /** The number of strokes that wait may have changed. */
  changed() {
    if (this.#banner.hidden) return;
    if (this.#isLost) return this.#describe();
    if (this.#toSend === 0 || this.#waiting() > 0) return;
    this.#show(`Back. ${strokes(this.#toSend)} sent.`, { isGood: true });
    announce(`Back. ${strokes(this.#toSend)} sent.`);
    this.#toSend = 0;
    this.#hideSoon();
  }

  hide() {
    clearTimeout(this.#timer);
    this.#isLost = false;
    this.#banner.hidden = true;
  }

  #showLost() {
    this.#describe();
    announce(this.#text.textContent ?? '');
  }

  #describe() {
    const waiting = this.#waiting();
    const state = this.#wasJoined ? 'Reconnecting…' : 'Connecting…';
    const kept = waiting > 0 ? `${strokes(waiting)} will be sent.` : 'Draw on, nothing is lost.';
    this.#show(`${state} ${kept}`, { isGood: false });
  }

  #hideSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), GOOD_NEWS_MS);
  }

  /** @param {string} text @param {{ isGood: boolean }} options */
  #show(text, { isGood }) {
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#action.hidden = isGood;
    this.#banner.dataset.kind = isGood ? 'good' : 'lost';
    this.#banner.hidden = false;
  }
}

/** @param {number} count */
function strokes(count) {
  return count === 1 ? '1 stroke' : `${count} strokes`;
}
