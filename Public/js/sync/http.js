/** The gateway over HTTP: its sessions, and pieces of files. */

import { AttachmentError, GroupSessionError, problemOf } from './errors.js';

/**
 * @typedef {object} SessionObject
 * @property {string} id
 * @property {string} link where a person opens it
 * @property {{ identifier: string, title: string, type: string, payload?: unknown }} activity
 * @property {number} participants
 */

/**
 * Activates an activity: makes a session for it.
 * @param {object} options
 * @param {URL | string} options.base address of the gateway
 * @param {{ identifier?: string, title?: string, type?: string, payload?: unknown }} [options.activity]
 * @param {{ id: string, token: string | null }} [options.follows] the session that it succeeds, for everybody in it
 * @param {typeof fetch} [options.request]
 * @returns {Promise<SessionObject>} @throws {GroupSessionError}
 */
export async function createSession({ base, activity, follows, request = fetch }) {
  /** @type {Record<string, string>} */
  const headers = { 'Content-Type': 'application/json' };
  if (follows?.token) headers['Participant-Token'] = follows.token;
  const body = JSON.stringify({ activity, follows: follows?.id });
  const answer = await ask(() => request(new URL('api/sessions', base), { method: 'POST', headers, body }));
  return await answer.json();
}

/** @param {() => Promise<Response>} send @returns {Promise<Response>} */
async function ask(send) {
  let answer;
  try {
    answer = await send();
  } catch (cause) {
    throw new GroupSessionError('unavailable', '', { cause });
  }
  if (answer.ok) return answer;
  const { code, detail } = await problemOf(answer);
  throw new GroupSessionError(code, detail, { numbers: `status ${answer.status}` });
}

const SMALLEST = 256 * 1024;
const LARGEST = 8 * 1024 * 1024;
const AIM_MS = 2000;
/** One quick piece may have met an empty buffer on its way. */
const GROWTH = 4;

/** How much of a file goes in one request: about two seconds' worth, so that a cut costs little. */
export class PieceSize {
  #bytes = SMALLEST;
  #largest = LARGEST;

  get bytes() {
    return this.#bytes;
  }

  get isSmallest() {
    return this.#bytes === SMALLEST;
  }

  /** A piece has arrived. @param {number} bytes @param {number} ms how long it took */
  arrived(bytes, ms) {
    const fits = (bytes / Math.max(ms, 1)) * AIM_MS;
    this.#set(Math.min(fits, this.#bytes * GROWTH));
  }

  /** A piece was cut off. */
  cut() {
    this.#set(this.#bytes / 2);
  }

  /** Something on the way takes no large pieces: from now on they are small. */
  keepSmall() {
    this.#largest = SMALLEST;
    this.#set(SMALLEST);
  }

  /** @param {number} bytes */
  #set(bytes) {
    this.#bytes = Math.round(Math.min(Math.max(bytes, SMALLEST), this.#largest));
  }
}

/**
 * @typedef {object} HTTPRequest
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string>} [headers]
 * @property {ArrayBuffer | null} [body]
 * @property {(bytes: number) => void} [onProgress] how much of the body has gone out
 * @property {AbortSignal} [signal]
 *
 * @typedef {object} HTTPAnswer
 * @property {number} status
 * @property {(name: string) => string | null} header
 * @property {string} text
 */

/** @param {HTTPRequest} request @returns {Promise<HTTPAnswer>} @throws {AttachmentError} `unavailable`; or the signal's reason */
export function sendRequest({ method, url, headers = {}, body = null, onProgress, signal }) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    const lifetime = new AbortController();
    request.open(method, url);
    // Else a browser may take an answer without a type for XML, and complain of it.
    request.responseType = 'text';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    // Listening to the upload makes the browser ask first when the gateway is elsewhere: only where it is wanted.
    if (onProgress) request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () =>
      resolve({
        status: request.status,
        header: (name) => request.getResponseHeader(name),
        text: request.responseText,
      });
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal?.reason ?? unreachable());
    request.onloadend = () => lifetime.abort();
    signal?.addEventListener('abort', () => request.abort(), { signal: lifetime.signal });
    request.send(body);
  });
}

/** Nothing came back. */
export function unreachable() {
  return new AttachmentError('unavailable');
}
