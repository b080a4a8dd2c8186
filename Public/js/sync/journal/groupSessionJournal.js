/** The files that the participants of a session share. */

import { AsyncQueue } from '../asyncQueue.js';
import { browserEnvironment } from '../environment.js';
import { InvalidationReason, NotJoinedError } from '../errors.js';
import { sendRequest } from '../httpRequest.js';
import { isKey, newKey } from '../key.js';
import { UploadQueue } from '../uploads/uploadQueue.js';
import { pageLeases, pageUploads } from '../uploads/uploadRecords.js';
import { Attachment } from './attachment.js';
import { AttachmentList } from './attachmentList.js';
import { AttachmentRequests } from './attachmentRequests.js';

/**
 * @typedef {import('../groupSession.js').GroupSession} GroupSession
 * @typedef {import('../uploads/upload.js').Upload} Upload
 *
 * The functions of the browser that a journal uses. Tests pass their own.
 * @typedef {object} JournalEnvironment
 * @property {(request: import('../httpRequest.js').HTTPRequest) => Promise<import('../httpRequest.js').HTTPAnswer>} send
 * @property {typeof fetch} fetch
 * @property {import('../uploads/uploadRecords.js').UploadRecords} store
 * @property {import('../uploads/uploadRecords.js').UploadLeases} leases
 * @property {EventTarget} network dispatches `online`
 * @property {() => number} wallClock milliseconds since 1970
 * @property {() => number} now milliseconds
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random in [0, 1)
 *
 * @typedef {object} AddOptions
 * @property {string} [name] for users; by default the file's
 * @property {string} [contentType] by default the file's
 * @property {unknown} [metadata] any JSON up to the session's `metadataBytes`
 * @property {Promise<object>} [moreMetadata] further members of the metadata, such as a preview. The upload waits for them, so
 *   they should be ready soon. They are left out if the metadata would exceed its limit.
 * @property {string} [id] a new key, if the caller must know it before the upload
 * @property {(progress: { id: string, offset: number, size: number }) => void} [onProgress]
 * @property {AbortSignal} [signal] cancels the upload
 */

/** @type {JournalEnvironment} */
export const browserJournalEnvironment = {
  ...browserEnvironment,
  send: sendRequest,
  fetch: (...request) => fetch(...request),
  store: pageUploads,
  leases: pageLeases,
  network: globalThis,
  wallClock: Date.now,
};

/**
 * A session has one journal. Events: `change` (`current` is another array), `progress` (of any upload; detail: `id`, `offset`,
 * `size` and `at`), `uploadschange` (the list `uploads` or the state of one of them has changed), `caughtup` (`current` is
 * complete).
 */
export class GroupSessionJournal extends EventTarget {
  #session;
  #env;
  #requests;
  #attachments;
  #uploads;
  #lifetime = new AbortController();
  /** @type {Set<AsyncQueue<Attachment[]>>} */
  #readers = new Set();

