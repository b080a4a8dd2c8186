/** A gateway's history of one session, written from the description of the protocol. */

import { HistoryReader } from '../../Public/js/sync/history/historyReader.js';
import { HistoryRequests } from '../../Public/js/sync/history/historyRequests.js';
import { ADA, BEN, gatewayEntry, keyOf } from './support.js';

/**
 * @typedef {{ sequence: number, sender: number, retention: number, key: string, type: string, payload: unknown,
 *   isSystem?: boolean }} Event
 * @typedef {{ bytes: Uint8Array, range?: [number, number], state?: number, tag: string }} Piece
 */

export const [APPEND, REPLACE, REMOVE] = [1, 2, 3];
export const START = 1_700_000_000_000;

/** Never takes a break. */
export const noBreaks = { isDue: false, take: async () => {} };

/** @param {Event} event @returns {Uint8Array} */
export function bytesOf({ sequence, sender, retention, key, type, payload, isSystem = false }) {
  const flags = 1 | (retention << 1) | (isSystem ? 128 : 0);
  const body = retention === REMOVE ? new Uint8Array(0) : payload;
  return gatewayEntry({ flags, sequence, sender, clientSequence: 1, key, type, payload: body });
}

/** @param {object} payload */
export function mark(payload) {
  return gatewayEntry({ flags: 0x81, type: 'history', payload });
}

/** @param {Uint8Array[]} parts */
export function joinBytes(parts) {
  return new Uint8Array(Buffer.concat(parts));
}

/** @param {readonly Event[]} events in rising sequence @returns {Map<string, Event[]>} the retained ones, by key */
export function foldOf(events) {
  /** @type {Map<string, Event[]>} */
  const kept = new Map();
  for (const event of events) {
    const key = (event.isSystem ? 'system:' : '') + event.key;
    if (event.retention === REMOVE) kept.delete(key);
    else if (event.retention === APPEND) kept.set(key, [...kept.get(key) ?? [], event]);
    else kept.set(key, [event]);
  }
  return kept;
}

/** A history in chunks of some entries, with a state after some chunks, and the rest as a tail. */
export class FakeHistory {
  /** @type {Piece[]} */
  pieces = [];
  /** The queries of all requests. @type {string[]} */
  asked = [];
  /** The queries whose request was aborted. @type {string[]} */
  aborted = [];
  /** The answers that replace the next correct ones. @type {(Response | null)[]} */
  answers = [];
  /** If set, requests for pieces wait until it is fulfilled. @type {Promise<unknown> | null} */
  gate = null;

  /**
   * @param {readonly Event[]} events in rising sequence
   * @param {{ perChunk?: number, chunksPerState?: number, tail?: number }} [sizes] `tail`: the number of entries in no chunk
   */
  constructor(events, { perChunk = 10, chunksPerState = 2, tail = 5 } = {}) {
    this.events = events;
    const stored = events.slice(0, Math.max(0, events.length - tail));
    this.stored = 0;
    for (let at = 0, count = 1; at < stored.length; at += perChunk, count += 1) {
      const some = stored.slice(at, at + perChunk);
      const [first, last] = [this.stored + 1, some[some.length - 1].sequence];
      this.stored = last;
      this.pieces.push({ bytes: blockOf(first, last, some), range: [first, last], tag: tagOf(last) });
      if (count % chunksPerState !== 0) continue;
      const kept = [...foldOf(stored.slice(0, at + perChunk)).values()].flat().sort((a, b) => a.sequence - b.sequence);
      const bytes = joinBytes([mark({ state: last, time: timeOf(last) }), ...kept.map(bytesOf)]);
      this.pieces.push({ bytes, state: last, tag: tagOf(last) });
    }
  }

  get through() {
    return this.events.at(-1)?.sequence ?? 0;
  }

