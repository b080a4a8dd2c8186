/**
 * The entries of a part of a session's history. The bytes are checked, because they may be damaged, and their content may come
 * from any participant.
 */

import { GroupSessionError } from '../errors.js';
import { keyFromBytes } from '../key.js';
import { number, readPayload } from '../json.js';
import { decodeEntries, Retention, WireError } from '../wire.js';

/**
 * An entry that changed the retained entries of its key. Its payload is decoded only when it is needed.
 * @typedef {object} HistoryEntry
 * @property {number} sequence
 * @property {number} sender
 * @property {number} retention one of `Retention`
 * @property {string} key a client's key, or a key of the gateway with `SYSTEM` in front
 * @property {number | null} time when it was stored, in milliseconds since 1970; null: unknown
 * @property {Uint8Array} part the bytes of the part of the history that contains the entry
 * @property {number} start the offset of the entry in these bytes
 * @property {number} end
 *
 * @typedef {object} HistoryPart
 * @property {HistoryEntry[]} entries in rising sequence; of a state, in its order
 * @property {number | null} state the sequence of the state that the part begins with; null: it has none
 * @property {number | null} time of the state
 * @property {number} from the first sequence that the part covers; 0: it covers none
 * @property {number} to the last sequence that the part covers; 0: it covers none
 */

/** Marks the keys of the gateway: a client's key with the same bytes is a different key. */
export const SYSTEM = 'system:';

/** The positions in an entry, after its length (see `wire.js`). */
const SEQUENCE = 6;
const SENDER = 14;
const KEY = 22;
const KEY_BYTES = 16;
const MIN_LENGTH = 18;
/** Flags. */
const RELIABLE = 1;
const TARGETED = 8;
const EXISTING = 32;
const SYSTEM_FLAG = 128;
/** The number of entries between two checks of the clock. */
const ENTRIES_PER_LOOK = 64;

/** @param {unknown} [cause] */
export function damaged(cause) {
  return new GroupSessionError('damaged', '', { cause });
}

/**
 * Reads a part of a history.
 * @param {Uint8Array} bytes @param {import('./breaks.js').Breaks} breaks
 * @returns {Promise<HistoryPart>} @throws {GroupSessionError} `damaged`
 */
export async function readHistory(bytes, breaks) {
  const reader = new PartReader(bytes);
  for (let count = 1; reader.hasMore; count += 1) {
    reader.readNext();
    if (count % ENTRIES_PER_LOOK === 0 && breaks.isDue) await breaks.take();
  }
  return reader.part;
}

class PartReader {
  /** @type {HistoryPart} */
  part = { entries: [], state: null, time: null, from: 0, to: 0 };
  #bytes;
  #view;
  #at = 0;
  /** The sequences of the present entries, and the time at which they were stored. */
  #from = 0;
  #to = 0;
  /** @type {number | null} */
  #time = null;
  /** The sequence of the last entry. */
  #reached = 0;
  /** The position and the text of the last key, because consecutive entries often have the same key. */
  #keyAt = -1;
  #key = '';

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get hasMore() {
    return this.#at < this.#bytes.length;
  }

  readNext() {
    const start = this.#at;
    const view = this.#view;
    const left = this.#bytes.length - start;
    const length = left < 4 ? 0 : view.getUint32(start);
    if (length < MIN_LENGTH || length > left - 4) throw damaged();
    this.#at = start + 4 + length;
    const flags = view.getUint8(start + 4);
    const sequence = view.getUint32(start + SEQUENCE) * 0x1_0000_0000 + view.getUint32(start + SEQUENCE + 4);
    if (!Number.isSafeInteger(sequence)) throw damaged();
    if (sequence === 0) return flags & SYSTEM_FLAG ? this.#readMark(start) : undefined;
    const { part } = this;
    const isInState = part.state !== null && this.#to === 0;
    if (isInState ? sequence > Number(part.state) : sequence < this.#from || sequence > this.#to) throw damaged();
    if (!isInState && sequence <= this.#reached) throw damaged();
    this.#reached = sequence;
    const retention = (flags >> 1) & 3;
    // All other entries change no retained entry.
    if (retention === Retention.none || !(flags & RELIABLE) || flags & (TARGETED | EXISTING)) return;
    if (length < MIN_LENGTH + KEY_BYTES) throw damaged();
    const key = this.#readKey(start + KEY);
    part.entries.push({
      sequence,
      sender: view.getUint32(start + SENDER),
      retention,
      key: flags & SYSTEM_FLAG ? SYSTEM + key : key,
      time: this.#time,
      part: this.#bytes,
      start,
      end: this.#at,
    });
  }

  /** @param {number} at */
  #readKey(at) {
    const bytes = this.#bytes;
    let same = this.#keyAt < 0 ? 0 : KEY_BYTES;
    for (let index = 0; index < same; index += 1) if (bytes[at + index] !== bytes[this.#keyAt + index]) same = 0;
    if (same === 0) this.#key = keyFromBytes(bytes.subarray(at, at + KEY_BYTES));
    this.#keyAt = at;
    return this.#key;
  }

  /** Reads a description of the entries behind it. Other system entries are ignored. @param {number} start */
  #readMark(start) {
    const entry = decodeHistoryEntry({ part: this.#bytes, start, end: this.#at });
    const mark = entry?.type === 'history' ? readPayload(entry.payload) : null;
    if (!mark) return;
    const time = typeof mark.time === 'number' ? number(mark.time) || null : null;
    const { part } = this;
    if (mark.state !== undefined) {
      const state = number(mark.state);
      // The blocks of a state may repeat its mark.
      if (this.#to > 0 || part.state !== null && part.state !== state) throw damaged();
      Object.assign(part, { state, time });
      this.#time = time;
      return;
    }
    const [from, to] = [number(mark.from), number(mark.to)];
    if (from === 0 || to < from || from <= this.#to) throw damaged();
    [this.#from, this.#to, this.#time] = [from, to, time];
    part.from ||= from;
    part.to = to;
  }
}

/**
 * @param {Pick<HistoryEntry, 'part' | 'start' | 'end'>} entry
 * @returns {import('../wire.js').Entry | null} null: it cannot be decoded
 */
export function decodeHistoryEntry({ part, start, end }) {
  try {
    return decodeEntries(part.subarray(start, end))[0] ?? null;
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
}
