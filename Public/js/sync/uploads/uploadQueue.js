/** The uploads of a page to a session: two at a time, in order, including those that an earlier page began. */

import { retryDelay } from '../backoff.js';
import { AttachmentError, InvalidationReason } from '../errors.js';
import { isMissing, isPassing } from '../journal/attachmentRequests.js';
import { Upload } from './upload.js';
import { UploadTransfer } from './uploadTransfer.js';

/**
 * @typedef {import('../journal/attachment.js').Attachment} Attachment
 * @typedef {import('../journal/attachmentRequests.js').AttachmentRequests} AttachmentRequests
 * @typedef {import('../groupSession.js').GroupSession} GroupSession
 * @typedef {import('../journal/groupSessionJournal.js').JournalEnvironment} JournalEnvironment
 * @typedef {import('./uploadRecords.js').UploadRecord} UploadRecord
 * @typedef {import('../journal/attachmentRequests.js').Description} Description
 * @typedef {{ upload: Upload, record: UploadRecord, ended: Promise<void> }} Held
 */

const MAX_AT_ONCE = 2;
/** The maximum time for which an upload waits until the browser has stored its file. */
const MAX_STORING_MS = 5000;
/** The limits until the gateway has sent its own. */
const METADATA_BYTES = 4096;
const KEEP_SECONDS = 86_400;
/** The limits of a file's name and type. */
const MAX_NAME_SCALARS = 255;
const MAX_TYPE_CHARACTERS = 255;

export class UploadQueue {
  #session;
  #requests;
  #find;
  #changed;
  #env;
  /** The unfinished uploads, in order. @type {Map<string, Held>} */
  #held = new Map();
  /**
   * Finished uploads that may not be on the gateway's disk yet.
   * @type {Map<string, { blob: Blob, record: UploadRecord, sequence: number }>}
   */
  #unsafe = new Map();
  #isClosed = false;

  /**
   * @param {object} options
   * @param {GroupSession} options.session
   * @param {AttachmentRequests} options.requests
   * @param {(id: string) => Attachment | null} options.find in the session's list
   * @param {() => void} options.changed the list or the state of an upload has changed
   * @param {JournalEnvironment} options.env
   */
  constructor({ session, requests, find, changed, env }) {
    this.#session = session;
    this.#requests = requests;
    this.#find = find;
    this.#changed = changed;
    this.#env = env;
  }