  /** @param {GroupSession} session @param {{ env?: JournalEnvironment }} [options] */
  constructor(session, { env = browserJournalEnvironment } = {}) {
    super();
    this.#session = session;
    this.#env = env;
    this.#requests = new AttachmentRequests(session, env.send);
    this.#attachments = new AttachmentList(
      (record) => new Attachment(record, this.#requests.url(record.id), env.fetch),
      {
        changed: () => this.#attachmentsChanged(),
        reloaded: () => this.#uploads.reloaded(),
        progressed: (progress) => this.#progressed(progress),
        removed: (id) => this.#uploads.removed(id),
      },
      env,
    );
    this.#uploads = new UploadQueue({
      session,
      requests: this.#requests,
      find: (id) => this.#attachments.find(id),
      changed: () => this.dispatchEvent(new Event('uploadschange')),
      env,
    });
    this.#follow(this.#lifetime);
    this.#uploads.restore();
  }

  /** @returns {Attachment[]} the session's attachments, oldest first, unfinished uploads included */
  get current() {
    return this.#attachments.current;
  }

  /**
   * Yields the present array, and the new one after each change. A slow reader gets only the newest.
   * @returns {AsyncQueue<Attachment[]>} ends with the session
   */
  get attachments() {
    /** @type {AsyncQueue<Attachment[]>} */
    const queue = new AsyncQueue({ limit: 1, stopped: () => this.#readers.delete(queue) });
    queue.put(this.current);
    if (this.#lifetime.signal.aborted) queue.finish();
    else this.#readers.add(queue);
    return queue;
  }

  /** @returns {Upload[]} this page's unfinished uploads, resumed ones of an earlier page included */
  get uploads() {
    return this.#uploads.current;
  }

  /**
   * Shares a file with all present and later participants. The upload survives lost connections. If the environment stores
   * uploads, it also survives a reload of the page.
   * @param {Blob} blob or a `File` @param {AddOptions} [options]
   * @returns {Promise<Attachment>} resolved once all participants can load it
   * @throws {GroupSessionError | DOMException} `AbortError` after a cancellation; the signal's reason
   */
  async add(blob, options) {
    return await this.upload(blob, options).done;
  }

  /**
   * Like `add`, with an object to watch, pause and cancel the upload.
   * @param {Blob} blob @param {AddOptions} [options] @returns {Upload}
   */
  upload(blob, { name, contentType, metadata = null, moreMetadata, id = newKey(), onProgress, signal } = {}) {
    signal?.throwIfAborted();
    if (!isKey(id)) throw new TypeError('An attachment’s id is a UUID in upper case.');
    if (this.#lifetime.signal.aborted) throw new NotJoinedError();
    const fileName = 'name' in blob && typeof blob.name === 'string' ? blob.name : '';
    const description = { id, name: name ?? fileName, contentType: contentType ?? blob.type, metadata };
    const upload = this.#uploads.add(blob, description, moreMetadata);
    if (onProgress) {
      upload.addEventListener('change', () => onProgress({ id, offset: upload.offset, size: upload.size }));
    }
    const cancel = () => upload.cancel(signal?.reason);
    const forget = () => signal?.removeEventListener('abort', cancel);
    signal?.addEventListener('abort', cancel);
    upload.done.then(forget, forget);
    return upload;
  }

  /**
   * Removes an attachment, or an unfinished upload, for all participants.
   * @param {{ id: string }} attachment @returns {Promise<void>}
   */
  async remove({ id }) {
    const upload = this.#uploads.find(id);
    if (upload) upload.cancel();
    else await this.#requests.remove(id);
  }

  /** Stops following the session. Uploads stop, and a later journal of the session resumes them. */
  close() {
    this.#uploads.close();
    this.#finish();
  }

  /** @param {{ signal: AbortSignal }} lifetime */
  #follow(lifetime) {
    for (const entry of this.#session.retained.systemEntries()) this.#attachments.entry(entry);
    this.#session.observe({
      snapshotBegan: () => this.#attachments.snapshotBegan(),
      entry: (entry) => this.#attachments.entry(entry),
      caughtUp: () => {
        this.#attachments.caughtUp();
        this.#uploads.retryNow();
        this.dispatchEvent(new Event('caughtup'));
      },
    }, lifetime);
    this.#session.addEventListener('statechange', () => this.#stateChanged(), lifetime);
    this.#session.addEventListener('savechange', () => this.#uploads.committed(), lifetime);
    this.#env.network.addEventListener('online', () => this.#uploads.retryNow(), lifetime);
  }

  #stateChanged() {
    if (this.#session.state !== 'invalidated') return;
    const reason = this.#session.reason ?? new InvalidationReason('left');
    this.#uploads.end(reason);
    this.#finish();
  }

  #finish() {
    this.#lifetime.abort();
    this.#attachments.stop();
    for (const reader of this.#readers) reader.finish();
  }

  #attachmentsChanged() {
    for (const attachment of this.current) this.#uploads.listed(attachment);
    for (const reader of this.#readers) reader.put(this.current);
    this.dispatchEvent(new Event('change'));
  }

  /** @param {{ id: string, offset: number, size: number | null }} progress */
  #progressed(progress) {
    this.#uploads.find(progress.id)?.touch();
    this.dispatchEvent(new CustomEvent('progress', { detail: { ...progress, at: this.#env.now() } }));
  }
}
