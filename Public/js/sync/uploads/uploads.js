/** The uploads of a page into a session: two at a time, the others in order; and those that an earlier page began. */

import { isMissing, isPassing } from '../journal/attachmentRequests.js';
import { AttachmentError, InvalidationReason } from '../errors.js';
import { retryDelay } from '../backoff.js';
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

const AT_ONCE = 2;
/** A browser that takes longer to write a file down need not be waited for. */
const KEEPING_MS = 5000;
/** In force until the gateway has told its own. */
const METADATA_BYTES = 4096;
const KEEP_SECONDS = 86_400;
/** What a gateway lets a file's name have. */
const NAME_SCALARS = 255;
const TYPE_CHARACTERS = 255;

export class Uploads {
  #session;
  #requests;
  #find;
  #changed;
  #env;
  /** @type {Map<string, Held>} under way, in order */
  #held = new Map();
  /** @type {Map<string, { blob: Blob, record: UploadRecord, sequence: number }>} ready, and maybe not on the gateway's disk yet */
  #unsafe = new Map();
  #isClosed = false;

  /**
   * @param {object} options
   * @param {GroupSession} options.session
   * @param {AttachmentRequests} options.requests
   * @param {(id: string) => Attachment | null} options.find what the session lists
   * @param {() => void} options.changed there are others, or one is in another state
   * @param {JournalEnvironment} options.env
   */
  constructor({ session, requests, find, changed, env }) {
    this.#session = session;
    this.#requests = requests;
    this.#find = find;
    this.#changed = changed;
    this.#env = env;
  }

  /** @returns {Upload[]} those under way */
  get current() {
    return [...this.#held.values()].map(({ upload }) => upload);
  }

  /** @param {string} id */
  find(id) {
    return this.#held.get(id)?.upload ?? null;
  }

  /** @param {Blob} blob @param {Description} description @returns {Upload} */
  add(blob, { id, name, contentType, metadata }) {
    const held = this.find(id);
    if (held) return held;
    const record = {
      id,
      session: this.#session.id,
      claim: this.#env.leases.own,
      name: [...name].slice(0, NAME_SCALARS).join('') || 'attachment',
      contentType: contentType.length > TYPE_CHARACTERS ? '' : contentType,
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
    else this.#enter(upload, record, this.#keep(record, blob));
    return upload;
  }

  /** Goes on with what an earlier page of this browser began, unless another tab does. */
  async restore() {
    const { store, leases, wallClock } = this.#env;
    const oldest = wallClock() - 1000 * (this.#session.limits.uploadKeepSeconds ?? KEEP_SECONDS);
    const records = await store.list();
    for (const record of records.sort((a, b) => a.createdAt - b.createdAt)) {
      if (record.createdAt < oldest) store.forget(record.id);
      else if (record.session === this.#session.id && await leases.acquire(record.claim)) await this.#resume(record);
    }
  }

  /** @param {Attachment} attachment that the session lists */
  listed(attachment) {
    const held = this.#held.get(attachment.id);
    if (held) held.record.epoch = this.#session.epoch;
    held?.upload.listed(attachment);
  }

  /** More may be on the gateway's disk. */
  committed() {
    const { epoch, committed } = this.#session;
    for (const [id, { record, sequence }] of this.#unsafe) {
      if (record.epoch === epoch && sequence <= committed) this.#unsafe.delete(id);
    }
  }

  /** All that the session has is told: what was ready, and a gateway that came back does not have so, is brought once more. */
  told() {
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

  /** The network or the session is back. */
  retryNow() {
    for (const { upload } of this.#held.values()) upload.retryNow();
    this.#beginNext();
  }

  /** The session is over for us; if not for good, what is under way stays for a later page. @param {InvalidationReason} reason */
  end(reason) {
    this.#isClosed ||= reason.canComeBack;
    for (const upload of this.current) upload.end(reason.kind === 'left' ? 'cancelled' : 'failed', reason);
  }

  /** What is under way stays for a later page. */
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

  /** @param {Upload} upload @param {UploadRecord} record @param {Promise<void>} kept */
  #enter(upload, record, kept) {
    this.#held.set(upload.id, { upload, record, ended: kept });
    const listed = this.#find(upload.id);
    if (listed) upload.listed(listed);
    this.#changed();
    this.#beginNext();
  }

  #beginNext() {
    if (this.#isClosed || !this.#session.token || this.#session.state === 'invalidated') return;
    for (const held of this.#held.values()) {
      if (this.current.filter(({ state }) => state === 'uploading').length >= AT_ONCE) return;
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

  /** @param {Upload} upload @param {UploadRecord} record @param {number} status @returns {boolean} whether the gateway came back from before it */
  #missing(upload, { epoch }, status) {
    if (status === 404) {
      // Away, or as long as the session lists it, nobody can tell.
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

  /** What nobody will finish is taken from the others' sight, however long it takes. @param {UploadRecord} record */
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

  /** @param {UploadRecord} record @param {Blob} blob @returns {Promise<void>} when it is written down, or need not be waited for */
  #keep(record, blob) {
    return new Promise((resolve) => {
      const timer = this.#env.setTimeout(resolve, KEEPING_MS);
      this.#env.store.put(record, blob).finally(() => {
        this.#env.clearTimeout(timer);
        resolve();
      });
    });
  }

  /** @param {Blob} blob @param {unknown} metadata @returns {AttachmentError | null} what is known without asking */
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

/** @param {Upload} upload that is over @returns {boolean} whether the gateway holds something of it that nobody wants */
function isLeftBehind({ state, isBegun, error }) {
  if (state === 'ready' || !isBegun || isMissing(error)) return false;
  return !(error instanceof InvalidationReason) || error.kind === 'left';
}
