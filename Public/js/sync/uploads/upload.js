/** A file on its way into a session, as the page that brings it sees it. */

import { AttachmentError } from '../errors.js';

/**
 * @typedef {import('../journal/attachment.js').Attachment} Attachment
 * @typedef {import('./uploadTransfer.js').UploadTransfer} UploadTransfer
 * @typedef {import('./uploadTransfer.js').TransferEvents} TransferEvents
 * @typedef {'waiting' | 'uploading' | 'paused' | 'ready' | 'failed' | 'cancelled'} UploadState
 *   `waiting` for its turn; the last three are for good
 *
 * What the others of the queue need to know.
 * @typedef {object} UploadOwner
 * @property {(upload: Upload) => void} changed its state is another one
 * @property {(upload: Upload) => void} created the gateway is known to have it
 * @property {(upload: Upload, status: number) => boolean} missing it does not have it any more: whether it is to be created anew
 */

/** Event: `change`, when its state, its offset or `isInterrupted` did. */
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
    /** The attachment, once everybody has it. @type {Promise<Attachment>} */
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever looks at `state` and `error` need not take the promise too.
    this.done.catch(() => {});
  }

  /** The attachment's, too. */
  get id() {
    return this.#id;
  }

  get name() {
    return this.#name;
  }

  get size() {
    return this.#blob.size;
  }

  /** What is uploaded: to show it before the session has it. */
  get blob() {
    return this.#blob;
  }

  /** How much of it has gone out. After a cut it goes back to what has arrived. */
  get offset() {
    return this.#offset;
  }

  get state() {
    return this.#state;
  }

  /** Whether it is uploading, and the connection is lost: it tries again by itself. */
  get isInterrupted() {
    return this.#isInterrupted;
  }

  /** @returns {Error | null} why it failed or was cancelled: a `GroupSessionError`, or an `AbortError` when it was our own wish */
  get error() {
    return this.#error;
  }

  get isOver() {
    return this.#state === 'ready' || this.#state === 'failed' || this.#state === 'cancelled';
  }

  /** Whether the gateway may have something of it. */
  get isBegun() {
    return this.#transfer.isBegun;
  }

  /** Stops sending; what has arrived stays. */
  pause() {
    if (this.isOver || this.#state === 'paused') return;
    this.#become('paused');
    this.#running?.abort();
  }

  /** Goes on when it is its turn. */
  resume() {
    if (this.#state === 'paused') this.#become('waiting');
  }

  /** Takes it back: nobody gets it. @param {Error} [reason] */
  cancel(reason = new DOMException('The upload was cancelled.', 'AbortError')) {
    this.end('cancelled', reason);
  }

  /** For the queue: its turn has come. @param {Promise<void>} ready when it may begin @returns {Promise<void>} nothing of it goes on any more */
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

  /** For the queue: what the session says of it. @param {Attachment} attachment */
  listed(attachment) {
    if (this.isOver) return;
    this.#transfer.created();
    // Of an earlier page's: as much as is known before it goes on.
    if (this.#offset === 0) this.#moved(attachment.offset);
    if (!attachment.isReady) return;
    this.#offset = this.size;
    this.#isInterrupted = false;
    this.#transfer.finish();
    this.#become('ready');
    this.#resolve(attachment);
  }

  /** For the queue: somebody removed it. */
  removed() {
    this.end('cancelled', new AttachmentError('not-found', '', { status: 404 }));
  }

  /** For the queue: something of it came. */
  touch() {
    this.#transfer.touch();
  }

  /** For the queue: the connection may be back. */
  retryNow() {
    this.#transfer.retryNow();
  }

  /** For the queue. @param {'failed' | 'cancelled'} state @param {Error} error */
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
