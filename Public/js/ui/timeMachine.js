/** The time machine: shows the session at any moment of its history, plays it, and brings objects back. */

import { MomentLoader } from '../edit/momentLoader.js';
import { PastScene } from '../edit/pastScene.js';
import { Playback } from '../model/playback.js';
import { Timeline } from '../model/timeline.js';
import { HistoryReader } from '../sync/history/historyReader.js';
import { HistoryRequests } from '../sync/history/historyRequests.js';
import { laterStrings } from '../i18n/later.js';
import { pastErrorText } from './pastErrors.js';
import { bindPastKeys } from './pastKeys.js';
import { PastPanel } from './pastPanel.js';
import { UNKNOWN_COLOR } from './pastSlider.js';
import { pastTime } from './pastTime.js';
import { PastView } from './pastView.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {{ sequence: number } | { time: number }} Moment `time`: in milliseconds since 1970
 *
 * @typedef {object} Parts
 * @property {URL} base the address of the gateway
 * @property {import('../model/camera.js').Camera} camera of the present picture
 * @property {import('../model/scene.js').Items} items the present ones
 * @property {import('../model/item.js').ItemPainter} painter
 * @property {MediaQueryList} reducedMotion
 * @property {() => number} sheet returns the number of the sheet that the page shows, or is about to show
 * @property {(chosen: readonly Drawable[], isAll: boolean, past: PastScene, signal: AbortSignal) => Promise<string>} bringBack
 *   brings objects back to the page, unless the signal is aborted before; `isAll`: the whole moment; returns the reason why nothing
 *   came back, or '' if something did
 * @property {(sequence: number, sheet: number) => string} linkTo returns the link to a moment
 * @property {() => void} closed called when it is closed
 * @property {() => void} requestFrame
 * @property {Pick<typeof import('../app/session.js'), 'pastAttachment' | 'readAttachment' | 'SheetContents' | 'Sheets' |
 *   'SheetView'>} sessionModule
 */

