/** The tables of a font in the format WOFF2 (https://www.w3.org/TR/WOFF2/), except those that the format transforms. */

import { brotliDecompressSync } from 'node:zlib';

/** The names of the first known tables, by their numbers in the file. The others are not needed here. */
const KNOWN = ['cmap', 'head', 'hhea', 'hmtx', 'maxp', 'name', 'OS/2', 'post', 'cvt ', 'fpgm', 'glyf', 'loca'];
const HEADER_BYTES = 48;

/** @param {Buffer} file @returns {Record<string, Buffer>} the known tables by name */
export function tablesOf(file) {
  if (file.toString('latin1', 0, 4) !== 'wOF2') throw new Error('This is no WOFF2 file.');
  let at = HEADER_BYTES;
  const number = () => {
    let value = 0;
    for (;;) {
      const byte = file[at++];
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  };
  const entries = Array.from({ length: file.readUInt16BE(12) }, () => {
    const flags = file[at++];
    const isUnknown = (flags & 63) === 63;
    const name = isUnknown ? file.toString('latin1', at, at += 4) : KNOWN[flags & 63] ?? '';
    const length = number();
    const isOutline = name === 'glyf' || name === 'loca';
    const isTransformed = isOutline ? flags >> 6 !== 3 : flags >> 6 !== 0;
    return { name, length: isTransformed ? number() : length };
  });
  const data = brotliDecompressSync(file.subarray(at, at + file.readUInt32BE(20)));
  let begin = 0;
  return Object.fromEntries(entries.map(({ name, length }) => [name, data.subarray(begin, begin += length)]));
}

/** @param {Buffer} cmap @returns {Set<number>} the code points of the Basic Multilingual Plane that have a glyph */
export function charactersOf(cmap) {
  const offsets = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + 8 * index));
  const offset = offsets.find((one) => cmap.readUInt16BE(one) === 4) ?? 0;
  const count = cmap.readUInt16BE(offset + 6) / 2;
  const found = new Set();
  for (let index = 0; index < count; index += 1) {
    const end = cmap.readUInt16BE(offset + 14 + 2 * index);
    const first = cmap.readUInt16BE(offset + 16 + 2 * (count + index));
    for (let code = first; code <= end && code < 0xffff; code += 1) found.add(code);
  }
  return found;
}
