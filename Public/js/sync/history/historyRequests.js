/** The requests for the history of a session. */

import { GroupSessionError, problemOf } from '../errors.js';
import { number } from '../json.js';
import { damaged } from './historyEntries.js';
import { readOverview } from './historyOverview.js';

/**
 * The maximum sizes of answers, in bytes. Longer answers are not read to their end. The gateway's chunks have little more than 4
 * MiB.
 */
const MAX_OVERVIEW_BYTES = 4 * 2 ** 20;
const MAX_CHUNK_BYTES = 16 * 2 ** 20;
const MAX_STATE_BYTES = 128 * 2 ** 20;
/** The maximum number of attempts while the gateway asks to retry later, and the bounds of the pauses between them. */
const MAX_ATTEMPTS = 8;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** The number of pieces that are loaded at once, so that the gateway's limit of requests is not exceeded by much. */
const MAX_AT_ONCE = 6;
/** The codes of refusals after which the same request may succeed. */
const TEMPORARY = ['rate-limited', 'unavailable'];

export class HistoryRequests {
  #url;
  #fetch;
  #wait;
  #running = 0;
  /** Functions that begin the waiting requests. @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {object} options
   * @param {URL | string} options.base address of the gateway
   * @param {string} options.session its id
   * @param {typeof fetch} [options.request]
   * @param {(ms: number, signal: AbortSignal) => Promise<void>} [options.wait]
   */
  constructor({ base, session, request = (...parts) => fetch(...parts), wait = pause }) {
    this.#url = new URL(`api/sessions/${session}/history`, base);
    this.#fetch = request;
    this.#wait = wait;
  }

  /** @param {AbortSignal} signal @returns {Promise<import('./historyOverview.js').HistoryOverview>} @throws {GroupSessionError} */
  async overview(signal) {
    const bytes = await this.#ask('', MAX_OVERVIEW_BYTES, signal);
    let overview = null;
    try {
      overview = readOverview(JSON.parse(new TextDecoder().decode(bytes)));
    } catch (cause) {
      throw damaged(cause);
    }
    if (!overview) throw damaged();
    return overview;
  }

  /**
   * Loads a state or a range of entries.
   * @param {string} query @param {AbortSignal} signal @returns {Promise<Uint8Array>} @throws {GroupSessionError}
   */
  async piece(query, signal) {
    if (this.#running < MAX_AT_ONCE) this.#running += 1;
    else await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
    try {
      signal.throwIfAborted();
      return await this.#ask(query, query.startsWith('state') ? MAX_STATE_BYTES : MAX_CHUNK_BYTES, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** @param {string} query @param {number} maximum in bytes @param {AbortSignal} signal */
  async #ask(query, maximum, signal) {
    const url = new URL(this.#url);
    url.search = query;
    for (let attempt = 1;; attempt += 1) {
      const request = this.#fetch;
      try {
        const answer = await request(url, { signal });
        if (answer.ok) return await read(answer, maximum);
        const { code, detail, retryAfterMs } = /** @type {Record<string, any>} */ (await problemOf(answer));
        if (!TEMPORARY.includes(code) || attempt === MAX_ATTEMPTS) {
          throw new GroupSessionError(code, detail, { numbers: `status ${answer.status}` });
        }
        await this.#wait(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, number(retryAfterMs))), signal);
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof GroupSessionError) throw cause;
        throw new GroupSessionError('unavailable', '', { cause });
      }
    }
  }
}

/** @param {Response} answer @param {number} maximum @returns {Promise<Uint8Array>} @throws {GroupSessionError} `too-large` */
async function read(answer, maximum) {
  const reader = answer.body?.getReader();
  if (!reader) return new Uint8Array(0);
  /** @type {Uint8Array[]} */
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maximum) {
      reader.cancel().catch(() => {});
      throw new GroupSessionError('too-large', '', { numbers: `more than ${maximum} bytes` });
    }
    parts.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} rejected when the signal is aborted */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}
