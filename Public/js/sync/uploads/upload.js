/** An upload: its state, for the page and for the queue. */

import { AttachmentError } from '../errors.js';

/**
 * @typedef {import('../journal/attachment.js').Attachment} Attachment
 * @typedef {import('./uploadTransfer.js').UploadTransfer} UploadTransfer
 * @typedef {import('./uploadTransfer.js').TransferEvents} TransferEvents
 * @typedef {'waiting' | 'uploading' | 'paused' | 'ready' | 'failed' | 'cancelled'} UploadState
 *   `waiting` in the queue; the last three are final
 *
 * The queue of the upload.
 * @typedef {object} UploadOwner
 * @property {(upload: Upload) => void} changed called after a change of the state
 * @property {(upload: Upload) => void} created called after the gateway has created the upload
 * @property {(upload: Upload, status: number) => boolean} missing called if the gateway no longer has the upload; returns true if
 *   it must be created again
 */

/** Event: `change`, after a change of the state, the offset or `isInterrupted`. */
export class Upload extends EventTarget {
  #id;
  #name;
  #blob;
  #transfer;
  #owner;
  /** @type {UploadState} */
  #state;
  #offset = 0;
  #isInterrupted = false;
  /** @type {Error | null} */
  #error = null;
  /** @type {AbortController | null} */
  #running = null;
  /** @type {(attachment: Attachment) => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};

  /**
   * @param {object} options
   * @param {string} options.id
   * @param {string} options.name
   * @param {Blob} options.blob
   * @param {boolean} options.isPaused
   * @param {(events: TransferEvents) => UploadTransfer} options.transfer
   * @param {UploadOwner} options.owner
   */
  constructor({ id, name, blob, isPaused, transfer, owner }) {
    super();
    this.#id = id;
    this.#name = name;
    this.#blob = blob;
    this.#state = isPaused ? 'paused' : 'waiting';
    this.#owner = owner;
    this.#transfer = transfer({
      created: () => owner.created(this),
      missing: (status) => owner.missing(this, status),
      moved: (offset) => this.#moved(offset),
      interrupted: (isInterrupted) => this.#interrupted(isInterrupted),
    });
    /** The attachment, once all participants have it. @type {Promise<Attachment>} */
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Callers may use `state` and `error` alone, so a rejection is not unhandled.
    this.done.catch(() => {});
  }

  /** The id of the upload and of its attachment. */
  get id() {
    return this.#id;
  }

  get name() {
    return this.#name;
  }

  get size() {
    return this.#blob.size;
  }

  /** The content. The page shows it before the session has it. */
  get blob() {
    return this.#blob;
  }

  /** The number of sent bytes. After a lost connection it returns to the number of received bytes. */
  get offset() {
    return this.#offset;
  }

  get state() {
    return this.#state;
  }

  /** True if the connection was lost during the upload. The upload retries by itself. */
  get isInterrupted() {
    return this.#isInterrupted;
  }

  /** @returns {Error | null} the reason of a failure or cancellation: a `GroupSessionError`, or an `AbortError` after `cancel` */
  get error() {
    return this.#error;
  }

  get isOver() {
    return this.#state === 'ready' || this.#state === 'failed' || this.#state === 'cancelled';
  }

  /** True if the gateway may have a part of the file. */
  get isBegun() {
    return this.#transfer.isBegun;
  }

  /** Stops sending. The gateway keeps the received part. */
  pause() {
    if (this.isOver || this.#state === 'paused') return;
    this.#become('paused');
    this.#running?.abort();
  }

  /** Puts the upload back into the queue. */
  resume() {
    if (this.#state === 'paused') this.#become('waiting');
  }

  /** Cancels the upload; the gateway's part is removed. @param {Error} [reason] */
  cancel(reason = new DOMException('The upload was cancelled.', 'AbortError')) {
    this.end('cancelled', reason);
  }

  /**
   * For the queue: runs the upload.
   * @param {Promise<void>} ready resolved when it may begin @returns {Promise<void>} resolved when it has stopped
   */
  async run(ready) {
    const running = new AbortController();
    this.#running = running;
    this.#become('uploading');
    await ready;
    try {
      await this.#transfer.run(running.signal);
    } catch (error) {
      this.end('failed', /** @type {Error} */ (error));
    }
  }

  /** For the queue: handles that the session lists the attachment. @param {Attachment} attachment */
  listed(attachment) {
    if (this.isOver) return;
    this.#transfer.created();
    // Shows the known progress of an earlier page's upload before it resumes.
    if (this.#offset === 0) this.#moved(attachment.offset);
    if (!attachment.isReady) return;
    this.#offset = this.size;
    this.#isInterrupted = false;
    this.#transfer.finish();
    this.#become('ready');
    this.#resolve(attachment);
  }

  /** For the queue: ends the upload, because a participant removed it. */
  removed() {
    this.end('cancelled', new AttachmentError('not-found', '', { status: 404 }));
  }

  /** For the queue: handles progress that the gateway reported. */
  touch() {
    this.#transfer.touch();
  }

  /** For the queue: retries at once, because the connection may be back. */
  retryNow() {
    this.#transfer.retryNow();
  }

  /** For the queue: ends the upload. @param {'failed' | 'cancelled'} state @param {Error} error */
  end(state, error) {
    if (this.isOver) return;
    this.#error = error;
    this.#isInterrupted = false;
    this.#become(state);
    this.#running?.abort(error);
    this.#reject(error);
  }

  /** @param {UploadState} state */
  #become(state) {
    this.#state = state;
    this.#changed();
    this.#owner.changed(this);
  }

  /** @param {number} offset */
  #moved(offset) {
    if (this.isOver || offset === this.#offset) return;
    this.#offset = offset;
    this.#changed();
  }

  /** @param {boolean} isInterrupted */
  #interrupted(isInterrupted) {
    if (this.isOver || isInterrupted === this.#isInterrupted) return;
    this.#isInterrupted = isInterrupted;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}
