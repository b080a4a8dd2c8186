/** A file of a session, or one that is being uploaded to it. */

import { AttachmentError, GroupSessionError, problemOf } from '../errors.js';
import { isObject, number } from '../json.js';
import { isKey } from '../key.js';

/**
 * The gateway's description of an attachment.
 * @typedef {object} AttachmentFacts
 * @property {string} id
 * @property {string} name for users; no path
 * @property {string} contentType as its uploader declared it
 * @property {number | null} size in bytes; null: unknown so far
 * @property {string | null} sha256 hex digits, once ready
 * @property {unknown} metadata any JSON
 * @property {number | null} participant the uploader's number
 * @property {'uploading' | 'ready'} state
 * @property {number} offset the number of received bytes
 * @property {string} createdAt ISO 8601
 *
 * @typedef {AttachmentFacts & { sequence: number, isStalled: boolean }} AttachmentRecord kept up to date by `AttachmentList`
 */

/** An attachment. The object stays the same while the session lists it; its properties follow the session. */
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

  /** The sequence of its last entry. */
  get sequence() {
    return this.#record.sequence;
  }

  /** The address of the content, once ready. */
  get url() {
    return this.#url;
  }

  get isReady() {
    return this.#record.state === 'ready';
  }

  /** True during an upload without recent progress. */
  get isStalled() {
    return this.#record.isStalled;
  }

  /**
   * Loads the content. The browser caches it. Concurrent callers share one download. The blob has the content type of the
   * gateway's response, which is never one of executable content.
   * @param {{ signal?: AbortSignal }} [options] stops waiting, and the download if no other caller waits
   * @returns {Promise<Blob>} @throws {GroupSessionError} a retry is possible
   */
  async load({ signal } = {}) {
    signal?.throwIfAborted();
    if (!this.isReady) throw new AttachmentError('not-ready', '', { file: this.name });
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

  /** @returns {Promise<any>} the metadata of its uploader */
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
      throw new AttachmentError('unavailable', '', { file: this.name, cause });
    }
    if (blob.size === this.size) return blob;
    // The body was cut off.
    throw new AttachmentError('unavailable', '', { file: this.name, limit: this.size ?? 0, actual: blob.size });
  }
}

/** @param {Response} answer */
async function refusal(answer) {
  const { code, detail, damaged } = await problemOf(answer);
  return new AttachmentError(damaged ? 'damaged' : code, detail, { status: answer.status });
}

/** @param {unknown} value from the gateway @returns {AttachmentFacts | null} null: no attachment */
export function readAttachment(value) {
  if (!isObject(value) || !isKey(value.id)) return null;
  return {
    id: value.id,
    name: text(value.name, 'attachment'),
    contentType: text(value.contentType, 'application/octet-stream'),
    size: typeof value.size === 'number' ? number(value.size) : null,
    sha256: typeof value.sha256 === 'string' ? value.sha256 : null,
    metadata: value.metadata ?? null,
    participant: typeof value.participant === 'number' ? number(value.participant) : null,
    state: value.state === 'ready' ? 'ready' : 'uploading',
    offset: number(value.offset),
    createdAt: text(value.createdAt, ''),
  };
}

/** @param {unknown} value @param {string} otherwise */
function text(value, otherwise) {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
