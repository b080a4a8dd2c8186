/** ZIP archives of files that are already compressed (PKWARE's APPNOTE.TXT, version 6.3). */

/** @typedef {{ name: string, blob: Blob }} FileInArchive */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** The flag of names in UTF-8. */
const FLAGS = 1 << 11;
/** The maximum size of an archive without the extension for large ones. */
const MAX_BYTES = 2 ** 32 - 1;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? value >>> 1 ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * @param {readonly FileInArchive[]} files @param {Date} [now]
 * @returns {Promise<Blob>} an archive in which they are stored without compression @throws {RangeError} if it would be too large
 */
export async function zipOf(files, now = new Date()) {
  /** @type {BlobPart[]} */
  const parts = [];
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const directory = [];
  let offset = 0;
  for (const { name, blob } of files) {
    const nameBytes = new TextEncoder().encode(name);
    const facts = factsOf(new Uint8Array(await blob.arrayBuffer()), nameBytes.length, now);
    const local = bytesOf([LOCAL, 4], [VERSION, 2], [FLAGS, 2], [0, 2], ...facts, [0, 2]);
    parts.push(local, nameBytes, blob);
    // The extra field, the comment, the disk, the attributes, and the position of the file.
    const rest = /** @type {[number, number][]} */ ([[0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]]);
    directory.push(bytesOf([CENTRAL, 4], [VERSION, 2], [VERSION, 2], [FLAGS, 2], [0, 2], ...facts, ...rest), nameBytes);
    offset += local.length + nameBytes.length + blob.size;
  }
  const length = directory.reduce((sum, one) => sum + one.length, 0);
  if (offset + length > MAX_BYTES) throw new RangeError('The archive is too large.');
  const { length: count } = files;
  const end = bytesOf([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [length, 4], [offset, 4], [0, 2]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

/**
 * @param {Uint8Array} bytes @param {number} nameLength @param {Date} now
 * @returns {[number, number][]} the values with their lengths: the time, the date, the checksum, the two sizes, and the length of the
 *   name
 */
function factsOf(bytes, nameLength, now) {
  const time = now.getHours() << 11 | now.getMinutes() << 5 | now.getSeconds() >> 1;
  const date = now.getFullYear() - 1980 << 9 | now.getMonth() + 1 << 5 | now.getDate();
  return [[time, 2], [date, 2], [checksum(bytes), 4], [bytes.length, 4], [bytes.length, 4], [nameLength, 2]];
}

/** @param {Uint8Array} bytes @returns {number} CRC-32 */
function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = value >>> 8 ^ TABLE[(value ^ byte) & 0xff];
  return (value ^ 0xffffffff) >>> 0;
}

/** @param {...[value: number, length: number]} fields @returns {Uint8Array<ArrayBuffer>} little-endian */
function bytesOf(...fields) {
  return Uint8Array.from(fields.flatMap(([value, length]) => {
    return Array.from({ length }, (_, at) => value >>> 8 * at & 0xff);
  }));
}
