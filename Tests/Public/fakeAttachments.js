/** The gateway's side of attachments, written from the description of the protocol: tus in memory, with faults on demand. */

import { createHash } from 'node:crypto';
import { unreachable } from '../../Public/js/sync/httpRequest.js';
import { gatewayEntry } from './support.js';

const COLLECTION = 'https://draw.example/api/sessions/AAAAAAAAAAAAAAAAAAAAAA/attachments';

/**
 * A fault of a request. `unheard`: the request does not arrive · `cutAfter`: this number of bytes of its body arrives, and there
 * is no answer · `lost`: the request succeeds, but there is no answer · `hangs`: the request hangs after `cutAfter` bytes until
 * it is aborted · `answer`: the request has no effect, and gets this answer.
 * @typedef {{ unheard?: true, cutAfter?: number, lost?: true, hangs?: true,
 *   answer?: { status: number, headers?: Record<string, string>, text?: string } }} Fault
 *
 * @typedef {{ id: string, bytes: Buffer, size: number, state: 'uploading' | 'ready', name: string, contentType: string,
 *   metadata: unknown, participant: string | null, createdAt: string }} Stored
 */

export class FakeAttachments {
  /** @type {Map<string, Stored>} */
  stored = new Map();
  /** @type {{ method: string, id: string, headers: Record<string, string>, length: number }[]} */
  requests = [];
  /** The number of body bytes that were accepted. */
  taken = 0;
  /** @type {Fault[]} one for each following request */
  faults = [];
  /** @type {(entry: Uint8Array) => void} */
  tell = () => {};
  sequence = 100;
  loads = 0;
  loadsGivenUp = 0;
  /** Reports progress to the hanging request: the number of sent bytes of its body. @type {(bytes: number) => void} */
  goesOut = () => {};

  /** @type {import('../../Public/js/sync/journal/groupSessionJournal.js').JournalEnvironment['send']} */
  send = async (request) => {
    const fault = this.faults.shift() ?? {};
    await Promise.resolve();
    const { method, url, headers = {}, body, signal } = request;
    const id = url === COLLECTION ? headers['Attachment-Id'] : url.slice(COLLECTION.length + 1);
    if (signal?.aborted) throw signal.reason;
    this.requests.push({ method, id, headers, length: body?.byteLength ?? 0 });
    if (fault.unheard) throw unreachable();
    if (fault.answer) return answer(fault.answer.status, fault.answer.headers, fault.answer.text);
    const result = this.#perform(request, id, fault.cutAfter ?? Infinity);
    this.goesOut = request.onProgress ?? (() => {});
    if (fault.hangs) await givenUp(signal);
    if (fault.lost || fault.cutAfter !== undefined) throw unreachable();
    return result;
  };

  /** @type {any} */
  fetch = async (/** @type {string} */ url, /** @type {{ signal?: AbortSignal }} */ { signal } = {}) => {
    this.loads += 1;
    const fault = this.faults.shift() ?? {};
    await Promise.resolve();
    if (fault.hangs) await givenUp(signal).finally(() => (this.loadsGivenUp += 1));
    if (fault.unheard) throw new TypeError('Failed to fetch');
    if (fault.answer) return new Response(fault.answer.text, { status: fault.answer.status });
    const stored = this.stored.get(url.slice(COLLECTION.length + 1));
    if (!stored) return new Response('{"code":"not-found","detail":"It was removed."}', { status: 404 });
    const bytes = stored.bytes.subarray(0, fault.cutAfter ?? Infinity);
    return new Response(new Uint8Array(bytes), { headers: { 'Content-Type': 'application/octet-stream' } });
  };

  /** @param {string} id */
  remove(id) {
    this.stored.delete(id);
    this.sequence += 2;
    this.tell(gatewayEntry({ flags: 0x87, sequence: this.sequence - 1, key: id, type: 'attachment' }));
    this.tell(gatewayEntry({ flags: 0x07, sequence: this.sequence, key: id, type: 'attachment' }));
  }

  /** Sends the entry of an attachment. @param {string} id */
  list(id) {
    this.sequence += 1;
    this.tell(this.entry(id));
  }

  /** @param {string} id */
  entry(id) {
    const payload = attachmentObject(/** @type {Stored} */ (this.stored.get(id)));
    return gatewayEntry({ flags: 0x85, sequence: this.sequence, key: id, type: 'attachment', payload });
  }

