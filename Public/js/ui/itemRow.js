/**
 * The elements over a picture or a file on the page: the progress of its upload, its buttons, and its announcements for screen
 * readers.
 */

import { AttachmentError } from '../sync/errors.js';
import { errorText, strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';
import { panelPlace } from './panelPlacement.js';
import { doneOfTotal, itemLabel, partDone, timeLeft, TransferRate } from './transferProgress.js';
import { announce } from './dialogs.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {import('./panelPlacement.js').Box} Box
 *
 * @typedef {object} ItemActions the actions of its buttons
 * @property {(item: Item) => void} choose
 * @property {(item: Item) => void} remove
 * @property {(item: Item) => void} retryUpload
 * @property {(item: Item) => void} retryLoad
 * @property {(item: Item) => void} toggleMotion pauses an animated picture, or lets it continue
 */

/** The minimum interval between changes of an upload's text. The progress bar changes each time. */
const WORDS_MS = 250;
/** The minimum width on the screen, in pixels, at which an item has room for texts. */
const MIN_WIDTH = 100;
/** The minimum scale of a card at which its link is large enough to be clicked. */
const MIN_LINK_SCALE = 0.55;

export class ItemRow {
  #item;
  #row = make('li', { class: 'item' });
  #grip = make('button', { type: 'button', class: 'grip' });
  #frame = make('div', { class: 'frame', 'aria-hidden': 'true' });
  #panel = make('div', { class: 'upload', role: 'group' });
  #title = make('b', { class: 'name' });
  #bar = make('progress', { max: '1' });
  #words = make('span', { class: 'words' });
  #pause = make('button', { type: 'button', class: 'small' });
  #again = make('button', { type: 'button', class: 'quiet' }, strings.tryAgain);
  #cancel = make('button', { type: 'button', class: 'small', 'aria-label': strings.cancel, title: strings.cancel });
  #remove = make('button', { type: 'button', class: 'quiet' }, strings.remove);
  #download = make('a', { class: 'download' });
  #motion = make('button', { type: 'button', class: 'small' });
  #rate = new TransferRate();
  #wordsAt = -Infinity;
  #state = '';
  #shown = '';
  #hasMore = false;

  /** @param {Item} item @param {ItemActions} actions */
  constructor(item, actions) {
    this.#item = item;
    this.#grip.addEventListener('click', () => actions.choose(item));
    this.#pause.addEventListener('click', () => {
      if (item.upload?.state === 'paused') item.upload.resume();
      else item.upload?.pause();
    });
    for (const button of [this.#cancel, this.#remove]) {
      button.addEventListener('click', () => {
        element('canvas').focus();
        actions.remove(item);
      });
    }
    this.#again.addEventListener('click', () => (item.problem ? actions.retryLoad(item) : actions.retryUpload(item)));
    this.#motion.addEventListener('click', () => actions.toggleMotion(item));
    this.#cancel.append(icon('close'));
    this.#download.append(icon('download'));
    const label = make('div', { class: 'caption' }, this.#title, this.#words);
    this.#panel.append(this.#bar, label, this.#pause, this.#cancel, this.#again, this.#remove);
    this.#row.append(this.#grip, this.#frame, this.#motion, this.#panel, this.#download);
  }

  /** True if the row has elements that another item may cover. */
  get hasWords() {
    return !this.#frame.hidden || !this.#download.hidden || !this.#panel.hidden;
  }

  get element() {
    return this.#row;
  }

  /**
   * @param {boolean} isChosen @param {number} now milliseconds @returns {boolean} true if it must be called again a little later
   */
  show(isChosen, now) {
    const { upload, name } = this.#item;
    if (!this.#isChanged(isChosen) && !this.#hasMore) return false;
    this.#announceState();
    this.#grip.setAttribute('aria-label', itemLabel(this.#item));
    this.#grip.setAttribute('aria-pressed', String(isChosen));
    this.#row.dataset.state = this.#state;
    const isUnderWay = upload !== null && !upload.isOver;
    const isFailed = this.#state === 'failed';
    const isMissing = this.#state === 'missing';
    this.#panel.hidden = !isUnderWay && !isFailed && !isMissing;
    this.#panel.setAttribute('aria-label', laterStrings.uploadOf(name));
    this.#title.textContent = name;
    this.#bar.hidden = this.#pause.hidden = this.#cancel.hidden = !isUnderWay;
    this.#remove.hidden = !isFailed;
    const isTooLarge = upload?.error instanceof AttachmentError && upload.error.code === 'attachment-too-large';
    this.#again.hidden = isMissing ? this.#item.isLost : !isFailed || isTooLarge;
    if (!isUnderWay) this.#words.textContent = isMissing ? this.#item.problem : failureText(upload);
    this.#hasMore = isUnderWay && this.#showUpload(now);
    this.#showFrame();
    this.#showDownload();
    this.#showMotion(isChosen);
    return this.#hasMore;
  }

  /**
   * @param {Box} box on the canvas @param {Size} view the canvas @param {Box[]} panels of other rows, which must not be covered
   * @param {boolean} isCovered true if another item covers it
   * @returns {Box | null} its own panel; null if it is not shown
   */
  place(box, view, panels, isCovered) {
    const { style } = this.#row;
    const { left, top, width, height } = box;
    this.#row.toggleAttribute('data-mute', isCovered || width < MIN_WIDTH);
    style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    style.width = `${width.toFixed(1)}px`;
    style.height = `${height.toFixed(1)}px`;
    const scale = width / this.#item.place.width;
    style.setProperty('--scale', scale.toFixed(3));
    this.#row.toggleAttribute('data-small', scale < MIN_LINK_SCALE);
    if (this.#panel.hidden) return null;
    const size = { width: this.#panel.offsetWidth, height: this.#panel.offsetHeight };
    const room = panelPlace(box, size, view, panels);
    this.#row.toggleAttribute('data-crowded', isCovered || room === null);
    const at = room ?? { ...size, left, top };
    this.#panel.style.transform = `translate(${(at.left - left).toFixed(1)}px, ${(at.top - top).toFixed(1)}px)`;
    return isCovered ? null : room;
  }

  /** @param {boolean} isChosen @returns {boolean} true if the shown state is outdated */
  #isChanged(isChosen) {
    const { name, by, size, state, offset, upload, isPicture, bitmap, blur, problem } = this.#item;
    const { isAnimated, isPaused } = this.#item;
    const picture = [isPicture, bitmap === null, blur === null, isAnimated, isPaused];
    const uploaded = upload && [upload.state, upload.offset, upload.isInterrupted];
    const shown = [name, by, size, state, offset, uploaded, picture, problem, isChosen].join();
    if (shown === this.#shown) return false;
    this.#shown = shown;
    return true;
  }

  /** @param {number} now @returns {boolean} true if the text has to be updated later */
  #showUpload(now) {
    const { upload } = this.#item;
    if (!upload) return false;
    const { offset, size, state, isInterrupted } = upload;
    this.#bar.value = size === 0 ? 1 : offset / size;
    this.#bar.setAttribute('aria-label', laterStrings.uploadOf(this.#item.name));
    const isPaused = state === 'paused';
    const pause = isPaused ? laterStrings.resume : laterStrings.pause;
    if (this.#pause.title !== pause) {
      this.#pause.title = pause;
      this.#pause.setAttribute('aria-label', pause);
      this.#pause.replaceChildren(isPaused ? icon('resume') : icon('pause'));
    }
    if (state === 'uploading' && !isInterrupted) this.#rate.add(offset, now);
    else this.#rate.forget();
    if (now - this.#wordsAt < WORDS_MS && this.#row.dataset.words === `${state}${isInterrupted}`) return true;
    this.#wordsAt = now;
    this.#row.dataset.words = `${state}${isInterrupted}`;
    this.#words.textContent = [doneOfTotal(offset, size), this.#when()].filter(Boolean).join(' · ');
    return false;
  }

  /** @returns {string} */
  #when() {
    const { upload } = this.#item;
    if (!upload) return '';
    if (upload.state === 'paused') return laterStrings.paused;
    if (upload.state === 'waiting') return laterStrings.waiting;
    if (upload.isInterrupted) return laterStrings.noConnection;
    const seconds = this.#rate.secondsLeft(upload.size);
    return seconds === null ? '' : timeLeft(seconds);
  }

  /** Shows a frame with a text for uploads of others, and for pictures that are not loaded yet. */
  #showFrame() {
    const { state, upload, isPicture, canLoad, bitmap, blur, problem, name, offset, size } = this.#item;
    const isComing = (state === 'uploading' || state === 'stalled') && upload === null && !canLoad;
    const isLoading = canLoad && isPicture && bitmap === null && blur === null && problem === '';
    this.#frame.hidden = !isComing && !isLoading;
    if (this.#frame.hidden) return;
    this.#frame.toggleAttribute('data-card', !isPicture);
    this.#frame.toggleAttribute('data-blurred', isPicture && blur !== null);
    const lines = [];
    if (isPicture) lines.push(make('b', {}, name));
    if (isComing) lines.push(make('span', {}, partDone(offset, size)));
    if (isComing && isPicture && size) lines.push(make('progress', { max: String(size), value: String(offset) }));
    if (isComing && state === 'stalled') lines.push(make('span', {}, laterStrings.paused));
    if (isLoading) lines.push(make('span', {}, laterStrings.loading));
    this.#frame.replaceChildren(...lines);
  }

  #showDownload() {
    const { source, isPicture, name } = this.#item;
    this.#download.hidden = source === null || isPicture;
    if (source === null || isPicture || this.#download.getAttribute('href') === source.url) return;
    this.#download.href = source.url;
    this.#download.download = name;
    this.#download.title = strings.download;
    this.#download.setAttribute('aria-label', strings.downloadOf(name));
  }

  /** Shows the button only while the animated picture is selected, so that it never covers a drawing. @param {boolean} isChosen */
  #showMotion(isChosen) {
    const { isAnimated, isPaused, name } = this.#item;
    this.#motion.hidden = !isAnimated || !isChosen;
    if (this.#motion.hidden) return;
    const action = isPaused ? laterStrings.playAnimation : laterStrings.pauseAnimation;
    this.#motion.title = action;
    this.#motion.setAttribute('aria-label', `${action}: ${name}`);
    this.#motion.replaceChildren(icon(isPaused ? 'resume' : 'pause'));
  }

  /** Announces to screen readers that an upload begins, ends or fails. */
  #announceState() {
    const { upload, state, problem, name } = this.#item;
    const before = this.#state;
    this.#state = problem
      ? 'missing'
      : upload?.state === 'failed'
      ? 'failed'
      : upload && !upload.isOver
      ? upload.state
      : state;
    if (this.#state === before) return;
    if (this.#state === 'local' && before === '') announce(laterStrings.onPage(name));
    else if (this.#state === 'failed') announce(laterStrings.notUploaded(name, failureText(upload)));
    else if (this.#state === 'missing') announce(problem);
    else if (upload && this.#state === 'paused') announce(laterStrings.uploadPaused(name));
    else if (upload && this.#state === 'uploading' && before !== 'ready') announce(laterStrings.uploading(name));
    else if (upload && this.#state === 'ready' && before !== '') announce(laterStrings.uploaded(name));
  }
}

/** @param {Item['upload']} upload @returns {string} the reason of the failure */
function failureText(upload) {
  return upload?.error ? errorText(upload.error) : '';
}
