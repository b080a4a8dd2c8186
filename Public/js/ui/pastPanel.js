/** The dialog of the time machine: the picture, the slider, and the controls. */

import { SPEEDS } from '../model/playback.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { button, make } from './elements.js';
import { icon } from './icons.js';
import { isolated } from './pageDirection.js';
import { stepIcon } from './pastIcons.js';
import { PastSlider } from './pastSlider.js';
import { copied } from './shareDialog.js';

/**
 * @typedef {object} Parts
 * @property {import('./pastView.js').PastView} view
 * @property {import('../model/playback.js').Playback} playback
 * @property {(position: number) => void} moved called after the person moved the slider
 * @property {() => void} play plays or pauses
 * @property {(by: 1 | -1) => void} step shows the next change, or the previous one
 * @property {() => void} bringBack
 * @property {() => string} link returns the link to the shown moment
 * @property {() => unknown} closed called when the dialog is closed
 */

/** The time after which the dialog says that the history is being loaded. */
const LOADING_MS = 500;

export class PastPanel {
  #parts;
  #slider = new PastSlider();
  #when = make('b');
  #who = make('span', { class: 'past-who' });
  #note = make('p', { class: 'note', role: 'status' });
  #sheets = make('select', { 'aria-label': laterStrings.sheets });
  #speeds = make('select', { 'aria-label': laterStrings.speed });
  #link = make('input', { type: 'text', readonly: '', 'aria-label': laterStrings.momentLink });
  #play;
  #controls;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #loading;
  /** The text that is shown again when the history is loaded. */
  #before = '';
  #copy = make('button', { type: 'button' }, laterStrings.copyMomentLink);
  #back = make('button', { type: 'button', class: 'primary' });
  dialog;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { view, playback } = parts;
    this.#play = button(icon('resume'), laterStrings.play, laterStrings.playTitle, parts.play);
    const step = (/** @type {1 | -1} */ by, /** @type {string} */ label) => {
      return button(stepIcon(by), label, label, () => parts.step(by));
    };
    this.#speeds.append(...SPEEDS.map((speed) => make('option', { value: String(speed) }, laterStrings.times(speed))));
    this.#speeds.value = String(playback.speed);
    this.#speeds.addEventListener('change', () => (playback.speed = Number(this.#speeds.value)));
    this.#sheets.addEventListener('change', () => view.sheetView.go(Number(this.#sheets.value)));
    this.#copy.addEventListener('click', () => this.#copyLink());
    this.#back.addEventListener('click', () => parts.bringBack());
    this.#slider.addEventListener('move', (event) => parts.moved(/** @type {CustomEvent<number>} */ (event).detail));
    view.selection.addEventListener('change', () => this.showSelection());
    view.sheetView.addEventListener('change', () => this.showSheets());
    const [previous, next] = [step(-1, laterStrings.previousChange), step(1, laterStrings.nextChange)];
    this.#controls = make(
      'div',
      { class: 'past-controls' },
      make('div', { class: 'past-steps' }, previous, this.#play, next),
      this.#speeds,
      this.#copy,
      this.#back,
    );
    this.dialog = this.#build();
  }

  open() {
    // The text about the loading of an earlier history must not appear any more.
    clearTimeout(this.#loading);
    this.#before = '';
    this.#show({ isWorking: false });
    this.#sheets.hidden = this.#link.hidden = true;
    this.#when.textContent = this.#who.textContent = '';
    this.note(laterStrings.loadingHistory);
    this.showPlayback();
    this.dialog.showModal();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  /**
   * Shows the slider for a history.
   * @param {import('../model/timeline.js').Timeline} timeline @param {number[]} ends the sequences at both ends
   * @param {(sender: number) => string} colorOf
   */
  begin(timeline, ends, colorOf) {
    this.#show({ isWorking: true });
    this.#slider.open(timeline, ends, colorOf);
    this.note(laterStrings.chooseInPast);
    this.#slider.focus();
  }

  /** Says why no history is shown. @param {string} text */
  fail(text) {
    this.#show({ isWorking: false });
    this.note(text);
  }

  /** Shows a text until the next one. @param {string} text */
  note(text) {
    this.#note.textContent = text;
    this.#link.hidden = true;
  }

  /** @param {boolean} isBusy true while something is being loaded */
  busy(isBusy) {
    clearTimeout(this.#loading);
    const { loadingHistory } = laterStrings;
    const text = () => this.#note.textContent ?? '';
    if (!isBusy) return text() === loadingHistory ? this.note(this.#before) : undefined;
    this.#loading = setTimeout(() => {
      if (text() === loadingHistory) return;
      this.#before = text();
      this.note(loadingHistory);
    }, LOADING_MS);
  }

  /**
   * @param {number} position on the axis @param {string} when
   * @param {{ name: string, color: string } | null} who the author of the last change; null: unknown
   */
  describe(position, when, who) {
    this.#when.textContent = when;
    const name = who ? isolated(who.name) : '';
    this.#who.textContent = name;
    this.#who.style.setProperty('--own', who?.color ?? 'transparent');
    this.#slider.describe(laterStrings.momentBy(when, name));
    this.place(position);
  }

  /** @param {number} position on the axis */
  place(position) {
    this.#slider.place(position);
  }

  /** Updates the controls after the picture of another moment was shown. @param {number} sequence */
  shown(sequence) {
    this.dialog.dataset.sequence = String(sequence);
    this.showSheets();
    this.showSelection();
  }

  showPlayback() {
    const { isPlaying } = this.#parts.playback;
    this.#play.replaceChildren(icon(isPlaying ? 'pause' : 'resume'));
    this.#play.setAttribute('aria-label', isPlaying ? laterStrings.pausePlayback : laterStrings.play);
  }

  /** Updates the name of the button that brings objects back. It depends on the selection. */
  showSelection() {
    const { size } = this.#parts.view.selection;
    this.#back.textContent = size > 0 ? laterStrings.bringObjectsBack(size) : laterStrings.bringMomentBack;
  }

  /** Shows the sheets of the moment. */
  showSheets() {
    const { list, current } = this.#parts.view.sheetView;
    this.#sheets.hidden = list.length < 2;
    const names = list.map((number, at) => this.#parts.view.nameOfSheet(number) || laterStrings.sheet(at + 1));
    const options = list.map((number, at) => make('option', { value: String(number) }, names[at]));
    const isSame = [...this.#sheets.options].map(({ value, text }) => value + text).join() ===
      options.map(({ value, text }) => value + text).join();
    if (!isSame) this.#sheets.replaceChildren(...options);
    this.#sheets.value = String(current);
  }

  /** @param {{ isWorking: boolean }} state false: there is no history to move in */
  #show({ isWorking }) {
    this.#controls.hidden = this.#slider.element.hidden = !isWorking;
    if (!isWorking) this.#slider.open(null, [0, 0], () => '');
    this.showSelection();
  }

  async #copyLink() {
    const focused = document.activeElement;
    this.#link.hidden = false;
    this.#link.value = this.#parts.link();
    const isCopied = await copied(this.#link);
    this.#note.textContent = isCopied ? laterStrings.copied : strings.copyByHand;
    this.#link.hidden = isCopied;
    if (isCopied && focused instanceof HTMLElement) focused.focus();
  }

  #build() {
    const { view, closed } = this.#parts;
    const fit = button(icon('fit'), strings.showEverything, strings.showEverything, () => view.showEverything());
    const close = button(icon('close'), strings.close, strings.close, () => this.close());
    const title = make('h2', { id: 'past-title' }, laterStrings.timeMachine);
    const when = make('p', { class: 'past-when' }, this.#when, this.#who);
    const bar = make('div', { class: 'past-bar' }, when, this.#slider.element, this.#controls, this.#link, this.#note);
    view.covered = () => bar.offsetHeight;
    const dialog = make(
      'dialog',
      { id: 'time-machine', class: 'time-machine', 'aria-labelledby': 'past-title' },
      ...view.elements,
      make('div', { class: 'past-top' }, title, this.#sheets, fit, close),
      bar,
    );
    dialog.addEventListener('close', closed);
    return dialog;
  }
}
