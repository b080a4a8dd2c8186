/** The encoding of entries in the binary messages of a session's socket. Has no state. */

import { bytesFromKey, isKey, keyFromBytes } from './key.js';

/** The subprotocol of the session's socket. */
export const SUBPROTOCOL = 'drawtogether.v1';

/** The effect of an entry on the retained entries of its key. */
export const Retention = Object.freeze({ none: 0, append: 1, replace: 2, remove: 3 });

const RELIABLE = 1;
const TARGETED = 8;
const SEALED = 16;
const EXISTING = 32;
const SYSTEM = 128;

/** The maximum bytes of a message type, and the maximum number of targets. */
const MAXIMUM_TYPE_BYTES = 255;
const MAXIMUM_TARGETS = 1000;

/**
 * An entry as a client sends it.
 * @typedef {object} OutgoingEntry
 * @property {string} type message type
 * @property {Uint8Array} payload
 * @property {boolean} reliable
 * @property {number} [retention] one of `Retention`
 * @property {string | null} [key] if retained
 * @property {boolean} [existing] true: applies only if the key has retained entries
 * @property {boolean} [sealed]
 * @property {number[] | null} [targets] the participants' numbers; null: all participants
 */

/**
 * An entry as a client receives it.
 * @typedef {object} Entry
 * @property {number} sequence its position in the session's order; 0: unreliable, or a part of a snapshot's state
 * @property {number} sender a participant's number; 0 is the gateway itself
 * @property {number} clientSequence of its sender; 0: none
 * @property {string} type
 * @property {Uint8Array} payload
 * @property {boolean} reliable
 * @property {number} retention
 * @property {string | null} key
 * @property {boolean} unchanged true if the entry had `existing`, and its key had no retained entries
 * @property {boolean} targeted
 * @property {boolean} sealed
 * @property {boolean} system
 * @property {boolean} [isRepeat] this client sequence of its sender, or a higher one, was delivered before
 */

/** A message that cannot be divided into entries. */
export class WireError extends Error {
  name = 'WireError';
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** @param {OutgoingEntry} entry @throws {TypeError} if it has no form on the wire */
export function checkEntry({ type, retention, key, targets }) {
  const { length } = encoder.encode(type);
  if (length === 0 || length > MAXIMUM_TYPE_BYTES) throw new TypeError(`A type has 1–${MAXIMUM_TYPE_BYTES} bytes.`);
  if (retention && !isKey(key)) throw new TypeError('A key is a UUID in upper case.');
  if (targets && targets.length > MAXIMUM_TARGETS) throw new TypeError(`At most ${MAXIMUM_TARGETS} targets.`);
}

/** @param {OutgoingEntry} entry @returns {number} its bytes on the wire */
export function encodedLength(entry) {
  const key = entry.retention ? 16 : 0;
  const targets = entry.targets ? 2 + 4 * entry.targets.length : 0;
  return 10 + key + targets + encoder.encode(entry.type).length + entry.payload.length;
}

/** @param {OutgoingEntry} entry @param {number} clientSequence 0 if unreliable @returns {Uint8Array<ArrayBuffer>} */
export function encodeEntry(entry, clientSequence) {
  const type = encoder.encode(entry.type);
  const retention = entry.retention ?? Retention.none;
  const bytes = new Uint8Array(encodedLength(entry));
  const view = new DataView(bytes.buffer);
  let flags = retention << 1;
  if (entry.reliable) flags |= RELIABLE;
  if (entry.targets) flags |= TARGETED;
  if (entry.sealed) flags |= SEALED;
  if (entry.existing) flags |= EXISTING;
  view.setUint32(0, bytes.length - 4);
  view.setUint8(4, flags);
  view.setUint8(5, type.length);
  view.setUint32(6, clientSequence);
  let at = 10;
  if (retention !== Retention.none) {
    bytes.set(bytesFromKey(entry.key ?? ''), at);
    at += 16;
  }
  if (entry.targets) {
    view.setUint16(at, entry.targets.length);
    at += 2;
    for (const number of entry.targets) {
      view.setUint32(at, number);
      at += 4;
    }
  }
  bytes.set(type, at);
  bytes.set(entry.payload, at + type.length);
  return bytes;
}

/**
 * Divides a binary message into its entries. Payloads are copies, so they stay valid without the message.
 * @param {Uint8Array} bytes @returns {Entry[]} @throws {WireError}
 */
export function decodeEntries(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at < 4) throw new WireError('an entry’s length is cut off');
    const end = at + 4 + view.getUint32(at);
    if (end > bytes.length) throw new WireError('an entry is cut off');
    entries.push(decodeEntry(bytes, view, at + 4, end));
    at = end;
  }
  return entries;
}

/** @param {Uint8Array} bytes @param {DataView} view @param {number} start @param {number} end @returns {Entry} */
function decodeEntry(bytes, view, start, end) {
  if (end - start < 18) throw new WireError('an entry is too short for its head');
  const flags = view.getUint8(start);
  const retention = (flags >> 1) & 3;
  const typeLength = view.getUint8(start + 1);
  const typeStart = start + 18 + (retention ? 16 : 0);
  if (typeStart + typeLength > end) throw new WireError('an entry’s type is cut off');
  const sequence = view.getUint32(start + 2) * 0x1_0000_0000 + view.getUint32(start + 6);
  if (!Number.isSafeInteger(sequence)) throw new WireError('a sequence is too large');
  return {
    sequence,
    sender: view.getUint32(start + 10),
    clientSequence: view.getUint32(start + 14),
    type: text(bytes.subarray(typeStart, typeStart + typeLength)),
    payload: bytes.slice(typeStart + typeLength, end),
    reliable: (flags & RELIABLE) !== 0,
    retention,
    key: retention ? keyFromBytes(bytes.subarray(start + 18, start + 34)) : null,
    unchanged: (flags & EXISTING) !== 0,
    targeted: (flags & TARGETED) !== 0,
    sealed: (flags & SEALED) !== 0,
    system: (flags & SYSTEM) !== 0,
  };
}

/** @param {Uint8Array} bytes */
function text(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new WireError('a message type is not UTF-8');
  }
}
