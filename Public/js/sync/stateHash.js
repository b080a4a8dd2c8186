/** The hash of the retained entries of a session: equal for all clients that have the same entries. */

import { bytesFromKey } from './key.js';

/**
 * Computes SHA-256 in secure contexts. On plain http, computes FNV-1a of 64 bits, which is enough to detect accidental
 * differences.
 * @param {import('./retainedState.js').RetainedState} retained @param {SubtleCrypto | undefined} [subtle]
 * @returns {Promise<string>} the algorithm, a colon, and hex digits
 */
export async function stateHash(retained, subtle = globalThis.crypto?.subtle) {
  const bytes = stateBytes(retained);
  if (!subtle) return `fnv1a64:${fnv1a64(bytes)}`;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return `sha256:${[...digest].map(hexByte).join('')}`;
}

/**
 * The keys in order, each followed by the digest of its entries; first the clients' keys, then the gateway's.
 * @param {import('./retainedState.js').RetainedState} retained @returns {Uint8Array<ArrayBuffer>}
 */
function stateBytes(retained) {
  const digests = retained.digests;
  const bytes = new Uint8Array(24 * digests.length);
  const view = new DataView(bytes.buffer);
  for (const [index, [key, digest]] of digests.entries()) {
    bytes.set(bytesFromKey(key), 24 * index);
    view.setFloat64(24 * index + 16, digest);
  }
  return bytes;
}

/** The multipliers of the two lanes: odd, and without a pattern in their bits. */
const LOW_FACTOR = 0x9e3779b1;
const HIGH_FACTOR = 0x5f356495;
/** The number of bits of the high lane that fit into a whole number together with the low one. */
const HIGH_BITS = 21;

/**
 * Continues the digest of a key with one more entry: its sequence, its type and its payload. The payload need not be stored.
 * Takes about a nanosecond per byte of the payload.
 * @param {number} digest of the entries before it; 0: none
 * @param {Pick<import('./wire.js').Entry, 'sequence' | 'type' | 'payload'>} entry
 * @returns {number} a whole number of at most 53 bits
 */
export function extendDigest(digest, { sequence, type, payload }) {
  let low = digest >>> 0;
  let high = Math.floor(digest / 0x1_0000_0000);
  const mix = (/** @type {number} */ word) => {
    low = Math.imul(rotated(low ^ word), LOW_FACTOR);
    high = Math.imul(rotated(high ^ word), HIGH_FACTOR);
  };
  mix(sequence >>> 0);
  mix(Math.floor(sequence / 0x1_0000_0000));
  mix(type.length);
  for (let at = 0; at < type.length; at += 1) mix(type.charCodeAt(at));
  mix(payload.length);
  const aligned = payload.byteOffset % 4 === 0 ? payload : payload.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  for (let at = 0; at < words.length; at += 1) {
    low = Math.imul(rotated(low ^ words[at]), LOW_FACTOR);
    high = Math.imul(rotated(high ^ words[at]), HIGH_FACTOR);
  }
  for (let at = 4 * words.length; at < aligned.length; at += 1) mix(aligned[at]);
  // The lanes are combined, so that each bit of the result depends on both.
  mix(low ^ rotated(high));
  mix(high ^ rotated(low));
  return (high >>> (32 - HIGH_BITS)) * 0x1_0000_0000 + (low >>> 0);
}

/** @param {number} word of 32 bits */
function rotated(word) {
  return (word << 13) | (word >>> 19);
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
