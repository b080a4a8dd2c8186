/** A text as a QR code: ISO/IEC 18004, in byte mode, of versions 1 to 10, with error correction M (about 15 % may be spoilt). */

import { QRSymbol } from './qrSymbol.js';

/** By version: codewords in all; for error correction in each block; and blocks. Tables 1 and 9, level M. */
const CODEWORDS = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11];

/** @param {string} text @returns {boolean[][] | null} rows from the top, true is dark; null: it is too long */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = 1 + CODEWORDS.findIndex((_, at) => bytes.length <= roomIn(at + 1));
  if (version === 0) return null;
  const symbol = new QRSymbol(version);
  symbol.fill(codewords(bytes, version));
  symbol.mask();
  return symbol.modules;
}

/** @param {number} version @returns {number} bytes of data, without what says how many they are */
function roomIn(version) {
  return capacity(version) - (version < 10 ? 2 : 3);
}

/** @param {number} version @returns {number} codewords that are not for error correction */
function capacity(version) {
  return CODEWORDS[version - 1] - CORRECTION[version - 1] * BLOCKS[version - 1];
}

/** @param {Uint8Array} bytes @param {number} version @returns {Uint8Array} in the order they have in the symbol (§7.6) */
function codewords(bytes, version) {
  const count = BLOCKS[version - 1];
  const data = packed(bytes, version);
  const short = Math.floor(data.length / count);
  const longs = data.length % count;
  const blocks = Array.from({ length: count }, (_, at) => {
    const from = at * short + Math.max(0, at - (count - longs));
    return data.subarray(from, from + short + (at < count - longs ? 0 : 1));
  });
  const corrections = blocks.map((block) => errorCorrection(block, CORRECTION[version - 1]));
  return Uint8Array.from([...inTurn(blocks), ...inTurn(corrections)]);
}

/** @param {Uint8Array} bytes @param {number} version @returns {Uint8Array} mode, how many, the bytes, and what fills it up (§7.4) */
function packed(bytes, version) {
  const data = new Uint8Array(capacity(version));
  const { length } = bytes;
  // The mode is four bits: all after it lies across two codewords.
  const nibbles = [BYTE_MODE, ...version < 10 ? [] : [length >> 12, length >> 8 & 15], length >> 4 & 15, length & 15];
  for (const byte of bytes) nibbles.push(byte >> 4, byte & 15);
  nibbles.push(0);
  for (let at = 0; at < nibbles.length; at += 2) data[at / 2] = nibbles[at] << 4 | nibbles[at + 1];
  for (let at = nibbles.length / 2, pad = 0; at < data.length; at += 1, pad ^= 1) data[at] = PADDING[pad];
  return data;
}

/** @param {Uint8Array[]} blocks the last of them may be longer @returns {number[]} the first of each, then the second of each … */
function inTurn(blocks) {
  const length = blocks[blocks.length - 1].length;
  return Array.from({ length }, (_, at) => blocks.filter((block) => at < block.length).map((block) => block[at]))
    .flat();
}

/** Over GF(2^8), with the polynomial that QR codes have (§7.5). */
const POLYNOMIAL = 0x11d;
/** The powers of 2, and of which power a number is. */
const POWERS = new Uint8Array(255);
const LOGS = new Uint8Array(256);
for (let at = 0, value = 1; at < 255; at += 1) {
  POWERS[at] = value;
  LOGS[value] = at;
  value <<= 1;
  if (value > 255) value ^= POLYNOMIAL;
}

/** @param {number} a @param {number} b @returns {number} */
function product(a, b) {
  return a === 0 || b === 0 ? 0 : POWERS[(LOGS[a] + LOGS[b]) % 255];
}

/** @param {number} degree @returns {Uint8Array} coefficients of (x - 2^0)(x - 2^1)…, the highest, which is 1, left out */
function generator(degree) {
  const coefficients = new Uint8Array(degree);
  coefficients[degree - 1] = 1;
  for (let power = 0; power < degree; power += 1) {
    for (let at = 0; at < degree; at += 1) {
      coefficients[at] = product(coefficients[at], POWERS[power]) ^ (coefficients[at + 1] ?? 0);
    }
  }
  return coefficients;
}

/** Reed-Solomon. @param {Uint8Array} data a block @param {number} count @returns {Uint8Array} so many codewords by which it can be mended */
export function errorCorrection(data, count) {
  const divisor = generator(count);
  const remainder = new Uint8Array(count);
  for (const codeword of data) {
    const factor = codeword ^ remainder[0];
    remainder.copyWithin(0, 1);
    remainder[count - 1] = 0;
    for (let at = 0; at < count; at += 1) remainder[at] ^= product(divisor[at], factor);
  }
  return remainder;
}