export class TimeMachine {
  #parts;
  #past;
  #view;
  /** @type {PastPanel} */
  #panel;
  #playback = new Playback();
  #loader;
  /** @type {GroupSession | null} the session whose history is shown; null: it is closed */
  #session = null;
  /** @type {Timeline | null} null until the history is known */
  #timeline = null;
  /** @type {import('../sync/history/historyOverview.js').HistoryOverview | null} */
  #overview = null;
  /** The position on the axis. */
  #position = 0;
  /** The moment that is shown when the history is known. @type {Moment | null} */
  #moment = null;
  /** Aborted when it is closed. */
  #lifetime = new AbortController();
  /** True until the first picture of a history is shown. */
  #isNew = true;
  /** True while objects are being brought back. */
  #isReturning = false;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { sessionModule } = parts;
    this.#past = new PastScene({
      sheets: new sessionModule.Sheets(),
      readAttachment: sessionModule.readAttachment,
      attachment: (...entry) => sessionModule.pastAttachment(parts.base, this.#session?.id ?? '', ...entry),
      blobOf: (id) => parts.items.find(id)?.blob ?? null,
      nameOf: (number) => this.#participant(number)?.name ?? '',
    });
    this.#loader = new MomentLoader(this.#past, {
      shown: (state, isLast) => this.#changed(state, isLast),
      failed: (error) => this.#notShown(error),
      busy: (isBusy) => this.#panel.busy(isBusy),
    });
    this.#view = new PastView({
      past: this.#past,
      painter: parts.painter,
      requestFrame: parts.requestFrame,
      sessionModule,
    });
    this.#panel = new PastPanel({
      view: this.#view,
      playback: this.#playback,
      moved: (position) => this.#moved(position),
      play: () => this.#togglePlayback(),
      step: (by) => this.#step(by),
      bringBack: () => this.#bringBack(),
      link: () => parts.linkTo(this.#sequence, this.#view.sheetView.current),
      // The dialog may be open again before the `close` event of the last time.
      closed: () => this.#panel.dialog.open || this.close(),
    });
    document.body.append(this.#panel.dialog);
    bindPastKeys(this.#panel.dialog, {
      view: this.#view,
      scene: this.#past.scene,
      session: () => this.#session,
      play: () => this.#togglePlayback(),
      say: (text) => this.#panel.note(text),
      requestFrame: parts.requestFrame,
    });
  }

  get isOpen() {
    return this.#session !== null;
  }

  /**
   * Shows the history of a session.
   * @param {GroupSession} session @param {Moment | null} [moment] null: the present
   */
  async open(session, moment = null) {
    if (this.#session === session) return this.#goTo(moment);
    this.close();
    this.#session = session;
    this.#moment = moment;
    this.#lifetime = new AbortController();
    this.#isNew = true;
    this.#isReturning = false;
    this.#panel.open();
    this.#view.open(this.#parts.camera);
    const requests = new HistoryRequests({ base: this.#parts.base, session: session.id });
    try {
      const overview = await this.#loader.open(new HistoryReader(requests));
      if (overview) this.#begin(overview);
    } catch (error) {
      this.#panel.fail(pastErrorText(error, laterStrings.noHistory));
    }
  }

  close() {
    this.#panel.close();
    if (!this.isOpen) return;
    this.#lifetime.abort();
    this.#playback.pause();
    this.#view.close();
    this.#session = this.#timeline = this.#overview = null;
    // A last frame stops the painting of tiles.
    this.#loader.close().then(() => this.#view.frame(performance.now()));
    this.#parts.closed();
  }

  /** Draws a frame. @param {number} now milliseconds @returns {boolean} true if another frame is needed */
  frame(now) {
    if (!this.isOpen) return false;
    if (this.#playback.isPlaying && !this.#loader.isBusy) this.#playOn(now);
    return (this.#past.isChanging || this.#view.frame(now)) || this.#playback.isPlaying;
  }

  /** @param {import('../sync/history/historyOverview.js').HistoryOverview} overview */
  #begin(overview) {
    const { buckets, first, through } = this.#overview = overview;
    if (buckets.length === 0 || first === through) return this.#panel.fail(laterStrings.emptyHistory);
    this.#timeline = new Timeline(buckets, first, through);
    const colorOf = (/** @type {number} */ sender) => this.#participant(sender)?.color ?? UNKNOWN_COLOR;
    this.#panel.begin(this.#timeline, [first + 1, through], colorOf);
    this.#goTo(this.#moment);
  }

  /** @param {Moment | null} moment null: the present */
  #goTo(moment) {
    this.#moment = moment;
    const [timeline, overview] = [this.#timeline, this.#overview];
    if (!timeline || !overview) return;
    const { first, through } = overview;
    const wanted = !moment ? through : 'time' in moment ? timeline.sequenceAtTime(moment.time) : moment.sequence;
    if (wanted < first) this.#panel.note(laterStrings.momentGone);
    this.#seek(Math.min(through, Math.max(first, wanted)));
  }

  /** The sequence of the picture; before there is one, of the slider. */
  get #sequence() {
    const { nearest } = this.#loader;
    return nearest < 0 ? this.#timeline?.sequenceAt(this.#position) ?? 0 : nearest;
  }

  /** Shows the moment at the new position of the slider. @param {number} position */
  #moved(position) {
    const timeline = this.#timeline;
    if (!timeline) return;
    this.#pause();
    this.#position = position;
    const sequence = timeline.sequenceAt(position);
    this.#panel.note('');
    this.#describe(timeline.timeOf(sequence), timeline.senderAround(sequence));
    this.#loader.want(sequence);
  }

  /** Goes to the next change, or the previous one. @param {1 | -1} by */
  #step(by) {
    const [timeline, overview] = [this.#timeline, this.#overview];
    if (!timeline || !overview) return;
    this.#pause();
    this.#panel.note('');
    const { wanted } = this.#loader;
    // After an error, no state is shown.
    const from = wanted < 0 ? timeline.sequenceAt(this.#position) : wanted;
    this.#seek(Math.min(overview.through, Math.max(overview.first, from + by)));
  }

  /** @param {number} sequence */
  #seek(sequence) {
    this.#position = this.#timeline?.positionOf(sequence) ?? 0;
    this.#panel.place(this.#position);
    this.#loader.want(sequence);
  }

  #togglePlayback() {
    if (!this.#timeline) return;
    if (this.#playback.isPlaying) return this.#pause();
    if (this.#position >= this.#timeline.length) this.#position = 0;
    this.#playback.play();
    this.#panel.note('');
    this.#panel.showPlayback();
    this.#parts.requestFrame();
  }

  #pause() {
    this.#playback.pause();
    this.#panel.showPlayback();
  }

  /** @param {number} now */
  #playOn(now) {
    const timeline = this.#timeline;
    if (!timeline) return;
    this.#position = this.#playback.next(this.#position, timeline.length, now, this.#parts.reducedMotion.matches);
    if (!this.#playback.isPlaying) this.#panel.showPlayback();
    this.#panel.place(this.#position);
    this.#loader.want(timeline.sequenceAt(this.#position));
  }

  /** Updates the panel. @param {import('../sync/history/historyState.js').HistoryState} state @param {boolean} isLast */
  #changed({ sequence, time, sender }, isLast) {
    if (this.#isNew) this.#showFirst();
    this.#isNew = false;
    this.#panel.shown(sequence);
    if (isLast) this.#describe(time ?? this.#timeline?.timeOf(sequence) ?? null, sender);
    this.#parts.requestFrame();
  }

  /** Reports an error, and moves the slider back to the moment of the picture. @param {unknown} error */
  #notShown(error) {
    const [{ shown }, timeline] = [this.#loader, this.#timeline];
    this.#pause();
    if (shown >= 0 && timeline) {
      this.#position = timeline.positionOf(shown);
      this.#describe(timeline.timeOf(shown), timeline.senderAround(shown));
    }
    this.#panel.note(pastErrorText(error, laterStrings.momentGone));
  }

  /** Begins with the sheet and the view of the page, unless the moment has nothing there. */
  #showFirst() {
    const { sheetView } = this.#view;
    sheetView.go(this.#parts.sheet());
    this.#view.see(this.#parts.camera);
    if (!this.#view.isFilled) this.#view.showEverything();
  }

  /** @param {number | null} time @param {number} sender */
  #describe(time, sender) {
    this.#panel.describe(this.#position, pastTime(time), sender > 0 ? this.#participant(sender) : null);
  }

  async #bringBack() {
    const [session, { signal }] = [this.#session, this.#lifetime];
    // Before the page has all objects of the session, the past ones cannot be compared with them.
    if (!session?.isConnected) return this.#panel.note(laterStrings.needsConnection);
    if (this.#isReturning) return;
    this.#isReturning = true;
    this.#pause();
    const { wanted } = this.#loader;
    await this.#loader.idle;
    // False if the moment could not be loaded, or if the person has chosen another one since then.
    const isShown = this.#loader.shown === wanted;
    const reason = isShown && !signal.aborted ? await this.#bringChosenBack(signal) : '';
    if (signal.aborted) return;
    this.#isReturning = false;
    if (reason) this.#panel.note(reason);
    else if (isShown) this.close();
  }

  /**
   * Brings the selection back, or the whole moment if nothing is selected.
   * @param {AbortSignal} signal @returns {Promise<string>} as `bringBack`
   */
  async #bringChosenBack(signal) {
    // The moment could not be loaded.
    if (this.#loader.shown < 0) return laterStrings.historyErrors.unavailable;
    const { selection } = this.#view;
    const isAll = selection.size === 0;
    const chosen = isAll ? [...this.#past.scene.all] : [...selection.shapes, ...selection.items];
    this.#panel.busy(true);
    const reason = await this.#parts.bringBack(chosen, isAll, this.#past, signal);
    if (!signal.aborted) this.#panel.busy(false);
    return reason;
  }

  /** @param {number} number */
  #participant(number) {
    return this.#overview?.participants.get(number) ?? this.#session?.participant(number) ?? null;
  }
}
