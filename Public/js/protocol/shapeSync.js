/** Sends this person's changes of shapes to the session, and applies the changes that arrive from it. */

import { DEFAULT_LIMITS } from '../sync/control.js';
import { MessageTooLargeError } from '../sync/errors.js';
import { isKey } from '../sync/key.js';
import { NO_ORIGIN, originMembers, stamp } from '../model/origin.js';
import { Retention } from '../sync/wire.js';
import { FrameQueue } from '../model/scheduling.js';
import { encodeShape, encodeStroke, isShapeType, readShape, STROKE_TYPE } from './shapeMessages.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/outbox.js').OutboxItem} OutboxItem
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../sync/wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/stroke.js').Stroke} Stroke
 */

/** Upper bounds in bytes: of a point with its pressure, and of the rest of a message. */
const POINT_BYTES = 34;
const STYLE_BYTES = 512;
/** The maximum number of points of a stroke, even if a message has room for more: each new point recomputes the whole outline. */
export const MAX_STROKE_POINTS = 4000;

export class ShapeSync {
  #shapes;
  #events;
  #frameQueue;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;

  /**
   * @param {import('../model/shapes.js').Shapes} shapes
   * @param {object} events
   * @param {() => void} events.changed the displayed shapes or the pending edits changed
   * @param {() => void} events.caughtUp the shapes of the session are displayed
   * @param {(error: Error) => void} events.failed a shape cannot be sent
   * @param {(key: string | null) => void} events.confirmed the session's version of a shape changed; null: all may have changed
   * @param {(entry: OutgoingEntry) => void} events.changedLocally a change without a session
   * @param {(change: import('../model/scene.js').RemoteChange) => void} events.changedRemotely another participant changed a
   *   displayed shape
   * @param {FrameQueue} [frameQueue] runs the session's entries
   */
  constructor(shapes, events, frameQueue = new FrameQueue()) {
    this.#shapes = shapes;
    this.#events = events;
    this.#frameQueue = frameQueue;
  }

  /** The number of shapes with edits that the session has not confirmed. */
  get pendingCount() {
    const pending = this.#session?.pending.filter(({ entry }) => isShapeType(entry.type)) ?? [];
    return new Set(pending.map(({ entry }) => entry.key)).size;
  }

  /** The maximum number of points of a stroke, so that it fits into one message. */
  get maxStrokePoints() {
    const { messageBytes } = this.#session?.limits ?? DEFAULT_LIMITS;
    return Math.max(2, Math.min(MAX_STROKE_POINTS, Math.floor((messageBytes - STYLE_BYTES) / POINT_BYTES)));
  }

