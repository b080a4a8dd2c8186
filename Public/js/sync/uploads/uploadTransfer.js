/** Transfers a file to the gateway, with as many retries as necessary. */

import { retryDelay } from '../backoff.js';
import { AttachmentError } from '../errors.js';
import { unreachable } from '../httpRequest.js';
import { isMissing, isPassing } from '../journal/attachmentRequests.js';
import { PieceSize } from './pieceSize.js';

/**
 * @typedef {import('../journal/attachmentRequests.js').AttachmentRequests} AttachmentRequests
 * @typedef {import('../journal/attachmentRequests.js').Description} Description
 * @typedef {import('../journal/attachmentRequests.js').RequestOptions} RequestOptions
 * @typedef {import('../environment.js').Environment} Environment
 *
 * @typedef {object} TransferEvents
 * @property {() => void} created called after the gateway has created the upload
 * @property {(offset: number) => void} moved called after a change of the number of sent or received bytes
 * @property {(status: number) => boolean} missing called if the gateway no longer has the upload; returns true if it must be
 *   created again
 * @property {(isInterrupted: boolean) => void} interrupted true while it waits for a retry
 */

/** The time without progress after which a request is aborted. The gateway itself waits 20 s for a body. */
const SILENCE_MS = 30_000;
/** The shorter time once the network or the session is back: some browsers do not detect that a running request was lost. */
const STALL_MS = 5000;

export class UploadTransfer {
  #description;
  #blob;
  #requests;
  #events;
  #env;
  #pieces = new PieceSize();
  /** The number of bytes that the gateway has; null: unknown. @type {number | null} */
  #offset = null;
  #reached = 0;
  #attempt = 0;
  #isBegun;
  #isCreated;
  #isDone = false;
  #endWait = () => {};
  #touch = () => {};
  #suspectStall = () => {};

  /**
   * @param {object} options
   * @param {Description} options.description
   * @param {Blob} options.blob
   * @param {boolean} options.isBegun true if an earlier page may have created it
   * @param {boolean} options.isCreated true if the gateway had it
   * @param {AttachmentRequests} options.requests
   * @param {TransferEvents} options.events
   * @param {Pick<Environment, 'now' | 'random' | 'setTimeout' | 'clearTimeout'>} options.env
   */
  constructor({ description, blob, isBegun, isCreated, requests, events, env }) {
    this.#description = description;
    this.#blob = blob;
    this.#isBegun = isBegun;
    this.#isCreated = isCreated;
    this.#requests = requests;
    this.#events = events;
    this.#env = env;
  }

  /** True if the gateway may have a part of the file. */
  get isBegun() {
    return this.#isBegun;
  }

