/** The files that the participants of a session share. */

import { Attachment } from './attachment.js';
import { AttachmentList } from './attachmentList.js';
import { AttachmentRequests } from './attachmentRequests.js';
import { AsyncQueue } from '../asyncQueue.js';
import { browserEnvironment } from '../environment.js';
import { InvalidationReason, NotJoinedError } from '../errors.js';
import { sendRequest } from '../httpRequest.js';
import { isKey, newKey } from '../key.js';
import { Uploads } from '../uploads/uploads.js';
import { pageLeases, pageUploads } from '../uploads/uploadRecords.js';

/**
 * @typedef {import('../groupSession.js').GroupSession} GroupSession
 * @typedef {import('../uploads/upload.js').Upload} Upload
 *
 * The browser as a journal uses it; tests pass their own.
 * @typedef {object} JournalEnvironment
 * @property {(request: import('../httpRequest.js').HTTPRequest) => Promise<import('../httpRequest.js').HTTPAnswer>} send
 * @property {typeof fetch} fetch
 * @property {import('../uploads/uploadRecords.js').UploadRecords} store
 * @property {import('../uploads/uploadRecords.js').UploadLeases} leases
 * @property {EventTarget} network tells `online`
 * @property {() => number} wallClock milliseconds since 1970
 * @property {() => number} now milliseconds
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random in [0, 1)
 *
 * @typedef {object} AddOptions
 * @property {string} [name] for people; else the file's
 * @property {string} [contentType] else the file's
 * @property {unknown} [metadata] any JSON up to the session's `metadataBytes`
 * @property {string} [id] a new key, when it is to be known before
 * @property {(progress: { id: string, offset: number, size: number }) => void} [onProgress]
 * @property {AbortSignal} [signal] cancels it
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
 * One for each session. Events: `change` (`current` is another array), `progress` (detail: `id`, `offset`, `size` and `at`,
 * of anybody's upload), `uploadschange` (`uploads` has others, or one of them is in another state).
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
        told: () => this.#uploads.told(),
        progressed: (progress) => this.#progressed(progress),
        removed: (id) => this.#uploads.removed(id),
      },
      env,
    );
    this.#uploads = new Uploads({
      session,
      requests: this.#requests,
      find: (id) => this.#attachments.find(id),
      changed: () => this.dispatchEvent(new Event('uploadschange')),
      env,
    });
    this.#follow(this.#lifetime);
    this.#uploads.restore();
  }

  /** @returns {Attachment[]} what the session has now, oldest first; those that are being uploaded too */
  get current() {
    return this.#attachments.current;
  }

  /**
   * The whole array each time it changes, at first the present one. Whoever is slow gets the newest only.
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

  /** @returns {Upload[]} this page's own that are under way, those of an earlier page too */
  get uploads() {
    return this.#uploads.current;
  }

  /**
   * Shares a file with everybody, now and later. It goes on over cuts of the connection and a reload of the page.
   * @param {Blob} blob or a `File` @param {AddOptions} [options]
   * @returns {Promise<Attachment>} once everybody can load it
   * @throws {GroupSessionError | DOMException} `AbortError` when it was cancelled; the signal's reason
   */
  async add(blob, options) {
    return await this.upload(blob, options).done;
  }

  /** As `add`, for those who want to watch, pause and cancel it. @param {Blob} blob @param {AddOptions} [options] @returns {Upload} */
  upload(blob, { name, contentType, metadata = null, id = newKey(), onProgress, signal } = {}) {
    signal?.throwIfAborted();
    if (!isKey(id)) throw new TypeError('An attachment’s id is a UUID in upper case.');
    if (this.#lifetime.signal.aborted) throw new NotJoinedError();
    const fileName = 'name' in blob && typeof blob.name === 'string' ? blob.name : '';
    const description = { id, name: name ?? fileName, contentType: contentType ?? blob.type, metadata };
    const upload = this.#uploads.add(blob, description);
    if (onProgress) {
      upload.addEventListener('change', () => onProgress({ id, offset: upload.offset, size: upload.size }));
    }
    const cancel = () => upload.cancel(signal?.reason);
    const forget = () => signal?.removeEventListener('abort', cancel);
    signal?.addEventListener('abort', cancel);
    upload.done.then(forget, forget);
    return upload;
  }

  /** Takes it away from everybody; one that is being uploaded too. @param {{ id: string }} attachment @returns {Promise<void>} */
  async remove({ id }) {
    const upload = this.#uploads.find(id);
    if (upload) upload.cancel();
    else await this.#requests.remove(id);
  }

  /** Follows the session no more. Uploads stop, and are taken up by a later journal of the session. */
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