  /** The `z` of a new shape: above everything known, including shapes without a `z`, which have their sequence number. */
  get nextZ() {
    const above = Math.max(this.#shapes.highestZ, this.#session?.lastSequence ?? 0) + 1;
    // A client may have used the highest number already. A larger `z` would be invalid for the others.
    return Math.min(above, Number.MAX_SAFE_INTEGER);
  }

  /**
   * @param {GroupSession} session the new session of the shapes; its pending entries are displayed, too
   * @param {{ type: string, key: string, payload: Uint8Array }[]} [stored] the shapes that it had when they were stored
   */
  attach(session, stored = []) {
    this.detach();
    this.#session = session;
    this.#lifetime = new AbortController();
    const { signal } = this.#lifetime;
    const later = (/** @type {() => void} */ run) => this.#frameQueue.add(() => signal.aborted || run());
    let isSnapshot = false;
    session.observe({
      snapshotBegan: () =>
        later(() => {
          isSnapshot = true;
          this.#shapes.beginSnapshot();
        }),
      caughtUp: () =>
        later(() => {
          this.#shapes.endSnapshot(later);
          if (isSnapshot) this.#events.confirmed(null);
          isSnapshot = false;
          this.#events.changed();
          // After the shapes of the snapshot are displayed.
          later(() => this.#events.caughtUp());
        }),
      entry: (entry) => {
        const isLive = session.isConnected;
        later(() => this.#receive(entry, isLive));
      },
      acked: (item, refusal) => later(() => this.#settled(item, refusal)),
      // The displayed version stays until the session has it again.
      reopened: ({ entry: { type, key, ...entry } }) => {
        if (isShapeType(type) && key) later(() => this.#shapes.addPending(key, creates(entry)));
      },
    }, this.#lifetime);
    for (const entry of stored) later(() => this.applyStored(entry));
    // This comes last, because pending edits apply to the session's shapes.
    for (const { entry } of session.pending) later(() => this.#restore(entry));
  }

  /** Leaves the session and confirms all displayed shapes locally. */
  detach() {
    this.#frameQueue.flush();
    this.#lifetime?.abort();
    this.#lifetime = null;
    const hadSession = this.#session !== null;
    this.#session = null;
    this.#shapes.detach();
    // The numbers of authors are valid in their session only.
    if (!hadSession) return;
    for (const shape of this.#shapes.all) Object.assign(shape, { ...NO_ORIGIN, madeAt: shape.madeAt });
  }

  /**
   * Sends the points of a stroke from an index on. The first call starts the stroke.
   * @param {Stroke} stroke @param {number} from
   */
  append(stroke, from) {
    const payload = encodeStroke(stroke, from);
    this.#send(stroke.id, { type: STROKE_TYPE, retention: Retention.append, existing: from > 0, payload });
  }

  /**
   * Sends a whole shape.
   * @param {Shape} shape @param {{ existing: boolean }} options `existing`: only if the session still has it
   */
  replace(shape, { existing }) {
    stamp(shape);
    const origin = originMembers(shape, this.#session?.localParticipant?.number ?? 0);
    this.#send(shape.id, { ...encodeShape(shape, origin), retention: Retention.replace, existing });
  }

  /** @param {Shape} shape */
  remove({ id }) {
    this.#send(id, { type: STROKE_TYPE, retention: Retention.remove, existing: false, payload: new Uint8Array(0) });
  }

  /**
   * Applies an entry that was stored on this device without a session.
   * @param {{ type: string, key: string, payload: Uint8Array }} entry
   */
  applyStored(entry) {
    this.#receive({ ...entry, retention: Retention.replace, reliable: true, sequence: 0 });
  }

  /** @param {string} key @param {{ type: string, retention: number, existing: boolean, payload: Uint8Array }} entry */
  #send(key, entry) {
    const session = this.#session;
    const whole = { reliable: true, key, ...entry };
    if (!session || session.state === 'invalidated') {
      this.#shapes.confirmLocally(key);
      return this.#events.changedLocally(whole);
    }
    this.#shapes.addPending(key, creates(entry));
    try {
      session.send(whole);
    } catch (error) {
      if (!(error instanceof MessageTooLargeError)) throw error;
      this.#shapes.acknowledge(key, creates(entry));
      this.#events.failed(error);
    }
  }

  /**
   * @param {Pick<Entry, 'type' | 'key' | 'retention' | 'payload' | 'reliable' | 'sequence'> & Partial<Entry>} entry
   * @param {boolean} [isLive] false for an entry of a catch-up
   */
  #receive(entry, isLive = false) {
    const { key, retention, sequence, sender } = entry;
    if (!key || !entry.reliable || entry.system || entry.unchanged) return;
    const isByOther = sender !== this.#session?.localParticipant?.number;
    const before = this.#shapes.find(key);
    if (retention === Retention.remove) this.#shapes.confirmRemoval(key, isByOther);
    else {
      const change = isShapeType(entry.type) ? readShape(entry, key, sequence) : null;
      if (!change) return;
      this.#shapes.raiseHighestZ(this.#shapes.confirm(key, sender, change).z);
    }
    const after = this.#shapes.find(key);
    if (sender && isLive && isByOther && after !== before) this.#events.changedRemotely({ sender, before, after });
    this.#events.confirmed(key);
    this.#events.changed();
  }

  /** @param {OutboxItem} item @param {Error | null} refusal */
  #settled({ entry }, refusal) {
    if (!isShapeType(entry.type) || !entry.key) return;
    if (refusal) this.#events.failed(refusal);
    this.#shapes.acknowledge(entry.key, creates(entry));
    this.#events.changed();
  }

  /** Shows an entry that an earlier page of this tab sent and the session does not have. @param {OutgoingEntry} entry */
  #restore(entry) {
    const { type, key, retention } = entry;
    if (!isShapeType(type) || !isKey(key)) return;
    this.#shapes.addPending(key, creates(entry));
    if (retention === Retention.remove) return this.#shapes.remove(key);
    const shown = this.#shapes.find(key);
    const shape = readShape(entry, key, 0)?.(shown ?? undefined);
    if (shape && shape === shown) this.#shapes.extended(key);
    else if (shape) this.#shapes.set(shape);
  }
}

/**
 * @param {{ retention?: number, existing?: boolean }} entry
 * @returns {boolean} true if the entry restores the shape even if another participant removed it
 */
function creates({ retention, existing }) {
  return retention !== Retention.remove && !existing;
}
