/** Keeps the list of pages up to date: the title, the people, the date and the thumbnail of the shown page. */

import { identity, peopleAmong } from '../protocol/presence.js';
import { newRecord } from '../persist/pageList.js';

/**
 * @typedef {import('../persist/pageList.js').PageRecord} PageRecord
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../model/scene.js').Drawable} Drawable
 *
 * @typedef {object} Parts
 * @property {EventTarget & Pick<import('./sharing.js').Sharing, 'session' | 'over' | 'pageId' | 'isShared' | 'copiedFrom' | 'gone'>} sharing
 * @property {EventTarget} drawing
 * @property {Pick<import('../model/scene.js').Scene, 'all' | 'isEmpty' | 'observe'>} scene
 * @property {import('../protocol/titleSync.js').Title} title
 * @property {Pick<import('../persist/pageList.js').PageList, 'find' | 'put' | 'remove' | 'forget'>} list
 * @property {{ name: string, color: string }} profile of this person
 * @property {(drawables: readonly Drawable[]) => Promise<Blob | null>} paint makes a thumbnail
 * @property {() => boolean} isCaughtUp returns true once the session's picture is displayed
 * @property {(run: () => void) => unknown} later runs a function after a delay, when the page has nothing else to do
 * @property {() => number} [wallClock] milliseconds since 1970
 */

/** The maximum number of names. */
const MAX_PEOPLE = 12;

/** Stores the record of the shown page, as soon as the page has content. */
export class PageRecorder {
  #parts;
  #wallClock;
  /** The record of the shown page; null if no page is open, or its record is not read yet. @type {PageRecord | null} */
  #record = null;
  /** True if the list has the page already. */
  #isStored = false;
  /** True once the session's picture is displayed. */
  #isCaughtUp = false;
  #isPictureChanged = false;
  #isScheduled = false;
  /** @type {string | null} */
  #pageId = null;
  #isPageShared = false;
  /** @type {GroupSession | null} */
  #session = null;
  /** The ids of sessions that no longer exist, and of boards whose picture is in a session. @type {Set<string>} */
  #gone = new Set();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#wallClock = parts.wallClock ?? Date.now;
    const { sharing, drawing, scene, title } = parts;
    for (const event of ['session', 'opened']) sharing.addEventListener(event, () => this.#pageChanged());
    sharing.addEventListener('leave', () => this.save());
    drawing.addEventListener('caughtup', () => {
      this.#isCaughtUp = true;
      this.#saveLater();
    });
    const pictureChanged = () => {
      this.#isPictureChanged = true;
      this.#saveLater();
    };
    scene.observe({ shown: pictureChanged, changed: pictureChanged, hidden: pictureChanged });
    title.addEventListener('change', () => this.#saveLater());
    this.#pageChanged();
    // The session may have been entered before this part of the page was loaded.
    this.#isCaughtUp = parts.isCaughtUp();
  }

  /** Stores the record with the present date, and then the thumbnail if the picture has changed. */
  async save() {
    const record = this.#record;
    const { sharing, title, list, paint, scene } = this.#parts;
    // While the page changes, the title and the picture may already be those of the next page.
    if (!record || record.id !== sharing.pageId || !this.#isListed(record)) return;
    Object.assign(record, { title: title.text, at: this.#wallClock(), isEnded: sharing.over !== null });
    this.#isStored = true;
    const isShown = this.#isCaughtUp || !scene.isEmpty;
    const drawables = this.#isPictureChanged && isShown ? [...scene.all] : null;
    const storing = list.put({ ...record });
    if (drawables) {
      this.#isPictureChanged = false;
      record.thumbnail = drawables.length > 0 ? await paint(drawables).catch(() => null) : null;
      await storing;
      if (!this.#gone.has(record.id)) await list.put({ ...record });
    }
    await storing;
  }

  /** @param {PageRecord} record @returns {boolean} true if the page belongs to the list */
  #isListed({ isShared }) {
    const { scene, title } = this.#parts;
    return this.#isStored || !scene.isEmpty || title.text !== '' || isShared && this.#isCaughtUp;
  }

  #saveLater() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#parts.later(() => {
      this.#isScheduled = false;
      this.save();
    });
  }

  /** Begins the record of another page. */
  async #pageChanged() {
    const { sharing, list, title } = this.#parts;
    const { pageId: id, isShared, session, copiedFrom } = sharing;
    this.#watch(session);
    // The page is the same, but its state has changed: for example, its session has ended.
    if (id === this.#pageId) return void this.save();
    // A board becomes a session when it is shared. The record of the board would list the same page twice.
    if (this.#pageId && !this.#isPageShared && isShared) {
      this.#gone.add(this.#pageId);
      list.forget(this.#pageId);
    }
    this.#pageId = id;
    this.#isPageShared = isShared;
    this.#record = null;
    this.#isCaughtUp = false;
    // The picture may have come from a board or a session.
    this.#isPictureChanged = true;
    if (!id) return;
    const stored = await list.find(id);
    const original = !stored && copiedFrom ? await list.find(copiedFrom) : null;
    if (id !== this.#pageId) return;
    this.#record = { ...newRecord(id), ...stored, isShared };
    this.#isStored = stored !== null;
    title.restore((stored ?? original)?.title ?? '');
    this.#addPeople();
    await this.save();
  }

  /** Switches to another session. @param {GroupSession | null} session null: none */
  #watch(session) {
    const { sharing: { gone }, list } = this.#parts;
    // The gateway has forgotten the page, so its link is of no use.
    if (gone && !this.#gone.has(gone)) {
      this.#gone.add(gone);
      list.remove({ id: gone, isShared: true });
    }
    if (session === this.#session) return;
    this.#session = session;
    session?.addEventListener('participantschange', () => session === this.#session && this.#addPeople());
  }

  /** Adds the names of the people who are here. */
  #addPeople() {
    // In a session, this person's color is the one that the gateway gave.
    const me = this.#session?.localParticipant ?? this.#parts.profile;
    const others = peopleAmong(this.#session?.activeParticipants ?? [])
      .filter((one) => identity(one) !== identity(me)).map(({ name }) => name);
    if (!this.#record || others.length === 0) return;
    this.#record.people = [...new Set([...others, ...this.#record.people])].slice(0, MAX_PEOPLE);
    this.#saveLater();
  }
}
