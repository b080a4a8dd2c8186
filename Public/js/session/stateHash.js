/** A digest of what a session retains, equal for everybody who holds the same. */

import { bytesFromKey } from './key.js';

/** @typedef {import('./retained.js').RetainedState} RetainedState */

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
