/** The attachments of a session, as the gateway's entries report them. */

import { number, readPayload } from '../json.js';
import { Retention } from '../wire.js';
import { readAttachment } from './attachment.js';

/**
 * @typedef {import('../wire.js').Entry} Entry
 * @typedef {import('./attachment.js').Attachment} Attachment
 * @typedef {import('./attachment.js').AttachmentFacts} AttachmentFacts
 * @typedef {import('./attachment.js').AttachmentRecord} AttachmentRecord
 *
 * @typedef {object} AttachmentListEvents
 * @property {() => void} changed `current` is another array, or an attachment has changed
 * @property {() => void} reloaded a snapshot was complete
 * @property {(progress: { id: string, offset: number, size: number | null }) => void} progressed
 * @property {(id: string) => void} removed a participant removed it
 */

/** The time without progress after which an upload is shown as paused. */
const STALLED_MS = 10_000;

export class AttachmentList {
  #make;
  #events;
  #env;
  /** @type {Map<string, { record: AttachmentRecord, attachment: Attachment, timer: unknown }>} */
  #held = new Map();
  /** The ids in a snapshot, until it is complete. @type {Set<string> | null} */
  #inSnapshot = null;
  /** @type {Attachment[]} */
  #current = [];

  /**
   * @param {(record: AttachmentRecord) => Attachment} make
   * @param {AttachmentListEvents} events
   * @param {Pick<import('../environment.js').Environment, 'setTimeout' | 'clearTimeout'>} env
   */
  constructor(make, events, env) {
    this.#make = make;
    this.#events = events;
    this.#env = env;
  }

  /** @returns {Attachment[]} oldest first; another array after each change */
  get current() {
    return this.#current;
  }

  /** @param {string} id @returns {Attachment | null} */
  find(id) {
    return this.#held.get(id)?.attachment ?? null;
  }

  /** Begins a snapshot. The present attachments stay until it is complete. */
  snapshotBegan() {
    this.#inSnapshot = new Set();
  }

  caughtUp() {
    const ids = this.#inSnapshot;
    this.#inSnapshot = null;
    if (!ids) return;
    for (const id of [...this.#held.keys()]) if (!ids.has(id)) this.#forget(id);
    this.#events.reloaded();
    this.#changed();
  }

  /** @param {Entry} entry */
  entry({ system, type, key, retention, sequence, payload }) {
    if (!system) return;
    if (type === 'attachmentProgress') return this.#progress(readPayload(payload));
    if (type !== 'attachment' || !key) return;
    if (retention === Retention.remove) this.#remove(key);
    else this.#put(key, readAttachment(readPayload(payload)), sequence);
  }

  /** Stops the timers. */
  stop() {
    for (const held of this.#held.values()) this.#env.clearTimeout(held.timer);
  }

  /** @param {string} id @param {AttachmentFacts | null} facts @param {number} sequence */
  #put(id, facts, sequence) {
    if (facts?.id !== id) return;
    this.#inSnapshot?.add(id);
    const record = { ...facts, sequence, isStalled: false };
    const held = this.#held.get(id);
    if (held) Object.assign(held.record, record);
    else this.#held.set(id, { record, attachment: this.#make(record), timer: null });
    this.#watch(id);
    if (!this.#inSnapshot) this.#changed();
  }

  /** @param {string} id */
  #remove(id) {
    this.#inSnapshot?.delete(id);
    // During a snapshot, the removal only changes the ids of the snapshot. At its end, `caughtUp` removes the attachment.
    if (this.#inSnapshot) return;
    this.#forget(id);
    this.#changed();
    this.#events.removed(id);
  }

  /** @param {string} id */
  #forget(id) {
    this.#env.clearTimeout(this.#held.get(id)?.timer);
    this.#held.delete(id);
  }

  /** @param {Record<string, unknown> | null} progress */
  #progress(progress) {
    const held = this.#held.get(String(progress?.id));
    if (!progress || held?.record.state !== 'uploading') return;
    const { record } = held;
    const wasStalled = record.isStalled;
    record.offset = number(progress.offset);
    record.isStalled = false;
    this.#watch(record.id);
    this.#events.progressed({ id: record.id, offset: record.offset, size: record.size });
    if (wasStalled) this.#changed();
  }

  /** @param {string} id */
  #watch(id) {
    const held = this.#held.get(id);
    if (!held) return;
    this.#env.clearTimeout(held.timer);
    held.timer = held.record.state === 'ready' ? null : this.#env.setTimeout(() => {
      held.record.isStalled = true;
      this.#changed();
    }, STALLED_MS);
  }

  #changed() {
    const records = [...this.#held.values()].sort((a, b) => before(a.record, b.record));
    this.#current = records.map(({ attachment }) => attachment);
    this.#events.changed();
  }
}

/** Compares attachments. The order is the same for all participants. @param {AttachmentRecord} a @param {AttachmentRecord} b */
function before(a, b) {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