  /** @returns {Upload[]} the unfinished uploads */
  get current() {
    return [...this.#held.values()].map(({ upload }) => upload);
  }

  /** @param {string} id */
  find(id) {
    return this.#held.get(id)?.upload ?? null;
  }

  /**
   * @param {Blob} blob @param {Description} description
   * @param {Promise<object>} [moreMetadata] further members of the metadata, which the upload waits for @returns {Upload}
   */
  add(blob, { id, name, contentType, metadata }, moreMetadata) {
    const held = this.find(id);
    if (held) return held;
    const record = {
      id,
      session: this.#session.id,
      claim: this.#env.leases.own,
      name: [...name].slice(0, MAX_NAME_SCALARS).join('') || 'attachment',
      contentType: contentType.length > MAX_TYPE_CHARACTERS ? '' : contentType,
      metadata,
      createdAt: this.#env.wallClock(),
      isCreated: false,
      epoch: '',
      isPaused: false,
      isCancelled: false,
    };
    const upload = this.#make(record, blob, false);
    const refusal = this.#refusal(blob, metadata);
    if (refusal) upload.end('failed', refusal);
    else this.#enter(upload, record, this.#prepare(record, blob, moreMetadata));
    return upload;
  }

  /** Resumes the uploads of an earlier page of this browser, unless an open tab runs them. */
  async restore() {
    const { store, leases, wallClock } = this.#env;
    const oldest = wallClock() - 1000 * (this.#session.limits.uploadKeepSeconds ?? KEEP_SECONDS);
    const records = await store.list();
    for (const record of records.sort((a, b) => a.createdAt - b.createdAt)) {
      if (record.createdAt < oldest) store.forget(record.id);
      else if (record.session === this.#session.id && await leases.acquire(record.claim)) await this.#resume(record);
    }
  }

  /** Handles an attachment that the session lists. @param {Attachment} attachment */
  listed(attachment) {
    const held = this.#held.get(attachment.id);
    if (held) held.record.epoch = this.#session.epoch;
    held?.upload.listed(attachment);
  }

  /** Forgets the finished uploads that are on the gateway's disk now. */
  committed() {
    const { epoch, committed } = this.#session;
    for (const [id, { record, sequence }] of this.#unsafe) {
      if (record.epoch === epoch && sequence <= committed) this.#unsafe.delete(id);
    }
  }

  /** Uploads finished files again that the gateway has lost in a crash. Called after a complete snapshot. */
  reloaded() {
    for (const [id, { record, blob }] of this.#unsafe) {
      if (record.epoch === this.#session.epoch) continue;
      this.#unsafe.delete(id);
      if (this.#find(id)?.isReady) continue;
      record.isCreated = false;
      this.#enter(this.#make(record, blob, true), record, this.#keep(record, blob));
    }
  }

  /** @param {string} id */
  removed(id) {
    this.#unsafe.delete(id);
    this.find(id)?.removed();
  }

  /** Continues waiting transfers at once, because the network or the session is back. */
  retryNow() {
    for (const { upload } of this.#held.values()) upload.retryNow();
    this.#beginNext();
  }

  /**
   * Stops, because the session is over. If this client may return, a later page resumes the unfinished uploads.
   * @param {InvalidationReason} reason
   */
  end(reason) {
    this.#isClosed ||= reason.canComeBack;
    for (const upload of this.current) upload.end(reason.kind === 'left' ? 'cancelled' : 'failed', reason);
  }

  /** Stops. A later page resumes the unfinished uploads. */
  close() {
    this.#isClosed = true;
    for (const upload of this.current) upload.cancel();
  }

  /** @param {UploadRecord} record */
  async #resume(record) {
    if (record.isCancelled) return await this.#discard(record);
    const blob = await this.#env.store.blob(record.id);
    if (!blob) return await this.#env.store.forget(record.id);
    if (!this.#isClosed && !this.find(record.id)) {
      this.#enter(this.#make(record, blob, true), record, Promise.resolve());
    }
  }

  /** @param {UploadRecord} record @param {Blob} blob @param {boolean} isBegun */
  #make(record, blob, isBegun) {
    const { id, name, isPaused, isCreated } = record;
    return new Upload({
      id,
      name,
      blob,
      isPaused,
      transfer: (events) =>
        new UploadTransfer({
          description: record,
          blob,
          isBegun,
          isCreated,
          requests: this.#requests,
          events,
          env: this.#env,
        }),
      owner: {
        created: () => this.#note(record, { isCreated: true, epoch: this.#session.epoch }),
        missing: (upload, status) => this.#missing(upload, record, status),
        changed: (upload) => this.#stateChanged(upload),
      },
    });
  }

  /** @param {Upload} upload @param {UploadRecord} record @param {Promise<void>} stored */
  #enter(upload, record, stored) {
    this.#held.set(upload.id, { upload, record, ended: stored });
    const listed = this.#find(upload.id);
    if (listed) upload.listed(listed);
    this.#changed();
    this.#beginNext();
  }

  #beginNext() {
    if (this.#isClosed || !this.#session.token || this.#session.state === 'invalidated') return;
    for (const held of this.#held.values()) {
      if (this.current.filter(({ state }) => state === 'uploading').length >= MAX_AT_ONCE) return;
      if (held.upload.state === 'waiting') held.ended = held.upload.run(held.ended);
    }
  }

  /** @param {Upload} upload */
  #stateChanged(upload) {
    const held = this.#held.get(upload.id);
    if (held?.upload !== upload) return;
    const isPaused = upload.state === 'paused';
    if (upload.isOver) this.#leave(held);
    else if (held.record.isPaused !== isPaused) this.#note(held.record, { isPaused });
    this.#changed();
    this.#beginNext();
  }

  /**
   * @param {Upload} upload @param {UploadRecord} record @param {number} status
   * @returns {boolean} true if the gateway has lost the upload in a crash, so that it must be created again
   */
  #missing(upload, { epoch }, status) {
    if (status === 404) {
      // Without a connection, or while the session lists the attachment, the loss is not certain.
      if (!this.#session.isConnected || this.#find(upload.id)) return false;
      if (epoch !== this.#session.epoch) return true;
    }
    upload.removed();
    return false;
  }

  /** @param {Held} held */
  async #leave({ upload, record, ended }) {
    this.#held.delete(upload.id);
    if (this.#isClosed) return;
    if (upload.state === 'ready') {
      this.#unsafe.set(upload.id, { blob: upload.blob, record, sequence: this.#session.lastSequence });
    }
    if (!isLeftBehind(upload)) return await this.#env.store.forget(record.id);
    this.#note(record, { isCancelled: true });
    await ended;
    await this.#discard(record);
  }

  /** Removes an abandoned upload from the gateway, with as many retries as necessary. @param {UploadRecord} record */
  async #discard({ id }) {
    for (let attempt = 0; !this.#isClosed; attempt += 1) {
      try {
        await this.#requests.remove(id);
        break;
      } catch (error) {
        if (!isPassing(error)) break;
        const delay = Math.max(error.retryAfterMs, retryDelay(attempt, this.#env.random));
        await new Promise((resolve) => this.#env.setTimeout(() => resolve(undefined), delay));
      }
    }
    if (!this.#isClosed) await this.#env.store.forget(id);
  }

  /** @param {UploadRecord} record @param {Partial<UploadRecord>} change */
  #note(record, change) {
    Object.assign(record, change);
    this.#env.store.update(record);
  }

  /**
   * Stores an upload, and adds further members to its metadata, if they are within the limit.
   * @param {UploadRecord} record @param {Blob} blob @param {Promise<object>} [moreMetadata]
   */
  async #prepare(record, blob, moreMetadata) {
    await this.#keep(record, blob);
    const members = await moreMetadata?.catch(() => null);
    if (!members || Object.keys(members).length === 0) return;
    const metadata = { .../** @type {object | null} */ (record.metadata), ...members };
    if (!this.#refusal(blob, metadata)) this.#note(record, { metadata });
  }

  /**
   * @param {UploadRecord} record @param {Blob} blob
   * @returns {Promise<void>} resolved when it is stored, or after the maximum time
   */
  #keep(record, blob) {
    return new Promise((resolve) => {
      const timer = this.#env.setTimeout(resolve, MAX_STORING_MS);
      this.#env.store.put(record, blob).finally(() => {
        this.#env.clearTimeout(timer);
        resolve();
      });
    });
  }

  /** @param {Blob} blob @param {unknown} metadata @returns {AttachmentError | null} a refusal that is known before the request */
  #refusal({ size }, metadata) {
    const { attachmentBytes, metadataBytes = METADATA_BYTES } = this.#session.limits;
    if (size > attachmentBytes) {
      return new AttachmentError('attachment-too-large', '', { limit: attachmentBytes, actual: size, status: 413 });
    }
    const actual = metadata === null ? 0 : new TextEncoder().encode(JSON.stringify(metadata)).length;
    if (actual <= metadataBytes) return null;
    return new AttachmentError('bad-request', '', { limit: metadataBytes, actual, status: 400 });
  }
}

/** @param {Upload} upload one that has ended @returns {boolean} true if the gateway may have a useless part of it */
function isLeftBehind({ state, isBegun, error }) {
  if (state === 'ready' || !isBegun || isMissing(error)) return false;
  return !(error instanceof InvalidationReason) || error.kind === 'left';
}
