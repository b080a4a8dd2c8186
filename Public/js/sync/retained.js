/** What a client holds of its session, how far it has followed it, and a digest: equal for all who hold the same. */

import { bytesFromKey } from './key.js';
import { Retention } from './wire.js';

/** How far a client has followed the session's order, and from where it can be caught up after a cut. */
export class Position {
  #epoch = '';
  /** @type {number | null} the sequence, in `#afterEpoch`, up to which the entries held here are complete */
  #after = null;
  /** The epoch of `#after`. It differs from the gateway's only between `joined` and `catchUp` after a crash of the gateway. */
  #afterEpoch = '';
  #last = 0;

  /** Of the gateway; '' before it is known. */
  get epoch() {
    return this.#epoch;
  }

  /** The highest sequence seen. */
  get last() {
    return this.#last;
  }

  /** For a resume: nothing where what is held is not whole. @returns {{ epoch: string, after: number } | null} */
  get resume() {
    return this.#after === null ? null : { epoch: this.#afterEpoch, after: this.#after };
  }

  /** @param {string} epoch of the gateway now @returns {boolean} whether sequences seen before still mean the same */
  enter(epoch) {
    const isSame = epoch === this.#epoch;
    this.#epoch = epoch;
    return isSame;
  }

  /** The entries held here are the beginning of the gateway's order, and a tail follows. */
  follow() {
    this.#afterEpoch = this.#epoch;
    this.#last = this.#after ?? 0;
  }

  /** What is held is not whole, until the next `caughtUp`. */
  lose() {
    this.#after = null;
    this.#last = 0;
  }

  /** @param {number} sequence of an entry: live and in a tail each leaves a whole state behind, in a snapshot only the end does */
  apply(sequence) {
    const counts = this.#after !== null && this.#afterEpoch === this.#epoch;
    if (counts && sequence > (this.#after ?? 0)) this.#after = sequence;
    this.#last = Math.max(this.#last, sequence);
  }

  /** @param {number} sequence */
  caughtUp(sequence) {
    this.#after = sequence;
    this.#afterEpoch = this.#epoch;
    this.#last = Math.max(this.#last, sequence);
  }
}

/** @typedef {import('./wire.js').Entry} Entry */

/** What a session retains: for each key the latest replace and the appends after it. */
export class RetainedState {
  /** @type {Map<string, Entry[]>} */
  #entries = new Map();
  /** @type {Map<string, Entry[]>} the gateway's own keys: no client touches them, even under the same bytes */
  #system = new Map();

  /** @param {Entry} entry in the session's order */
  apply(entry) {
    if (!entry.reliable || !entry.key || entry.unchanged) return;
    const space = entry.system ? this.#system : this.#entries;
    switch (entry.retention) {
      case Retention.append: {
        const held = space.get(entry.key);
        if (held) held.push(entry);
        else space.set(entry.key, [entry]);
        break;
      }
      case Retention.replace:
        space.set(entry.key, [entry]);
        break;
      case Retention.remove:
        space.delete(entry.key);
    }
  }

  clear() {
    this.#entries.clear();
    this.#system.clear();
  }

  /** @returns {Iterable<Entry>} what clients said, by key; within a key in order */
  *entries() {
    for (const held of this.#entries.values()) yield* held;
  }

  /** @returns {Iterable<Entry>} what the gateway said, by key */
  *systemEntries() {
    for (const held of this.#system.values()) yield* held;
  }

  /** @returns {[string, Entry[]][]} sorted by key: what clients said, then what the gateway said */
  sorted() {
    return [...sortedByKey(this.#entries), ...sortedByKey(this.#system)];
  }
}

/** @param {Map<string, Entry[]>} space @returns {[string, Entry[]][]} */
function sortedByKey(space) {
  return [...space].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * SHA-256 where the page may use it, else (plain http) FNV-1a of 64 bits: enough to see a difference by accident.
 * @param {RetainedState} retained @param {SubtleCrypto | undefined} [subtle]
 * @returns {Promise<string>} the algorithm, a colon, and hex digits
 */
export async function stateHash(retained, subtle = globalThis.crypto?.subtle) {
  const bytes = stateBytes(retained);
  if (!subtle) return `fnv1a64:${fnv1a64(bytes)}`;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return `sha256:${[...digest].map(hexByte).join('')}`;
}

/**
 * By key: the key, then of each entry held its sequence, its type and its payload, with the lengths of these before them.
 * @param {RetainedState} retained @returns {Uint8Array<ArrayBuffer>}
 */
export function stateBytes(retained) {
  const encoder = new TextEncoder();
  /** @type {Uint8Array[]} */
  const parts = [];
  for (const [key, held] of retained.sorted()) {
    parts.push(bytesFromKey(key));
    for (const entry of held) {
      const type = encoder.encode(entry.type);
      const head = new DataView(new ArrayBuffer(13));
      head.setBigUint64(0, BigInt(entry.sequence));
      head.setUint8(8, type.length);
      head.setUint32(9, entry.payload.length);
      parts.push(new Uint8Array(head.buffer), type, entry.payload);
    }
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** @param {Uint8Array} bytes @returns {string} 16 hex digits */
export function fnv1a64(bytes) {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of bytes) {
    low ^= byte;
    // Times the prime 2^40 + 0x1b3, in halves of 32 bits; a product below 2^53 is exact.
    const product = (low >>> 0) * 0x1b3;
    const carry = Math.floor(product / 0x1_0000_0000);
    high = (Math.imul(high, 0x1b3) + carry + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
}

/** @param {number} byte */
function hexByte(byte) {
  return byte.toString(16).padStart(2, '0');
}