  /** @param {string} id @param {number} offset */
  progress(id, offset) {
    const payload = { id, offset, size: this.stored.get(id)?.size };
    this.tell(gatewayEntry({ flags: 0x80, type: 'attachmentProgress', payload }));
  }

  /** @param {string} id @param {Partial<Stored>} [more] */
  put(id, more = {}) {
    const bytes = Buffer.from('hello');
    this.stored.set(id, { ...EMPTY, id, bytes, size: bytes.length, state: 'ready', ...more });
    this.list(id);
  }

  get methods() {
    return this.requests.map(({ method }) => method).join(' ');
  }

  /** @param {import('../../Public/js/sync/httpRequest.js').HTTPRequest} request @param {string} id @param {number} most */
  #perform({ method, headers = {}, body, onProgress }, id, most) {
    const stored = this.stored.get(id);
    if (method === 'DELETE') {
      if (!stored) return problem(404, 'not-found');
      this.remove(id);
      return answer(204);
    }
    if (headers['Tus-Resumable'] !== '1.0.0') return problem(412, 'bad-request');
    if (method === 'POST') {
      if (!stored) this.#create(id, headers);
      return this.#append(id, 201, body, most, onProgress);
    }
    if (!stored) return problem(404, 'not-found');
    if (method === 'HEAD') return answer(200, { 'Upload-Offset': String(stored.bytes.length) });
    if (headers['Content-Type'] !== 'application/offset+octet-stream') return problem(415, 'bad-request');
    if (Number(headers['Upload-Offset']) !== stored.bytes.length) return problem(409, 'offset-mismatch');
    return this.#append(id, 204, body, most, onProgress);
  }

  /** @param {string} id @param {Record<string, string>} headers */
  #create(id, headers) {
    const pairs = headers['Upload-Metadata'].split(',').map((pair) => pair.split(' '));
    const fields = Object.fromEntries(pairs.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
    this.stored.set(id, {
      ...EMPTY,
      id,
      size: Number(headers['Upload-Length']),
      name: fields.filename,
      contentType: fields.filetype ?? 'application/octet-stream',
      metadata: JSON.parse(fields.metadata ?? 'null'),
      participant: headers['Participant-Token'] ?? null,
    });
    this.list(id);
  }

  /**
   * @param {string} id @param {number} status @param {ArrayBuffer | null | undefined} body @param {number} most
   * @param {((bytes: number) => void) | undefined} onProgress
   */
  #append(id, status, body, most, onProgress) {
    const stored = /** @type {Stored} */ (this.stored.get(id));
    const piece = Buffer.from(body ?? new ArrayBuffer(0)).subarray(0, most);
    onProgress?.(Math.floor(piece.length / 2));
    this.taken += piece.length;
    stored.bytes = Buffer.concat([stored.bytes, piece]);
    onProgress?.(piece.length);
    const isWhole = stored.bytes.length === stored.size;
    if (isWhole) stored.state = 'ready';
    if (isWhole || piece.length < (body?.byteLength ?? 0)) this.list(id);
    return answer(status, { 'Upload-Offset': String(stored.bytes.length) });
  }
}

/** @param {AbortSignal | undefined} signal @returns {Promise<never>} */
function givenUp(signal) {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

/** @type {Stored} */
const EMPTY = {
  id: '',
  bytes: Buffer.alloc(0),
  size: 0,
  state: 'uploading',
  name: 'a.png',
  contentType: 'image/png',
  metadata: null,
  participant: null,
  createdAt: '2026-01-01T00:00:00Z',
};

/** @param {Stored} stored */
function attachmentObject({ id, bytes, size, state, name, contentType, metadata, createdAt }) {
  const sha256 = state === 'ready' ? createHash('sha256').update(bytes).digest('hex') : null;
  const url = `/api/sessions/AAAAAAAAAAAAAAAAAAAAAA/attachments/${id}`;
  return { id, name, contentType, size, sha256, metadata, participant: 1, state, offset: bytes.length, createdAt, url };
}

/** @param {number} status @param {Record<string, string>} [headers] @param {string} [text] */
function answer(status, headers = {}, text = '') {
  return { status, header: (/** @type {string} */ name) => headers[name] ?? null, text };
}

/** @param {number} status @param {string} code */
function problem(status, code) {
  return answer(status, {}, JSON.stringify({ code, detail: 'Said by the gateway.', status }));
}