  /**
   * Transfers until `finish` is called or the signal is aborted.
   * @param {AbortSignal} signal @throws {AttachmentError} a permanent refusal
   */
  async run(signal) {
    this.#offset = null;
    while (!signal.aborted && !this.#isDone) {
      try {
        await this.#step(signal);
      } catch (error) {
        if (signal.aborted || this.#isDone) return;
        const delay = this.#delayAfter(error);
        this.#offset = null;
        this.#events.interrupted(true);
        await this.#wait(delay, signal);
      }
    }
  }

  /** Ends the transfer, because the session lists the attachment as ready. */
  finish() {
    this.#isDone = true;
    this.#endWait();
  }

  /** Records that the gateway has the upload. */
  created() {
    if (this.#isCreated) return;
    this.#isBegun = true;
    this.#isCreated = true;
    this.#events.created();
  }

  /** Handles progress that the gateway reported. */
  touch() {
    this.#touch();
  }

  /** Begins a waiting retry at once, because the network or the session is back. A running request may be lost. */
  retryNow() {
    this.#endWait();
    this.#suspectStall();
  }

  /** @param {AbortSignal} signal */
  async #step(signal) {
    if (this.#offset === null) await this.#locate(signal);
    else if (this.#offset < this.#blob.size) await this.#sendPiece(this.#offset, signal);
    else {
      // The gateway has the whole file, so an entry of the session will end the transfer. In case that entry was missed, ask
      // again.
      await this.#wait(null, signal);
      this.#offset = null;
    }
  }

  /** @param {AbortSignal} signal */
  async #locate(signal) {
    if (!this.#isBegun) return await this.#create(signal);
    try {
      this.#arrived(await this.#ask((options) => this.#requests.offset(this.#description.id, options), signal));
    } catch (error) {
      if (this.#isCreated || !isMissing(error)) throw error;
      await this.#create(signal);
    }
  }

  /**
   * Creates the upload. This request is never aborted, so a created upload is always known, and can be removed.
   * @param {AbortSignal} signal
   */
  async #create(signal) {
    const piece = await this.#read(0);
    signal.throwIfAborted();
    this.#isBegun = true;
    const { size } = this.#blob;
    this.#arrived(
      await this.#ask((options) => this.#requests.create(this.#description, size, piece, options), null, 0),
    );
  }

  /** @param {number} from @param {AbortSignal} signal */
  async #sendPiece(from, signal) {
    const piece = await this.#read(from);
    const began = this.#env.now();
    const { id } = this.#description;
    this.#arrived(await this.#ask((options) => this.#requests.append(id, from, piece, options), signal, from));
    this.#pieces.arrived(piece.byteLength, this.#env.now() - began);
  }

  /** @param {number} from @returns {Promise<ArrayBuffer>} the piece that begins there */
  async #read(from) {
    try {
      return await this.#blob.slice(from, from + this.#pieces.bytes).arrayBuffer();
    } catch (cause) {
      throw new AttachmentError('unreadable', '', { file: this.#description.name, cause });
    }
  }

  /**
   * @template T @param {(options: RequestOptions) => Promise<T>} request
   * @param {AbortSignal | null} signal @param {number} [from] the offset of the body in the file
   */
  async #ask(request, signal, from) {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const stop = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', stop);
    /** @type {unknown} */
    let silence = null;
    let isSuspected = false;
    const expect = (/** @type {number} */ ms) => {
      this.#env.clearTimeout(silence);
      silence = this.#env.setTimeout(() => controller.abort(unreachable()), ms);
    };
    this.#touch = () => {
      isSuspected = false;
      expect(SILENCE_MS);
    };
    this.#suspectStall = () => {
      if (!isSuspected) expect(STALL_MS);
      isSuspected = true;
    };
    this.#touch();
    const onProgress = from === undefined ? undefined : (/** @type {number} */ bytes) => {
      this.#touch();
      this.#moved(from + bytes);
    };
    try {
      return await request({ signal: controller.signal, onProgress });
    } finally {
      this.#touch = () => {};
      this.#suspectStall = () => {};
      this.#env.clearTimeout(silence);
      signal?.removeEventListener('abort', stop);
    }
  }

  /** @param {number} offset that the gateway has */
  #arrived(offset) {
    const { size } = this.#blob;
    if (offset > size) throw new AttachmentError('internal', '', { limit: size, actual: offset });
    this.created();
    if (offset > this.#reached) this.#attempt = 0;
    this.#reached = offset;
    this.#offset = offset;
    this.#events.interrupted(false);
    this.#moved(offset);
  }

  /** @param {number} offset */
  #moved(offset) {
    this.#events.moved(Math.min(offset, this.#blob.size));
  }

  /** @param {unknown} error @returns {number} milliseconds @throws {unknown} the error, if it is permanent */
  #delayAfter(error) {
    // A refusal of the size that has no numbers comes from a proxy instead of the gateway. The proxy may accept smaller pieces.
    const isProxy = error instanceof AttachmentError && error.status === 413 && error.limit === undefined;
    if (isProxy && !this.#pieces.isSmallest) this.#pieces.keepSmall();
    else if (this.#isCreated && isMissing(error)) this.#isCreated = !this.#events.missing(error.status);
    else if (isPassing(error)) this.#pieces.cut();
    else throw error;
    const delay = retryDelay(this.#attempt, this.#env.random);
    this.#attempt += 1;
    return Math.max(delay, error.retryAfterMs);
  }

  /** @param {number | null} ms null: until `retryNow` @param {AbortSignal} signal @returns {Promise<void>} */
  async #wait(ms, signal) {
    if (signal.aborted || this.#isDone) return;
    await new Promise((resolve) => {
      const wake = () => resolve(undefined);
      const timer = ms === null ? null : this.#env.setTimeout(wake, ms);
      signal.addEventListener('abort', wake, { once: true });
      this.#endWait = () => {
        this.#env.clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wake();
      };
    });
    this.#endWait();
    this.#endWait = () => {};
  }
}
