/** Between the marks and the session: says what this person does to them, and hears what all do. */

import { DEFAULT_LIMITS } from '../sync/control.js';
import { MessageTooLargeError } from '../sync/errors.js';
import { isKey } from '../sync/key.js';
import { Retention } from '../sync/wire.js';
import { Backlog } from '../model/scheduling.js';
import { encodeMark, encodeStroke, isMarkType, readMark, STROKE_TYPE } from './shapeMessages.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/outbox.js').OutboxItem} OutboxItem
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../sync/wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {import('../model/shapes.js').Mark} Mark
 * @typedef {import('../model/stroke.js').Stroke} Stroke
 */

/** The most bytes a point can take in a message, its pressure too; and all that is not points. */
const POINT_BYTES = 34;
const LOOK_BYTES = 512;
/** However much a message may hold, a longer stroke is parted: its shape is made anew with each point. */
export const POINTS_A_STROKE = 4000;

export class MarkExchange {
  #marks;
  #changed;
  #failed;
  #said;
  #backlog;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;

  /**
   * @param {import('../model/shapes.js').Marks} marks
   * @param {object} events
   * @param {() => void} events.changed something else is to be seen, or waits
   * @param {(error: Error) => void} events.failed a mark cannot be sent
   * @param {(entry: OutgoingEntry) => void} events.said to nobody: there is no session
   * @param {Backlog} [backlog] takes what the session says
   */
  constructor(marks, { changed, failed, said }, backlog = new Backlog()) {
    this.#marks = marks;
    this.#backlog = backlog;
    this.#changed = changed;
    this.#failed = failed;
    this.#said = said;
  }

  /** How many marks the session does not hold yet. */
  get waiting() {
    const waiting = this.#session?.pending.filter(({ entry }) => isMarkType(entry.type)) ?? [];
    return new Set(waiting.map(({ entry }) => entry.key)).size;
  }

  /** How long a stroke may get: whole, it must fit one message. */
  get pointsAStroke() {
    const { messageBytes } = this.#session?.limits ?? DEFAULT_LIMITS;
    return Math.max(2, Math.min(POINTS_A_STROKE, Math.floor((messageBytes - LOOK_BYTES) / POINT_BYTES)));
  }

  /** Above all that is known, also to those who do not say where their marks lie. */
  get nextZ() {
    const above = Math.max(this.#marks.highestZ, this.#session?.lastSequence ?? 0) + 1;
    // Somebody may have used up all there is; a `z` beyond would be none to the others.
    return Math.min(above, Number.MAX_SAFE_INTEGER);
  }

  /** @param {GroupSession} session that the marks belong to from now on, with what it has yet to be told */
  attach(session) {
    this.detach();
    this.#session = session;
    this.#lifetime = new AbortController();
    const { signal } = this.#lifetime;
    const later = (/** @type {() => void} */ run) => this.#backlog.add(() => signal.aborted || run());
    session.observe({
      snapshotBegan: () => later(() => this.#marks.beginSnapshot()),
      caughtUp: () =>
        later(() => {
          this.#marks.endSnapshot(later);
          this.#changed();
        }),
      entry: (entry) => later(() => this.#receive(entry)),
      acked: (item, refusal) => later(() => this.#settled(item, refusal)),
      // What is seen now stays, until the session has it again.
      reopened: ({ entry: { type, key, ...entry } }) => {
        if (isMarkType(type) && key) later(() => this.#marks.sent(key, creates(entry)));
      },
    }, this.#lifetime);
    for (const { entry } of session.pending) this.#restore(entry);
  }

  /** What is to be seen is all there is. */
  detach() {
    this.#backlog.finish();
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#session = null;
    this.#marks.abandonSnapshot();
    this.#marks.keepAll();
  }

  /** Adds the points from one on; the first time, that begins it. @param {Stroke} stroke @param {number} from */
  append(stroke, from) {
    const payload = encodeStroke(stroke, from);
    this.#say(stroke.id, { type: STROKE_TYPE, retention: Retention.append, existing: from > 0, payload });
  }

  /** @param {Mark} mark whole @param {{ existing: boolean }} options whether it is only to be changed if it is still there */
  replace(mark, { existing }) {
    this.#say(mark.id, { ...encodeMark(mark), retention: Retention.replace, existing });
  }

  /** @param {Mark} mark */
  remove({ id }) {
    this.#say(id, { type: STROKE_TYPE, retention: Retention.remove, existing: false, payload: new Uint8Array(0) });
  }

  /** It was said alone, to an earlier page. @param {{ type: string, key: string, payload: Uint8Array }} entry */
  hear(entry) {
    this.#receive({ ...entry, retention: Retention.replace, reliable: true, sequence: 0 });
  }

  /** @param {string} key @param {{ type: string, retention: number, existing: boolean, payload: Uint8Array }} entry */
  #say(key, entry) {
    const session = this.#session;
    const whole = { reliable: true, key, ...entry };
    if (!session || session.state === 'invalidated') {
      this.#marks.keep(key);
      return this.#said(whole);
    }
    this.#marks.sent(key, creates(entry));
    try {
      session.send(whole);
    } catch (error) {
      if (!(error instanceof MessageTooLargeError)) throw error;
      this.#marks.settled(key, creates(entry));
      this.#failed(error);
    }
  }

  /** @param {Pick<Entry, 'type' | 'key' | 'retention' | 'payload' | 'reliable' | 'sequence'> & Partial<Entry>} entry */
  #receive(entry) {
    const { key, retention, sequence } = entry;
    if (!key || !entry.reliable || entry.system || entry.unchanged) return;
    if (retention === Retention.remove) {
      this.#marks.confirmRemoval(key, entry.sender !== this.#session?.localParticipant?.number);
    } else if (isMarkType(entry.type)) {
      const change = readMark(entry, key, sequence);
      if (!change) return;
      this.#marks.confirm(key, change);
    }
    this.#changed();
  }

  /** @param {OutboxItem} item @param {Error | null} refusal */
  #settled({ entry }, refusal) {
    if (!isMarkType(entry.type) || !entry.key) return;
    if (refusal) this.#failed(refusal);
    this.#marks.settled(entry.key, creates(entry));
    this.#changed();
  }

  /** Shows what an earlier page of this tab said and the session does not hold. @param {OutgoingEntry} entry */
  #restore(entry) {
    const { type, key, retention } = entry;
    if (!isMarkType(type) || !isKey(key)) return;
    this.#marks.sent(key, creates(entry));
    if (retention === Retention.remove) return this.#marks.remove(key);
    const shown = this.#marks.find(key);
    const mark = readMark(entry, key, 0)?.(shown ?? undefined);
    if (mark && mark === shown) this.#marks.touched(key);
    else if (mark) this.#marks.put(mark);
  }
}

/** @param {{ retention?: number, existing?: boolean }} entry @returns {boolean} whether it brings its mark back whoever removed it */
function creates({ retention, existing }) {
  return retention !== Retention.remove && !existing;
}
