/** Between the strokes and the session: says what this person does to them, and hears what all do. */

import { DEFAULT_LIMITS } from '../session/control.js';
import { MessageTooLargeError } from '../session/errors.js';
import { isKey } from '../session/key.js';
import { Retention } from '../session/wire.js';
import { encodeStroke, readStroke, STROKE_TYPE, strokeFrom } from './strokeMessage.js';

/**
 * @typedef {import('../session/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../session/outbox.js').OutboxItem} OutboxItem
 * @typedef {import('../session/wire.js').Entry} Entry
 * @typedef {import('../session/wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {import('./stroke.js').Stroke} Stroke
 */

/** The most bytes a point can take in a message, its pressure too; and all that is not points. */
const POINT_BYTES = 34;
const LOOK_BYTES = 512;
/** However much a message may hold, a longer stroke is parted: its shape is made anew with each point. */
const POINTS_A_STROKE = 4000;

export class MarkExchange {
  #marks;
  #changed;
  #failed;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;

  /**
   * @param {import('./marks.js').Marks} marks
   * @param {{ changed: () => void, failed: (error: Error) => void }} events something else is to be seen, or waits; a stroke cannot be sent
   */
  constructor(marks, { changed, failed }) {
    this.#marks = marks;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** How many strokes the session does not hold yet. */
  get waiting() {
    const waiting = this.#session?.unsettled.filter(({ entry }) => entry.type === STROKE_TYPE) ?? [];
    return new Set(waiting.map(({ entry }) => entry.key)).size;
  }

  /** How long a stroke may get: whole, it must fit one message. */
  get pointsAStroke() {
    const { messageBytes } = this.#session?.limits ?? DEFAULT_LIMITS;
    return Math.max(2, Math.min(POINTS_A_STROKE, Math.floor((messageBytes - LOOK_BYTES) / POINT_BYTES)));
  }

  /** Above all that is known, also to those who do not say where their strokes lie. */
  get nextZ() {
    const above = Math.max(this.#marks.highestZ, this.#session?.lastSequence ?? 0) + 1;
    // Somebody may have used up all there is; a `z` beyond would be none to the others.
    return Math.min(above, Number.MAX_SAFE_INTEGER);
  }

  /** @param {GroupSession} session that the strokes belong to from now on, with what it has yet to be told */
  attach(session) {
    this.detach();
    this.#session = session;
    this.#lifetime = new AbortController();
    session.observe({
      snapshotBegan: () => this.#marks.beginSnapshot(),
      caughtUp: () => {
        this.#marks.endSnapshot();
        this.#changed();
      },
      entry: (entry) => this.#receive(entry),
      settled: (item, refusal) => this.#settled(item, refusal),
      // What is seen now stays, until the session has it again.
      unsettled: ({ entry }) => {
        if (entry.type === STROKE_TYPE && entry.key) this.#marks.sent(entry.key, creates(entry));
      },
    }, this.#lifetime);
    for (const { entry } of session.unsettled) this.#restore(entry);
  }

  /** What is to be seen is all there is. */
  detach() {
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#session = null;
    this.#marks.abandonSnapshot();
    this.#marks.keepAll();
  }

  /** Adds the points from one on; the first time, that begins it. @param {Stroke} stroke @param {number} from */
  append(stroke, from) {
    const payload = encodeStroke(stroke, from);
    this.#say(stroke.id, { retention: Retention.append, existing: from > 0, payload });
  }

  /** @param {Stroke} stroke whole @param {{ existing: boolean }} options whether it is only to be changed if it is still there */
  replace(stroke, { existing }) {
    this.#say(stroke.id, { retention: Retention.replace, existing, payload: encodeStroke(stroke) });
  }

  /** @param {Stroke} stroke */
  remove({ id }) {
    this.#say(id, { retention: Retention.remove, existing: false, payload: new Uint8Array(0) });
  }

  /** @param {string} key @param {{ retention: number, existing: boolean, payload: Uint8Array }} entry */
  #say(key, entry) {
    const session = this.#session;
    if (!session || session.state === 'invalidated') return this.#marks.keep(key);
    this.#marks.sent(key, creates(entry));
    try {
      session.send({ type: STROKE_TYPE, reliable: true, key, ...entry });
    } catch (error) {
      if (!(error instanceof MessageTooLargeError)) throw error;
      this.#marks.settled(key, creates(entry));
      this.#failed(error);
    }
  }

  /** @param {Entry} entry */
  #receive(entry) {
    const { key, retention, sequence } = entry;
    if (!key || !entry.reliable || entry.system || entry.unchanged) return;
    if (retention === Retention.remove) {
      this.#marks.confirmRemoval(key, entry.sender !== this.#session?.localParticipant?.number);
    } else if (entry.type === STROKE_TYPE) {
      const message = readStroke(entry.payload);
      if (!message) return;
      this.#marks.confirm(key, (held) => {
        if (retention === Retention.append && held) {
          held.append(message.points, message.pressures);
          return held;
        }
        const stroke = strokeFrom(key, message, sequence);
        stroke.isFinished = retention === Retention.replace;
        return stroke;
      });
    }
    this.#changed();
  }

  /** @param {OutboxItem} item @param {Error | null} refusal */
  #settled({ entry }, refusal) {
    if (entry.type !== STROKE_TYPE || !entry.key) return;
    if (refusal) this.#failed(refusal);
    this.#marks.settled(entry.key, creates(entry));
    this.#changed();
  }

  /** Shows what an earlier page of this tab said and the session does not hold. @param {OutgoingEntry} entry */
  #restore(entry) {
    const { type, key, retention, payload } = entry;
    if (type !== STROKE_TYPE || !isKey(key)) return;
    this.#marks.sent(key, creates(entry));
    if (retention === Retention.remove) return this.#marks.remove(key);
    const message = readStroke(payload);
    if (!message) return;
    const shown = this.#marks.find(key);
    if (retention === Retention.append && shown) {
      shown.append(message.points, message.pressures);
      return this.#marks.touched(key);
    }
    const stroke = strokeFrom(key, message, 0);
    stroke.isFinished = retention === Retention.replace;
    this.#marks.put(stroke);
  }
}

/** @param {{ retention?: number, existing?: boolean }} entry @returns {boolean} whether it brings its stroke back whoever removed it */
function creates({ retention, existing }) {
  return retention !== Retention.remove && !existing;
}
