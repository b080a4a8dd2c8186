/** A file that a session holds, or that is being uploaded to it. */

import { AttachmentError, GroupSessionError, problemOf } from '../errors.js';
import { isObject, number } from '../json.js';
import { isKey } from '../key.js';

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
 * @typedef {AttachmentFacts & { isStalled: boolean }} AttachmentRecord kept up to date by `AttachmentList`
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
