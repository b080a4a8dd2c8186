/** Files that a session holds for everybody, or is being given: all of them, and each. */

import { isObject, number, readPayload } from '../control.js';
import { AttachmentError, GroupSessionError, problemOf } from '../errors.js';
import { isKey } from '../key.js';
import { Retention } from '../wire.js';

/**
 * What the gateway says of it.
 * @typedef {object} AttachmentFacts
 * @property {string} id
 * @property {string} name for people; no path
 * @property {string} contentType as its uploader said
 * @property {number | null} size in bytes; null: not known yet
 * @property {string | null} sha256 hex digits, once ready
 * @property {unknown} metadata any JSON
 * @property {number | null} participant the uploader's number
 * @property {'uploading' | 'ready'} state
 * @property {number} offset how much of it has arrived
 * @property {string} createdAt ISO 8601
 *
 * @typedef {AttachmentFacts & { isStalled: boolean }} AttachmentRecord kept up to date by `Attachments`
 */

/** The same object for as long as the session lists the attachment; what it says follows the session. */
export class Attachment {
  #record;
  #url;
  #fetch;
  /** @type {{ blob: Promise<Blob>, callers: number, controller: AbortController } | null} */
  #download = null;

  /** @param {AttachmentRecord} record @param {string} url @param {typeof fetch} request */
  constructor(record, url, request) {
    this.#record = record;
    this.#url = url;
    this.#fetch = request;
  }

  get id() {
    return this.#record.id;
  }

  get name() {
    return this.#record.name;
  }

  get contentType() {
    return this.#record.contentType;
  }

  get size() {
    return this.#record.size;
  }

  get sha256() {
    return this.#record.sha256;
  }

  get metadata() {
    return this.#record.metadata;
  }

  get participant() {
    return this.#record.participant;
  }

  get state() {
    return this.#record.state;
  }

  get offset() {
    return this.#record.offset;
  }

  get createdAt() {
    return this.#record.createdAt;
  }

  /** Where it can be read from, once ready. */
  get url() {
    return this.#url;
  }

  get isReady() {
    return this.#record.state === 'ready';
  }

  /** Whether it is being uploaded and nothing of it has come for a while. */
  get isStalled() {
    return this.#record.isStalled;
  }

