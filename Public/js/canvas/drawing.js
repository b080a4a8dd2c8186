/** The drawing activity: what a person does to the strokes, and what the others in the session do. */

import { DEFAULT_LIMITS } from '../session/control.js';
import { MessageTooLargeError } from '../session/errors.js';
import { isKey, newKey } from '../session/key.js';
import { Retention } from '../session/wire.js';
import { History } from './history.js';
import { PLANE, Stroke } from './stroke.js';
import { encodeStroke, readStroke, rounded, STROKE_TYPE, strokeFrom } from './strokeMessage.js';

/**
 * @typedef {import('../session/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../session/outbox.js').OutboxItem} OutboxItem
 * @typedef {import('../session/wire.js').Entry} Entry
 * @typedef {import('./strokes.js').Strokes} Strokes
 * @typedef {{ rgb: string, color: number, width: number, tool: string }} Look
 */

/** The most bytes a point can take in a message, its pressure too; and all that is not points. */
const POINT_BYTES = 34;
const LOOK_BYTES = 512;
/** However much a message may hold, a longer stroke is parted: its shape is made anew with each point. */
const POINTS_A_STROKE = 4000;

/** Events: `change` (of what can be undone, or whether there is anything at all), `gone` (what was to be undone
 * is not there), `error` (a stroke that cannot be sent). */
export class Drawing extends EventTarget {
  #strokes;
  #history = new History();
  #newKey;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** @type {{ stroke: Stroke, sent: number, parts: Stroke[] } | null} the stroke under the pen; `sent`: how many of its points */
  #pen = null;

  /** @param {Strokes} strokes @param {() => string} [key] */
  constructor(strokes, key = newKey) {
    super();
    this.#strokes = strokes;
    this.#newKey = key;
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  get canRedo() {
    return this.#history.canRedo;
  }

  get isDrawing() {
    return this.#pen !== null;
  }

  /** How many strokes the session does not hold yet. */
  get waitingStrokes() {
    const waiting = this.#session?.unsettled.filter(({ entry }) => entry.type === STROKE_TYPE) ?? [];
    return new Set(waiting.map(({ entry }) => entry.key)).size;
  }

  /** A whole stroke must fit one message. */
  get #pointsAStroke() {
    const { messageBytes } = this.#session?.limits ?? DEFAULT_LIMITS;
    return Math.max(2, Math.min(POINTS_A_STROKE, Math.floor((messageBytes - LOOK_BYTES) / POINT_BYTES)));
  }

  // With others.

