/** The state of a session by key. Edits of this person are displayed before the session has confirmed them. */

/**
 * @template T
 * @typedef {object} PendingEdit
 * @property {T | null} value after this person's edits; null: removed
 * @property {number} pending the number of sent edits that the session has not acknowledged
 * @property {number} creating the number of pending edits that restore the value if another participant removed it
 * @property {boolean} isDraft true while this person draws, types or drags: the edit then stays even if nothing is pending
 */

/** A drag by another participant ends after this time without a message about it. */
const REMOTE_DRAG_TIMEOUT_MS = 5000;

/**
 * Stores the confirmed values of a session, the pending edits of this person, and the present drags by others.
 * @template T a value @template D a drag of a value
 */
export class OptimisticOverlay {
  /** @type {Map<string, T>} */
  #confirmed = new Map();
  /** The values of a snapshot that is still arriving. @type {Map<string, T> | null} */
  #incoming = null;
  /** @type {Map<string, PendingEdit<T>>} */
  #edits = new Map();
  /** @type {Map<string, { drag: D, by: number, until: number }>} the drags by other participants */
  #remoteDrags = new Map();
  #changed;

  /** @param {(key: string) => void} changed the displayed value of a key may have changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @returns {Iterable<string>} the keys of the values that the session has */
  get confirmedKeys() {
    return this.#confirmed.keys();
  }

  /** @param {string} key @returns {T | null} the session's value, without pending edits */
  confirmed(key) {
    return this.#confirmed.get(key) ?? null;
  }

  /** @param {string} key @returns {Readonly<PendingEdit<T>> | null} */
  pendingEdit(key) {
    return this.#edits.get(key) ?? null;
  }

  /** @param {string} key @returns {T | null} the value with this person's edits, without the drags by others */
  base(key) {
    const edit = this.#edits.get(key);
    return edit ? edit.value : this.confirmed(key);
  }

  /** @param {string} key @returns {D | null} */
  remoteDrag(key) {
    return this.#remoteDrags.get(key)?.drag ?? null;
  }

  // Changes from the session, in its order.

  /** Starts a snapshot. The present values stay until `endSnapshot`, unless there are none. */
  beginSnapshot() {
    this.#incoming = this.#confirmed.size > 0 ? new Map() : null;
  }

  /**
   * Completes a snapshot and reports its values.
   * @param {(report: () => void) => void} [later] runs functions in order, at once or later
   */
  endSnapshot(later = (report) => report()) {
    if (!this.#incoming) return;
    const keys = new Set([...this.#confirmed.keys(), ...this.#incoming.keys()]);
    this.#confirmed = this.#incoming;
    this.#incoming = null;
    for (const key of keys) later(() => this.#changed(key));
  }

  /**
   * Applies a change, and ends a drag by its author.
   * @param {string} key @param {number | undefined} by a participant's number
   * @param {(held: T | undefined) => T} change returns the new value @returns {T}
   */
  confirm(key, by, change) {
    const space = this.#incoming ?? this.#confirmed;
    const value = change(space.get(key));
    space.set(key, value);
    if (this.#remoteDrags.get(key)?.by === by) this.#remoteDrags.delete(key);
    if (!this.#incoming) this.#changed(key);
    return value;
  }

  /** @param {string} key @param {boolean} byOther true if another participant removed it */
  confirmRemoval(key, byOther) {
    if (this.#incoming) return void this.#incoming.delete(key);
    this.#confirmed.delete(key);
    this.#remoteDrags.delete(key);
    const edit = this.#edits.get(key);
    if (byOther && edit?.value && edit.creating === 0) this.#edits.delete(key);
    this.#changed(key);
  }

  /** Replaces a confirmed value by an equal one, which is displayed already. @param {string} key @param {T} value */
  replaceConfirmed(key, value) {
    this.#confirmed.set(key, value);
  }

  /**
   * Starts or continues a drag by another participant.
   * @param {string} key @param {D} drag @param {number} by @param {number} now
   */
  dragRemotely(key, drag, by, now) {
    this.#remoteDrags.set(key, { drag, by, until: now + REMOTE_DRAG_TIMEOUT_MS });
    this.#changed(key);
  }

  /**
   * Ends remote drags without recent messages.
   * @param {number} now in milliseconds; Infinity ends all @returns {boolean} true if others still drag something
   */
  expireRemoteDrags(now) {
    for (const [key, { until }] of this.#remoteDrags) {
      if (until > now) continue;
      this.#remoteDrags.delete(key);
      this.#changed(key);
    }
    return this.#remoteDrags.size > 0;
  }

  // Edits of this person, displayed at once.

  /** @param {string} key @param {T | null} value null: removed @param {boolean} [isDraft] */
  edit(key, value, isDraft = false) {
    Object.assign(this.#editOf(key), { value, isDraft });
    this.#changed(key);
  }

  /** Counts an edit that was sent and is not acknowledged yet. @param {string} key @param {boolean} creating */
  addPending(key, creating) {
    const edit = this.#editOf(key);
    edit.pending += 1;
    if (creating) edit.creating += 1;
  }

  /** Counts an edit as accepted or refused by the session. @param {string} key @param {boolean} creating */
  acknowledge(key, creating) {
    const edit = this.#edits.get(key);
    if (!edit) return;
    edit.pending = Math.max(0, edit.pending - 1);
    if (creating) edit.creating = Math.max(0, edit.creating - 1);
    this.#removeIfSettled(key, edit);
  }

  /** Ends the draft state: once nothing is pending, the session's value is displayed. @param {string} key */
  endDraft(key) {
    const edit = this.#edits.get(key);
    if (!edit) return;
    edit.isDraft = false;
    this.#removeIfSettled(key, edit);
  }

  /** Confirms the pending edit of a value without a session. @param {string} key */
  confirmLocally(key) {
    const edit = this.#edits.get(key);
    if (!edit) return;
    if (edit.value) this.#confirmed.set(key, edit.value);
    else this.#confirmed.delete(key);
    if (!edit.isDraft) this.#edits.delete(key);
  }

  /** Ends the session: drops an incomplete snapshot, and confirms all edits but drafts. */
  detach() {
    this.#incoming = null;
    for (const [key, { isDraft }] of this.#edits) if (!isDraft) this.confirmLocally(key);
  }

  /** Drops everything about a key, without a report. @param {string} key */
  delete(key) {
    for (const space of [this.#edits, this.#confirmed, this.#remoteDrags]) space.delete(key);
  }

  /** Drops everything, without a report. */
  clear() {
    for (const space of [this.#edits, this.#confirmed, this.#remoteDrags]) space.clear();
    this.#incoming = null;
  }

  /** @param {string} key @param {PendingEdit<T>} edit */
  #removeIfSettled(key, edit) {
    if (edit.pending > 0 || edit.isDraft) return;
    this.#edits.delete(key);
    this.#changed(key);
  }

  /** @param {string} key @returns {PendingEdit<T>} */
  #editOf(key) {
    let edit = this.#edits.get(key);
    if (!edit) this.#edits.set(key, edit = { value: this.confirmed(key), pending: 0, creating: 0, isDraft: false });
    return edit;
  }
}
