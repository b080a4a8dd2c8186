/** Reed-Solomon codes over GF(2^8) with the polynomial that QR codes have (ISO/IEC 18004 §7.5). */

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

/** @param {Uint8Array} data a block @param {number} count @returns {Uint8Array} so many codewords by which it can be mended */
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