  /**
   * From now on the picture is the session's.
   * @param {GroupSession} session @param {{ bringsPicture: boolean }} options whether what is there goes into the session
   */
  attach(session, { bringsPicture }) {
    this.detach();
    const picture = [...this.#strokes.all];
    if (bringsPicture) this.#strokes.keepAll();
    else this.clear();
    this.#session = session;
    this.#lifetime = new AbortController();
    session.observe({
      snapshotBegan: () => this.#strokes.beginSnapshot(),
      caughtUp: () => this.#caughtUp(),
      entry: (entry) => this.#receive(entry),
      settled: (item, refusal) => this.#settled(item, refusal),
    }, this.#lifetime);
    for (const { entry } of session.unsettled) this.#restore(entry);
    if (bringsPicture) { for (const stroke of picture) this.#say(stroke, Retention.replace, { existing: false }); }
  }

  /** The picture is this person's alone again. */
  detach() {
    this.lift();
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#session = null;
    this.#strokes.abandonSnapshot();
    this.#strokes.keepAll();
  }

  /** Empties the page, without a word to the session. */
  clear() {
    this.#pen = null;
    this.#strokes.clear();
    this.#history.clear();
    this.#changed();
  }

  // The pen.

  /** @param {Look} look @param {number[]} points x and y in turn @param {number[] | null} pressures */
  begin(look, points, pressures) {
    this.lift();
    this.#start(look, []);
    this.extend(points, pressures);
  }

  /** @param {number[]} points x and y in turn @param {number[] | null} pressures */
  extend(points, pressures) {
    const pen = this.#pen;
    if (!pen) return;
    if (this.#strokes.find(pen.stroke.id) !== pen.stroke) return this.#drop();
    pen.stroke.append(points.map(onPlane), pressures?.map((one) => Math.round(one * 1000) / 1000) ?? null);
    this.#strokes.touched(pen.stroke.id);
    if (pen.stroke.length >= this.#pointsAStroke) this.#part(pen.stroke);
  }

  /** Tells the others what the pen did since the last time: to be called once a frame. */
  flush() {
    const pen = this.#pen;
    if (!pen || pen.stroke.length === pen.sent) return;
    this.#say(pen.stroke, Retention.append, { existing: pen.sent > 0, from: pen.sent });
    pen.sent = pen.stroke.length;
  }

  /** The pen is up: what it drew is whole. */
  lift() {
    const pen = this.#pen;
    if (!pen) return;
    this.#finish(pen.stroke);
    this.#pen = null;
    this.#history.did({ kind: 'draw', strokes: [...pen.parts, pen.stroke] });
    this.#changed();
  }

  /** What the pen drew was not meant. */
  cancel() {
    const pen = this.#pen;
    if (!pen) return;
    this.#pen = null;
    for (const stroke of [...pen.parts, pen.stroke]) this.#remove(stroke);
    this.#changed();
  }

  // Whole strokes.

  /** @param {Stroke[]} strokes taken away by one movement */
  erased(strokes) {
    this.#history.did({ kind: 'erase', strokes });
    this.#changed();
  }

  /** @param {Stroke} stroke of whomever */
  erase(stroke) {
    if (stroke === this.#pen?.stroke) return;
    this.#remove(stroke);
    this.#changed();
  }

  undo() {
    this.lift();
    this.#apply(this.#history.undo(), 'draw');
  }

  redo() {
    this.lift();
    this.#apply(this.#history.redo(), 'erase');
  }

  /** @param {import('./history.js').Deed | null} deed @param {'draw' | 'erase'} removing the kind that takes strokes away */
  #apply(deed, removing) {
    if (!deed) return;
    let count = 0;
    for (const stroke of deed.strokes) {
      const isThere = this.#strokes.find(stroke.id) !== null;
      if (deed.kind === removing && isThere) this.#remove(stroke);
      else if (deed.kind !== removing && !isThere) this.#bringBack(stroke);
      else continue;
      count += 1;
    }
    if (count === 0) this.dispatchEvent(new Event('gone'));
    this.#changed();
  }

  /** @param {Stroke} stroke */
  #bringBack(stroke) {
    stroke.isFinished = true;
    this.#strokes.put(stroke);
    this.#say(stroke, Retention.replace, { existing: false });
  }

  /** @param {Stroke} stroke */
  #remove(stroke) {
    this.#strokes.remove(stroke.id);
    this.#say(stroke, Retention.remove, { existing: false });
  }

  /** @param {Look} look @param {Stroke[]} parts drawn before in the same movement */
  #start(look, parts) {
    // Above all that is known, also to those who do not say where their strokes lie.
    const above = Math.max(this.#strokes.highestZ, this.#session?.lastSequence ?? 0) + 1;
    // Somebody may have used up all there is; a `z` beyond would be none to the others.
    const z = Math.min(above, Number.MAX_SAFE_INTEGER);
    const stroke = new Stroke({ ...look, id: this.#newKey(), z });
    this.#pen = { stroke, sent: 0, parts };
    this.#strokes.put(stroke, { isHeld: true });
  }

  /** Goes on in a new stroke, from where this one ends. @param {Stroke} stroke */
  #part(stroke) {
    const pen = this.#pen;
    if (!pen) return;
    this.#finish(stroke);
    this.#start(stroke, [...pen.parts, stroke]);
    this.extend(stroke.points.slice(-2), stroke.pressures?.slice(-1) ?? null);
  }

  /** @param {Stroke} stroke */
  #finish(stroke) {
    const isNew = this.#pen?.sent === 0;
    stroke.finish();
    this.#say(stroke, Retention.replace, { existing: !isNew });
    this.#strokes.touched(stroke.id);
    this.#strokes.release(stroke.id);
  }

  /** Somebody removed the stroke under the pen. */
  #drop() {
    this.#history.did({ kind: 'draw', strokes: this.#pen?.parts ?? [] });
    this.#pen = null;
    this.#changed();
  }

  /** @param {Stroke} stroke @param {number} retention @param {{ existing: boolean, from?: number }} options */
  #say(stroke, retention, { existing, from = 0 }) {
    const session = this.#session;
    if (!session || session.state === 'invalidated') return this.#strokes.keep(stroke.id);
    const isRemoval = retention === Retention.remove;
    const isCreating = !isRemoval && !existing;
    this.#strokes.sent(stroke.id, isCreating);
    try {
      session.send({
        type: STROKE_TYPE,
        payload: isRemoval ? new Uint8Array(0) : encodeStroke(stroke, from),
        reliable: true,
        retention,
        key: stroke.id,
        existing: !isRemoval && existing,
      });
    } catch (error) {
      if (!(error instanceof MessageTooLargeError)) throw error;
      this.#strokes.settled(stroke.id, isCreating);
      this.dispatchEvent(new CustomEvent('error', { detail: error }));
    }
  }

  // What comes from the session.

  #caughtUp() {
    this.#strokes.endSnapshot();
    this.#changed();
  }

  /** @param {Entry} entry */
  #receive(entry) {
    const { key, retention, sequence } = entry;
    if (!key || !entry.reliable || entry.system || entry.unchanged) return;
    if (retention === Retention.remove) {
      this.#strokes.confirmRemoval(key, entry.sender !== this.#session?.localParticipant?.number);
    } else if (entry.type === STROKE_TYPE) {
      const message = readStroke(entry.payload);
      if (!message) return;
      this.#strokes.confirm(key, (held) => {
        if (retention === Retention.replace || !held) {
          const stroke = strokeFrom(key, message, sequence);
          stroke.isFinished = retention === Retention.replace;
          return stroke;
        }
        held.append(message.points, message.pressures);
        return held;
      });
    }
    this.#changed();
  }

  /** @param {OutboxItem} item @param {Error | null} refusal */
  #settled({ entry }, refusal) {
    if (entry.type !== STROKE_TYPE || !entry.key) return;
    if (refusal) this.dispatchEvent(new CustomEvent('error', { detail: refusal }));
    this.#strokes.settled(entry.key, entry.retention !== Retention.remove && !entry.existing);
    this.#changed();
  }

  /** Shows what an earlier page of this tab said and the session does not hold. @param {import('../session/wire.js').OutgoingEntry} entry */
  #restore({ type, key, retention, payload, existing }) {
    if (type !== STROKE_TYPE || !isKey(key)) return;
    this.#strokes.sent(key, retention !== Retention.remove && !existing);
    const shown = this.#strokes.find(key);
    if (retention === Retention.remove) return this.#strokes.remove(key);
    const message = readStroke(payload);
    if (!message) return;
    if (retention === Retention.append && shown) {
      shown.append(message.points, message.pressures);
      return this.#strokes.touched(key);
    }
    const stroke = strokeFrom(key, message, 0);
    stroke.isFinished = retention === Retention.replace;
    this.#strokes.put(stroke);
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/** @param {number} value @returns {number} as it is sent */
function onPlane(value) {
  return rounded(Math.max(-PLANE, Math.min(PLANE, value)));
}
