/** The banner for a lost connection and for unsaved changes, and the bar of an ended session. */

import { strings } from '../i18n/i18n.js';
import { element } from './elements.js';
import { announce } from './dialogs.js';

/** The duration from which a lost connection is reported. */
const SHOW_AFTER_MS = 1500;
const BACK_MS = 2600;

/** The banner. Reports a lost connection with the number of waiting changes, a new connection, and a gateway that cannot save. */
export class ConnectionBanner {
  #banner = element('banner');
  #text = element('banner-text');
  #action = element('banner-action');
  #waiting;
  #isKept;
  #lastSeen;
  #trouble;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isLost = false;
  #wasJoined = false;
  #isUnsaved = false;
  /** The number of strokes that waited when the connection came back. */
  #toSend = 0;

  /**
   * @param {object} options
   * @param {() => { strokes: number, pictures: number, files: number }} options.waiting returns the numbers of changes that
   *   wait to be sent
   * @param {() => boolean} options.isKept returns true if they are stored, so that a later page can send them
   * @param {() => '' | 'whole' | 'part'} options.lastSeen returns how much of the last known picture is shown; '': the current
   *   picture is shown
   * @param {() => string} options.trouble returns the code with which the gateway refuses connections; '': none
   * @param {() => void} options.retry connects at once
   */
  constructor({ waiting, isKept, lastSeen, trouble, retry }) {
    this.#waiting = waiting;
    this.#isKept = isKept;
    this.#lastSeen = lastSeen;
    this.#trouble = trouble;
    this.#action.addEventListener('click', retry);
  }

  /** @param {boolean} wasJoined true if there was a connection before */
  lost(wasJoined) {
    if (this.#isLost) return this.changed();
    this.#isLost = true;
    this.#wasJoined = wasJoined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#showLost(), SHOW_AFTER_MS);
  }

  back() {
    const wasShown = this.#isLost && this.#kind === 'lost';
    this.#isLost = false;
    clearTimeout(this.#timer);
    this.#toSend = this.#waiting().strokes;
    if (!wasShown) return this.#rest();
    this.#show(this.#toSend > 0 ? strings.sending(this.#toSend) : strings.back, 'good');
    if (this.#toSend === 0) this.#hideSoon();
    else this.changed();
  }

  /** Updates the text, because the number of waiting strokes may have changed. */
  changed() {
    if (this.#kind === 'lost') return this.#describe();
    if (this.#kind !== 'good' || this.#toSend === 0 || this.#waiting().strokes > 0) return;
    this.#show(strings.sent(this.#toSend), 'good');
    announce(strings.sent(this.#toSend));
    this.#toSend = 0;
    this.#hideSoon();
  }

  /** @param {boolean} isUnsaved true while the gateway cannot save the drawing */
  saving(isUnsaved) {
    if (isUnsaved === this.#isUnsaved) return;
    this.#isUnsaved = isUnsaved;
    if (this.#isLost || this.#kind === 'good') return;
    this.#rest();
    if (isUnsaved) announce(strings.notSaved);
  }

  hide() {
    this.#isLost = this.#isUnsaved = false;
    this.#rest();
  }

  /** The kind of the shown banner; '' if it is hidden. */
  get #kind() {
    return this.#banner.hidden ? '' : this.#banner.dataset.kind;
  }

  /** Shows the state without messages about the connection. */
  #rest() {
    clearTimeout(this.#timer);
    if (this.#isUnsaved) this.#show(strings.notSaved, 'unsaved');
    else this.#banner.hidden = true;
  }

  #showLost() {
    this.#describe();
    announce(this.#text.textContent ?? '');
  }

  #describe() {
    const { strokes, pictures, files } = this.#waiting();
    const isWaiting = strokes + pictures + files > 0;
    const isKept = this.#isKept();
    /** @type {Record<string, string>} */
    const troubles = strings.troubles;
    const offline = { whole: strings.offline, part: strings.offlinePart, '': '' }[this.#lastSeen()];
    const state = troubles[this.#trouble()] ??
      (this.#wasJoined ? strings.reconnecting : offline || strings.connecting);
    const kept = isWaiting && isKept
      ? strings.areSafe(strokes, pictures, files)
      : strokes > 0
      ? strings.willBeSent(strokes)
      : this.#trouble()
      ? strings.tryingAgain
      : this.#isUnsaved
      ? ''
      : strings.drawOn;
    const isNeeded = this.#isUnsaved || isWaiting && !isKept;
    this.#show([state, kept, isNeeded ? strings.keepOpen : ''].filter(Boolean).join(' '), 'lost');
  }

  #hideSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#rest(), BACK_MS);
  }

  /** @param {string} text @param {'lost' | 'good' | 'unsaved'} kind */
  #show(text, kind) {
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#action.hidden = kind !== 'lost';
    this.#banner.dataset.kind = kind;
    this.#banner.hidden = false;
  }
}

/**
 * @typedef {object} Parts
 * @property {import('../model/scene.js').Scene} scene
 * @property {() => void} save saves a copy
 * @property {() => void} start starts a new session
 */

/** The bar that replaces the tools after the session has ended: save the picture, or start a new session with it. */
export class EndedBar {
  #scene;
  #copy = element('copy');

  /** @param {Parts} parts */
  constructor({ scene, save, start }) {
    this.#scene = scene;
    this.#copy.addEventListener('click', save);
    element('anew').addEventListener('click', start);
  }

  /** @param {boolean} isEnded */
  show(isEnded) {
    const { isEmpty } = this.#scene;
    const text = element('ended-words');
    text.hidden = this.#copy.hidden = isEmpty;
    const { body } = document;
    if (isEnded === body.hasAttribute('data-ended')) return;
    body.toggleAttribute('data-ended', isEnded);
    if (isEnded) announce(isEmpty ? strings.overForLate : text.innerText);
  }
}