  /**
   * The whole contents; the browser's cache keeps them. Those who ask at once share one download. The blob has the type
   * that the gateway serves, never one that could run here.
   * @param {{ signal?: AbortSignal }} [options] stops waiting, and the download when nobody else waits for it
   * @returns {Promise<Blob>} @throws {GroupSessionError} and it can be tried again
   */
  async load({ signal } = {}) {
    signal?.throwIfAborted();
    if (!this.isReady) throw new AttachmentError('not-ready');
    const download = this.#download ?? this.#begin();
    download.callers += 1;
    return await new Promise((resolve, reject) => {
      const stopWaiting = () => {
        reject(signal?.reason);
        download.callers -= 1;
        if (download.callers > 0) return;
        if (this.#download === download) this.#download = null;
        download.controller.abort();
      };
      signal?.addEventListener('abort', stopWaiting, { once: true });
      download.blob.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stopWaiting));
    });
  }

  /** @returns {Promise<any>} what its uploader said about it */
  loadMetadata() {
    return Promise.resolve(this.metadata);
  }

  #begin() {
    const controller = new AbortController();
    const download = { blob: this.#read(controller.signal), callers: 0, controller };
    const isOver = () => {
      if (this.#download === download) this.#download = null;
    };
    download.blob.then(isOver, isOver);
    this.#download = download;
    return download;
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const request = this.#fetch;
    let blob;
    try {
      const answer = await request(this.#url, { signal });
      if (!answer.ok) throw await refusal(answer);
      blob = await answer.blob();
    } catch (cause) {
      if (cause instanceof GroupSessionError || signal.aborted) throw cause;
      throw new AttachmentError('unavailable', '', { cause });
    }
    if (blob.size === this.size) return blob;
    // The body was cut off.
    throw new AttachmentError('unavailable', '', { limit: this.size ?? 0, actual: blob.size });
  }
}

/** @param {Response} answer */
async function refusal(answer) {
  const { code, detail, damaged } = await problemOf(answer);
  return new AttachmentError(damaged ? 'damaged' : code, detail, { status: answer.status });
}

/** @param {unknown} told @returns {AttachmentFacts | null} null for what is no attachment */
export function readAttachment(told) {
  if (!isObject(told) || !isKey(told.id)) return null;
  return {
    id: told.id,
    name: text(told.name, 'attachment'),
    contentType: text(told.contentType, 'application/octet-stream'),
    size: typeof told.size === 'number' ? number(told.size) : null,
    sha256: typeof told.sha256 === 'string' ? told.sha256 : null,
    metadata: told.metadata ?? null,
    participant: typeof told.participant === 'number' ? number(told.participant) : null,
    state: told.state === 'ready' ? 'ready' : 'uploading',
    offset: number(told.offset),
    createdAt: text(told.createdAt, ''),
  };
}

/** @param {unknown} value @param {string} otherwise */
function text(value, otherwise) {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/**
 * @typedef {import('../wire.js').Entry} Entry
 *
 * @typedef {object} AttachmentsEvents
 * @property {() => void} changed there are others, or one of them says something else
 * @property {() => void} told all of them were told anew
 * @property {(progress: { id: string, offset: number, size: number | null }) => void} progressed
 * @property {(id: string) => void} removed by somebody
 */

/** An upload of which nothing has come for so long is shown as paused. */
const STALLED_MS = 10_000;

/** What attachments a session has, by what the gateway's entries say. */
export class Attachments {
  #make;
  #events;
  #env;
  /** @type {Map<string, { record: AttachmentRecord, attachment: Attachment, timer: unknown }>} */
  #held = new Map();
  /** @type {Set<string> | null} the ids that a snapshot has told, until it is whole */
  #told = null;
  /** @type {Attachment[]} */
  #current = [];

  /**
   * @param {(record: AttachmentRecord) => Attachment} make
   * @param {AttachmentsEvents} events
   * @param {Pick<import('../environment.js').Environment, 'setTimeout' | 'clearTimeout'>} env
   */
  constructor(make, events, env) {
    this.#make = make;
    this.#events = events;
    this.#env = env;
  }

  /** @returns {Attachment[]} oldest first; another array when something changed */
  get current() {
    return this.#current;
  }

  /** @param {string} id @returns {Attachment | null} */
  find(id) {
    return this.#held.get(id)?.attachment ?? null;
  }

  /** Everything is told anew; what is held stays until that is whole. */
  snapshotBegan() {
    this.#told = new Set();
  }

  caughtUp() {
    const told = this.#told;
    this.#told = null;
    if (!told) return;
    for (const id of [...this.#held.keys()]) if (!told.has(id)) this.#forget(id);
    this.#events.told();
    this.#changed();
  }

  /** @param {Entry} entry */
  entry({ system, type, key, retention, payload }) {
    if (!system) return;
    if (type === 'attachmentProgress') return this.#progress(readPayload(payload));
    if (type !== 'attachment' || !key) return;
    if (retention === Retention.remove) this.#remove(key);
    else this.#put(key, readAttachment(readPayload(payload)));
  }

  /** Nothing follows the session any more. */
  stop() {
    for (const held of this.#held.values()) this.#env.clearTimeout(held.timer);
  }

  /** @param {string} id @param {AttachmentFacts | null} facts */
  #put(id, facts) {
    if (facts?.id !== id) return;
    this.#told?.add(id);
    const record = { ...facts, isStalled: false };
    const held = this.#held.get(id);
    if (held) Object.assign(held.record, record);
    else this.#held.set(id, { record, attachment: this.#make(record), timer: null });
    this.#watch(id);
    if (!this.#told) this.#changed();
  }

  /** @param {string} id */
  #remove(id) {
    this.#told?.delete(id);
    // A snapshot may tell the removal of what came after it; what was held before it goes at its end.
    if (this.#told) return;
    this.#forget(id);
    this.#changed();
    this.#events.removed(id);
  }

  /** @param {string} id */
  #forget(id) {
    this.#env.clearTimeout(this.#held.get(id)?.timer);
    this.#held.delete(id);
  }

  /** @param {Record<string, unknown> | null} told */
  #progress(told) {
    const held = this.#held.get(String(told?.id));
    if (!told || held?.record.state !== 'uploading') return;
    const { record } = held;
    const wasStalled = record.isStalled;
    record.offset = number(told.offset);
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

/** The same order for everybody. @param {AttachmentRecord} a @param {AttachmentRecord} b */
function before(a, b) {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
