/** The requests for a session's attachments: tus 1.0.0 with creation-with-upload and termination. */

import { MAX_ASKED_MS } from '../backoff.js';
import { AttachmentError } from '../errors.js';
import { isObject } from '../json.js';

/**
 * @typedef {import('../httpRequest.js').HTTPAnswer} HTTPAnswer
 * @typedef {import('../httpRequest.js').HTTPRequest} HTTPRequest
 * @typedef {{ signal?: AbortSignal, onProgress?: (bytes: number) => void }} RequestOptions
 * @typedef {{ id: string, name: string, contentType: string, metadata: unknown }} Description
 */

const TUS = Object.freeze({ 'Tus-Resumable': '1.0.0' });
const PIECE = Object.freeze({ ...TUS, 'Content-Type': 'application/offset+octet-stream' });
/** Refusals that may not recur: a timeout, another writer, a wrong offset, too early or too often, a damaged piece. */
const PASSING = new Set([408, 409, 423, 425, 429, 460]);
/** Permanent faults of the gateway: no such method, no space, no such version. */
const LASTING = new Set([501, 505, 507]);

export class AttachmentRequests {
  #session;
  #send;

  /** @param {import('../groupSession.js').GroupSession} session @param {(request: HTTPRequest) => Promise<HTTPAnswer>} send */
  constructor(session, send) {
    this.#session = session;
    this.#send = send;
  }

  /** @param {string} id */
  url(id) {
    return `${this.#session.url}/attachments/${id}`;
  }

  /**
   * Creates an upload with the first piece of the file. A repeated creation continues the existing upload.
   * @param {Description} description @param {number} size of the whole @param {ArrayBuffer} piece @param {RequestOptions} options
   * @returns {Promise<number>} the number of bytes that the gateway has
   */
  async create(description, size, piece, options) {
    /** @type {Record<string, string>} */
    const headers = {
      ...PIECE,
      'Attachment-Id': description.id,
      'Upload-Length': String(size),
      'Upload-Metadata': uploadMetadata(description),
    };
    if (this.#session.token) headers['Participant-Token'] = this.#session.token;
    const url = `${this.#session.url}/attachments`;
    return offsetOf(await this.#ask({ method: 'POST', url, headers, body: piece, ...options }));
  }

  /** @param {string} id @param {RequestOptions} options @returns {Promise<number>} the number of bytes that the gateway has */
  async offset(id, options) {
    return offsetOf(await this.#ask({ method: 'HEAD', url: this.url(id), headers: TUS, ...options }));
  }

  /**
   * @param {string} id @param {number} offset @param {ArrayBuffer} piece @param {RequestOptions} options
   * @returns {Promise<number>} the number of bytes that the gateway has then
   */
  async append(id, offset, piece, options) {
    const headers = { ...PIECE, 'Upload-Offset': String(offset) };
    return offsetOf(await this.#ask({ method: 'PATCH', url: this.url(id), headers, body: piece, ...options }));
  }

  /** Removes an attachment or an upload. A missing one is no error. @param {string} id */
  async remove(id) {
    /** @type {Record<string, string>} for the gateway's log */
    const headers = this.#session.token ? { 'Participant-Token': this.#session.token } : {};
    try {
      await this.#ask({ method: 'DELETE', url: this.url(id), headers });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** @param {HTTPRequest} request */
  async #ask(request) {
    const answer = await this.#send(request);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refusal(answer);
  }
}

/** @param {unknown} error @returns {error is AttachmentError} true if the attachment does not exist */
export function isMissing(error) {
  return error instanceof AttachmentError && (error.status === 404 || error.status === 410);
}

/** @param {unknown} error @returns {error is AttachmentError} true if a retry may succeed */
export function isPassing(error) {
  if (!(error instanceof AttachmentError)) return false;
  if (error.status === 0) return error.code === 'unavailable';
  // A token that the gateway does not know is replaced when the session is joined again.
  if (PASSING.has(error.status) || error.code === 'token-needed') return true;
  return error.status >= 500 && !LASTING.has(error.status);
}

/** @param {HTTPAnswer} answer */
function offsetOf({ status, header }) {
  const offset = Number(header('Upload-Offset') ?? Number.NaN);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new AttachmentError('internal', '', { status: 502, cause: `status ${status} without an offset` });
}

/** @param {HTTPAnswer} answer */
function refusal({ status, header, text }) {
  const problem = readProblem(text);
  const code = typeof problem.code === 'string' ? problem.code : status === 413 ? 'attachment-too-large' : 'internal';
  const [limit, actual] = [problem.limit, problem.actual].map((value) => typeof value === 'number' ? value : undefined);
  const wait = Number(problem.retryAfterMs ?? 1000 * Number(header('Retry-After') ?? 0));
  const detail = typeof problem.detail === 'string' ? problem.detail : '';
  const retryAfterMs = wait > 0 ? Math.min(wait, MAX_ASKED_MS) : 0;
  return new AttachmentError(code, detail, { limit, actual, status, retryAfterMs });
}

/** @param {string} text @returns {Record<string, unknown>} */
function readProblem(text) {
  try {
    const problem = JSON.parse(text);
    return isObject(problem) ? problem : {};
  } catch {
    // A proxy answered with a body of its own.
    return {};
  }
}

/** @param {Description} description */
function uploadMetadata({ name, contentType, metadata }) {
  const pairs = [`filename ${base64(name)}`];
  if (contentType) pairs.push(`filetype ${base64(contentType)}`);
  if (metadata !== null) pairs.push(`metadata ${base64(JSON.stringify(metadata))}`);
  return pairs.join(',');
}

/** @param {string} text */
function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