  get overview() {
    const states = this.pieces.filter(({ state }) => state !== undefined);
    const chunks = this.pieces.filter(({ range }) => range !== undefined);
    const rest = this.events.filter(({ sequence }) => sequence > this.stored);
    const buckets = chunks.map(({ range = [0, 0] }) => this.#bucket(...range));
    if (rest.length > 0) buckets.push(this.#bucket(this.stored + 1, this.through));
    return {
      through: this.through,
      stored: this.stored,
      states: [
        ...(chunks[0]?.range?.[0] ?? buckets[0]?.[0]) === 1 ? [[0, null, 0]] : [],
        ...states.map(({ state, tag, bytes }) => [state, tag, bytes.length]),
      ],
      chunks: chunks.map(({ range = [], tag, bytes }) => [...range, tag, bytes.length]),
      buckets,
      participants: [ADA, BEN],
    };
  }

  /** @param {URL | string} url @param {{ signal?: AbortSignal }} [options] */
  fetch = async (url, { signal } = {}) => {
    const { search } = new URL(url);
    const query = search.slice(1);
    this.asked.push(query);
    signal?.addEventListener('abort', () => this.aborted.push(query));
    if (query !== '' && this.gate) {
      const aborted = new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      await Promise.race([this.gate, aborted]);
    }
    const answer = this.answers.shift();
    if (answer) return answer;
    if (query === '') return Response.json(this.overview);
    const asked = new URLSearchParams(query);
    const piece = this.pieces.find(({ range, state, tag }) => {
      if (tag !== asked.get('tag')) return false;
      return asked.has('state') ? state === Number(asked.get('state')) : range?.[0] === Number(asked.get('from'));
    });
    if (piece) return new Response(piece.bytes.slice());
    const from = Number(asked.get('from'));
    if (asked.has('tag') || from <= this.stored) return problem(404, { code: 'not-found' });
    // The gateway sends a limited part, which may begin before the first sequence.
    const rest = this.events.filter(({ sequence }) => sequence >= from).slice(0, 3);
    return new Response(rest.length > 0 ? blockOf(from, rest[rest.length - 1].sequence, rest) : new Uint8Array(0));
  };

  get requests() {
    const request = /** @type {any} */ (this.fetch);
    return new HistoryRequests({ base: 'https://draw.example/', session: 'S', request, wait: async () => {} });
  }

  get reader() {
    return new HistoryReader(this.requests, () => /** @type {any} */ (noBreaks));
  }

  /** @param {number} first @param {number} last */
  #bucket(first, last) {
    const all = this.events.filter(({ sequence }) => sequence >= first && sequence <= last);
    const senders = [...new Set(all.map(({ sender }) => sender))];
    const counts = senders.flatMap((one) => [one, all.filter(({ sender }) => sender === one).length]);
    return [first, last, timeOf(first), timeOf(last), all.length, counts];
  }
}

/** @param {number} status @param {object} body */
export function problem(status, body) {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/problem+json' } });
}

/** @param {number} first @param {number} last @param {readonly Event[]} events */
function blockOf(first, last, events) {
  return joinBytes([mark({ from: first, to: last, time: timeOf(first) }), ...events.map(bytesOf)]);
}

/** @param {number} sequence */
export function timeOf(sequence) {
  return START + 1000 * sequence;
}

/** @param {number} sequence */
function tagOf(sequence) {
  return sequence.toString(16).padStart(8, '0');
}

/** @param {string} id @param {number} z @param {number[][]} points @param {object} [more] a message with a stroke */
export function strokeMessage(id, z, points, more = {}) {
  return { id, color: 0, point: points[points.length - 1], points, width: 4, tool: 'pen', rgb: '#e5484d', z, ...more };
}

/**
 * Random changes of strokes by two people.
 * @param {number} count @param {number} [keys] @param {number} [seed]
 * @returns {Event[]}
 */
export function randomEvents(count, keys = 12, seed = 1) {
  let state = seed;
  const random = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  /** @type {Event[]} */
  const events = [];
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const key = keyOf(1 + random(keys));
    const retention = [APPEND, APPEND, REPLACE, REPLACE, REMOVE][random(5)];
    const point = [random(500), random(500)];
    const payload = strokeMessage(key, 1 + random(50), [point, [point[0] + 10, point[1]]]);
    events.push({ sequence, sender: 1 + random(2), retention, key, type: 'UpsertStrokeMessage', payload });
  }
  return events;
}
