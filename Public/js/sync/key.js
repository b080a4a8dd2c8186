/** Keys and ids: 16 bytes on the wire, an upper-case UUID in JSON and in memory. */

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0').toUpperCase());
const PATTERN = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;

/** @param {unknown} text @returns {text is string} true for a UUID as this client writes it */
export function isKey(text) {
  return typeof text === 'string' && PATTERN.test(text);
}

/** @param {Uint8Array} bytes 16 of them @returns {string} */
export function keyFromBytes(bytes) {
  let key = '';
  for (let at = 0; at < 16; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) key += '-';
    key += HEX[bytes[at]];
  }
  return key;
}

/** @param {string} key a UUID @returns {Uint8Array} its 16 bytes */
export function bytesFromKey(key) {
  const hex = key.replaceAll('-', '');
  return Uint8Array.from({ length: 16 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

/**
 * A new random key (RFC 9562 §5.4). `crypto.randomUUID` exists in secure contexts only; this works on plain http too.
 * @param {(bytes: Uint8Array) => Uint8Array} [fill]
 */
export function newKey(fill = (bytes) => crypto.getRandomValues(/** @type {Uint8Array<ArrayBuffer>} */ (bytes))) {
  const bytes = fill(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return keyFromBytes(bytes);
}
