/** The time machine: shows the session at any moment of its history, plays it, and brings objects back. */

import { MomentLoader } from '../edit/momentLoader.js';
import { PastScene } from '../edit/pastScene.js';
import { Playback } from '../model/playback.js';
import { Timeline } from '../model/timeline.js';
import { HistoryReader } from '../sync/history/historyReader.js';
import { HistoryRequests } from '../sync/history/historyRequests.js';
import { errorText } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
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
 * @property {(chosen: readonly Drawable[], isAll: boolean, past: PastScene) => Promise<string>} bringBack brings objects back to the
 *   page; `isAll`: the whole moment; returns the reason why nothing came back, or '' if something did
 * @property {(sequence: number, sheet: number) => string} linkTo returns the link to a moment
 * @property {() => void} closed called when it is closed
 * @property {() => void} requestFrame
 * @property {Pick<typeof import('../app/session.js'), 'Attachment' | 'readAttachment' | 'SheetContents' | 'Sheets' | 'SheetView'>}
 *   sessionModule
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
      attachment: (facts, sequence) => this.#attachment(facts, sequence),
      blobOf: (id) => parts.items.find(id)?.blob ?? null,
      nameOf: (number) => this.#participant(number)?.name ?? '',
    });
    this.#loader = new MomentLoader(this.#past, {
      shown: (state, isLast) => this.#changed(state, isLast),
      failed: (error) => {
        this.#pause();
        this.#failed(error, laterStrings.momentGone);
      },
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
      link: () => parts.linkTo(this.#loader.shown, this.#view.sheetView.current),
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
    this.#isNew = true;
    this.#panel.open();
    this.#view.open(this.#parts.camera);
    const requests = new HistoryRequests({ base: this.#parts.base, session: session.id });
    try {
      const overview = await this.#loader.open(new HistoryReader(requests));
      if (overview) this.#begin(overview, moment);
    } catch (error) {
      this.#failed(error, laterStrings.noHistory);
    }
  }

  close() {
    this.#panel.close();
    if (!this.isOpen) return;
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

  /** @param {import('../sync/history/historyOverview.js').HistoryOverview} overview @param {Moment | null} moment */
  #begin(overview, moment) {
    this.#overview = overview;
    const { buckets, first, through } = overview;
    if (buckets.length === 0 || first === through) return this.#panel.fail(laterStrings.emptyHistory);
    this.#timeline = new Timeline(buckets, first, through);
    const colorOf = (/** @type {number} */ sender) => this.#participant(sender)?.color ?? UNKNOWN_COLOR;
    this.#panel.begin(this.#timeline, [first + 1, through], colorOf);
    this.#goTo(moment);
  }

  /** @param {Moment | null} moment null: the present */
  #goTo(moment) {
    const [timeline, overview] = [this.#timeline, this.#overview];
    if (!timeline || !overview) return;
    const { first, through } = overview;
    const wanted = !moment ? through : 'time' in moment ? timeline.sequenceAtTime(moment.time) : moment.sequence;
    if (wanted < first) this.#panel.note(laterStrings.momentGone);
    this.#seek(Math.min(through, Math.max(first, wanted)));
  }

  /** The person moved the slider. @param {number} position */
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

  /** The picture has changed. @param {import('../sync/history/historyState.js').HistoryState} state @param {boolean} isLast */
  #changed({ sequence, time, sender }, isLast) {
    if (this.#isNew) this.#showFirst();
    this.#isNew = false;
    this.#panel.shown(sequence);
    if (isLast) this.#describe(time ?? this.#timeline?.timeOf(sequence) ?? null, sender);
    this.#parts.requestFrame();
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
    const who = sender > 0 ? this.#participant(sender) : null;
    this.#panel.describe(this.#position, pastTime(time), who);
  }

  /** @param {unknown} error @param {string} gone the text if the gateway does not have what was requested */
  #failed(error, gone) {
    const { code } = /** @type {{ code?: string }} */ (error);
    const text = code === 'not-found' ? gone : laterStrings.historyErrors[code ?? ''] ?? errorText(error);
    if (this.#timeline) this.#panel.note(text);
    else this.#panel.fail(text);
  }

  async #bringBack() {
    const session = this.#session;
    // Before the page has all objects of the session, the past ones cannot be compared with them.
    if (!session?.isConnected) return this.#panel.note(laterStrings.needsConnection);
    if (this.#isReturning) return;
    this.#isReturning = true;
    this.#pause();
    await this.#loader.idle;
    const reason = session === this.#session ? await this.#bringChosenBack() : '';
    this.#isReturning = false;
    if (session !== this.#session) return;
    if (reason) this.#panel.note(reason);
    else this.close();
  }

  /** Brings the selection back, or the whole moment if nothing is selected. @returns {Promise<string>} as `bringBack` */
  async #bringChosenBack() {
    const { selection } = this.#view;
    const isAll = selection.size === 0;
    const chosen = isAll ? [...this.#past.scene.all] : [...selection.shapes, ...selection.items];
    this.#panel.busy(true);
    const reason = await this.#parts.bringBack(chosen, isAll, this.#past);
    this.#panel.busy(false);
    return reason;
  }

  /** @param {number} number */
  #participant(number) {
    return this.#overview?.participants.get(number) ?? this.#session?.participant(number) ?? null;
  }

  /** @param {import('../sync/journal/attachment.js').AttachmentFacts} facts @param {number} sequence */
  #attachment(facts, sequence) {
    const url = new URL(`api/sessions/${this.#session?.id}/attachments/${facts.id}`, this.#parts.base).href;
    // The content may be complete by now, or gone. If it is gone, the picture is shown as an empty frame.
    const record = { ...facts, state: /** @type {const} */ ('ready'), sequence, isStalled: false };
    return new this.#parts.sessionModule.Attachment(record, url, (...request) => fetch(...request));
  }
}
