/** The title of the page. It belongs to the session, and every participant can change it. */

import { cleanLine } from '../model/cleanLine.js';
import { OptimisticOverlay } from '../model/optimisticOverlay.js';
import { Retention } from '../sync/wire.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/wire.js').Entry} Entry
 */

export const TITLE_TYPE = 'TitleMessage';
/** The key of the title's entry, the same in all sessions: it begins with `title` in ASCII. */
export const TITLE_KEY = '7469746C-6500-8000-8000-000000000000';
/** The maximum number of characters. */
const MAX_TITLE_LENGTH = 80;

/** Events: `change`, and `remotechange` (detail: the number of the participant who has just changed it). */
export class Title extends EventTarget {
  /** @type {OptimisticOverlay<string, never>} */
  #overlay = new OptimisticOverlay(() => this.#changed());
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** True once the session's title is known, so that a title stored on this device is outdated. */
  #isKnown = false;
  /** The text at the last `change`. */
  #reported = '';

  /** The displayed title; '' if there is none. @returns {string} */
  get text() {
    return this.#overlay.base(TITLE_KEY) ?? '';
  }

  /** The maximum number of characters. */
  get maxLength() {
    return MAX_TITLE_LENGTH;
  }

  /** Changes the title for everybody. @param {string} typed an empty one removes the title */
  set(typed) {
    const text = cleanTitle(typed);
    this.#isKnown = true;
    if (text === this.text) return;
    this.#overlay.edit(TITLE_KEY, text || null);
    const session = this.#session;
    if (!session || session.state === 'invalidated') return this.#overlay.confirmLocally(TITLE_KEY);
    this.#overlay.addPending(TITLE_KEY, text !== '');
    session.send({
      type: TITLE_TYPE,
      key: TITLE_KEY,
      reliable: true,
      retention: text ? Retention.replace : Retention.remove,
      existing: false,
      payload: text ? new TextEncoder().encode(JSON.stringify({ title: text })) : new Uint8Array(0),
    });
  }

  /** Shows a title that this device stored, until the title of the session is known. @param {string} stored */
  restore(stored) {
    const text = cleanTitle(stored);
    if (text && !this.#isKnown && !this.text) this.#overlay.confirm(TITLE_KEY, undefined, () => text);
  }

  /**
   * Joins the title to a session.
   * @param {GroupSession} session @param {{ bringsPicture: boolean }} options `bringsPicture`: true to give the present title to
   *   the session
   */
  attach(session, { bringsPicture }) {
    const brought = bringsPicture ? this.text : '';
    this.detach();
    this.#reset();
    this.#session = session;
    this.#lifetime = new AbortController();
    session.observe({
      snapshotBegan: () => {
        this.#isKnown = true;
        this.#overlay.beginSnapshot();
      },
      caughtUp: () => this.#overlay.endSnapshot(),
      entry: (entry) => this.#receive(entry),
      acked: ({ entry }) => isTitle(entry) && this.#overlay.acknowledge(TITLE_KEY, isCreating(entry)),
      reopened: ({ entry }) => isTitle(entry) && this.#overlay.addPending(TITLE_KEY, isCreating(entry)),
    }, this.#lifetime);
    for (const { entry } of session.pending) {
      if (!isTitle(entry)) continue;
      this.#overlay.edit(TITLE_KEY, isCreating(entry) ? readTitle(entry.payload) || null : null);
      this.#overlay.addPending(TITLE_KEY, isCreating(entry));
    }
    if (brought) this.set(brought);
    this.#changed();
  }

  /** Separates the title from the session. It stays displayed. */
  detach() {
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#session = null;
    this.#overlay.detach();
  }

  /** Removes the title on this page only, because the page shows something else. */
  clear() {
    this.detach();
    this.#reset();
    this.#changed();
  }

  #reset() {
    this.#overlay.clear();
    this.#isKnown = false;
  }

  /**
   * Applies an entry under the title's key. A `replace` without a title removes the earlier title, as in a later snapshot.
   * @param {Entry} entry
   */
  #receive({ type, key, reliable, retention, sender, payload, system, unchanged }) {
    if (key !== TITLE_KEY || !reliable || system || unchanged) return;
    const session = this.#session;
    const isByOther = sender !== session?.localParticipant?.number;
    const before = this.text;
    const text = type === TITLE_TYPE && retention !== Retention.remove ? readTitle(payload) : '';
    if (text) this.#overlay.confirm(TITLE_KEY, sender, () => text);
    else if (retention !== Retention.append) this.#overlay.confirmRemoval(TITLE_KEY, isByOther);
    if (session?.isConnected && isByOther && this.text !== before) {
      this.dispatchEvent(new CustomEvent('remotechange', { detail: sender }));
    }
  }

  #changed() {
    if (this.text === this.#reported) return;
    this.#reported = this.text;
    this.dispatchEvent(new Event('change'));
  }
}

/** @param {string} typed @returns {string} a title; '' if nothing in it is visible */
export function cleanTitle(typed) {
  return cleanLine(typed, MAX_TITLE_LENGTH);
}

/** @param {Uint8Array} payload of anybody's message @returns {string} '' if it is invalid */
function readTitle(payload) {
  try {
    const { title } = JSON.parse(new TextDecoder().decode(payload));
    return typeof title === 'string' ? cleanTitle(title) : '';
  } catch {
    return '';
  }
}

/** @param {Pick<Entry, 'type'> & { key?: string | null }} entry */
function isTitle({ type, key }) {
  return type === TITLE_TYPE && key === TITLE_KEY;
}

/** @param {{ retention?: number }} entry @returns {boolean} true if it sets a title */
function isCreating({ retention }) {
  return retention !== Retention.remove;
}
