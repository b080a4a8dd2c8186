/**
 * A text as a QR code: ISO/IEC 18004, in byte mode, of versions 1 to 10, with error correction M (about 15 % of it may be
 * unreadable).
 */

/**
 * By version: the number of all codewords, of those for error correction in each block, and of blocks. Tables 1 and 9, level M.
 */
const CODEWORDS = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11];

/** @param {string} text @returns {boolean[][] | null} rows from the top, true is dark; null: the text is too long */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = 1 + CODEWORDS.findIndex((_, at) => bytes.length <= roomIn(at + 1));
  if (version === 0) return null;
  const symbol = new QRSymbol(version);
  symbol.fill(codewords(bytes, version));
  symbol.mask();
  return symbol.modules;
}

/** @param {number} version @returns {number} the maximum bytes of data, without their mode and length */
function roomIn(version) {
  return capacity(version) - (version < 10 ? 2 : 3);
}

/** @param {number} version @returns {number} the codewords for data */
function capacity(version) {
  return CODEWORDS[version - 1] - CORRECTION[version - 1] * BLOCKS[version - 1];
}

/** @param {Uint8Array} bytes @param {number} version @returns {Uint8Array} in the order of the symbol (§7.6) */
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

/** @param {Uint8Array} bytes @param {number} version @returns {Uint8Array} mode, length, bytes and padding (§7.4) */
function packed(bytes, version) {
  const data = new Uint8Array(capacity(version));
  const { length } = bytes;
  // The mode has four bits, so all bytes after it are split across two codewords.
  const nibbles = [BYTE_MODE, ...version < 10 ? [] : [length >> 12, length >> 8 & 15], length >> 4 & 15, length & 15];
  for (const byte of bytes) nibbles.push(byte >> 4, byte & 15);
  nibbles.push(0);
  for (let at = 0; at < nibbles.length; at += 2) data[at / 2] = nibbles[at] << 4 | nibbles[at + 1];
  for (let at = nibbles.length / 2, pad = 0; at < data.length; at += 1, pad ^= 1) data[at] = PADDING[pad];
  return data;
}

/**
 * @param {Uint8Array[]} blocks the last of them may be longer @returns {number[]} the first of each, then the second of each …
 */
function inTurn(blocks) {
  const length = blocks[blocks.length - 1].length;
  return Array.from({ length }, (_, at) => blocks.filter((block) => at < block.length).map((block) => block[at]))
    .flat();
}

/** The polynomial of the field GF(2^8) of QR codes (§7.5). */
const POLYNOMIAL = 0x11d;
/** The powers of 2, and the logarithm of each number. */
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

/** @param {number} degree @returns {Uint8Array} the coefficients of (x - 2^0)(x - 2^1)…, without the highest one, which is 1 */
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

/**
 * Computes Reed-Solomon codes.
 * @param {Uint8Array} data a block @param {number} count @returns {Uint8Array} this number of codewords for error correction
 */
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

/**
 * The masks: each returns true for the modules that it inverts, by row and column.
 * @type {((y: number, x: number) => boolean)[]}
 */
const MASKS = [
  (y, x) => (y + x) % 2 === 0,
  (y) => y % 2 === 0,
  (_, x) => x % 3 === 0,
  (y, x) => (y + x) % 3 === 0,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (y, x) => (y * x) % 2 + (y * x) % 3 === 0,
  (y, x) => ((y * x) % 2 + (y * x) % 3) % 2 === 0,
  (y, x) => ((y + x) % 2 + (y * x) % 3) % 2 === 0,
];
/** Error correction M in the format information. */
const LEVEL = 0b00;

/**
 * The symbol of a QR code: the function patterns, the placement of the codewords, and the mask (ISO/IEC 18004 §6.3, §7.7 to
 * §7.10).
 */
class QRSymbol {
  #version;
  #size;
  /** @type {boolean[][]} rows from the top; true is dark */
  modules;
  /** @type {boolean[][]} true for modules that have no data */
  #isFixed;

  /** @param {number} version 1…10 */
  constructor(version) {
    this.#version = version;
    const size = this.#size = 17 + 4 * version;
    this.modules = Array.from({ length: size }, () => Array(size).fill(false));
    this.#isFixed = Array.from({ length: size }, () => Array(size).fill(false));
    for (let at = 0; at < size; at += 1) {
      this.#fix(6, at, at % 2 === 0);
      this.#fix(at, 6, at % 2 === 0);
    }
    for (const [y, x] of [[3, 3], [3, size - 4], [size - 4, 3]]) this.#rings(y, x, 4);
    const places = alignments(version);
    for (const y of places) {
      // There is no alignment pattern where a finder is.
      for (const x of places) if (!this.#isFixed[y + 1][x + 1]) this.#rings(y, x, 2);
    }
    this.#describeVersion();
    this.#describeFormat(0);
  }

  /** @param {Uint8Array} codewords data and error correction, in the order of the symbol */
  fill(codewords) {
    let bit = 0;
    // In pairs of columns from the right, alternating up and down. The column of the timing pattern is skipped.
    for (let right = this.#size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      const isUp = (right + 1 & 2) === 0;
      for (let step = 0; step < this.#size; step += 1) {
        const y = isUp ? this.#size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.#isFixed[y][x]) continue;
          this.modules[y][x] = (codewords[bit >> 3] >> (7 - (bit & 7)) & 1) === 1;
          bit += 1;
        }
      }
    }
  }

  /** Applies the mask with the lowest penalty. */
  mask() {
    const all = MASKS.map((_, mask) => {
      this.#apply(mask);
      const cost = penalty(this.modules);
      this.#apply(mask);
      return cost;
    });
    this.#apply(all.indexOf(Math.min(...all)));
  }

  /** Applies a mask. A second application removes it. @param {number} mask */
  #apply(mask) {
    this.#describeFormat(mask);
    this.modules.forEach((row, y) =>
      row.forEach((isDark, x) => this.#isFixed[y][x] || (row[x] = isDark !== MASKS[mask](y, x)))
    );
  }

  /** @param {number} y @param {number} x @param {boolean} isDark */
  #fix(y, x, isDark) {
    if (y < 0 || x < 0 || y >= this.#size || x >= this.#size) return;
    this.modules[y][x] = isDark;
    this.#isFixed[y][x] = true;
  }

  /**
   * A finder with its light edge, or an alignment pattern.
   * @param {number} y @param {number} x of its center @param {number} reach
   */
  #rings(y, x, reach) {
    for (let dy = -reach; dy <= reach; dy += 1) {
      for (let dx = -reach; dx <= reach; dx += 1) {
        const ring = Math.max(Math.abs(dy), Math.abs(dx));
        this.#fix(y + dy, x + dx, ring !== 4 && (reach === 4 ? ring !== 2 : ring !== 1));
      }
    }
  }

  /** @param {number} mask */
  #describeFormat(mask) {
    const bits = withRemainder(LEVEL << 3 | mask, 10, 0x537) ^ 0x5412;
    const last = this.#size - 1;
    for (let at = 0; at < 15; at += 1) {
      const isDark = (bits >> at & 1) === 1;
      const near = at < 6 ? at : at + 1;
      if (at < 8) {
        this.#fix(near, 8, isDark);
        this.#fix(8, last - at, isDark);
      } else {
        this.#fix(8, at === 8 ? 7 : 14 - at, isDark);
        this.#fix(last - 14 + at, 8, isDark);
      }
    }
    this.#fix(this.#size - 8, 8, true);
  }

  #describeVersion() {
    if (this.#version < 7) return;
    const bits = withRemainder(this.#version, 12, 0x1f25);
    for (let at = 0; at < 18; at += 1) {
      const [far, near] = [this.#size - 11 + at % 3, Math.floor(at / 3)];
      this.#fix(far, near, (bits >> at & 1) === 1);
      this.#fix(near, far, (bits >> at & 1) === 1);
    }
  }
}

/** @param {number} version @returns {number[]} the rows and columns of the alignment patterns' centers */
function alignments(version) {
  if (version === 1) return [];
  const last = 10 + 4 * version;
  return version < 7 ? [6, last] : [6, 2 * version + 8, last];
}

/** @param {number} value @param {number} bits @param {number} polynomial @returns {number} the value, followed by check bits */
function withRemainder(value, bits, polynomial) {
  let remainder = value << bits;
  for (let at = 31 - Math.clz32(remainder); at >= bits; at -= 1) {
    if (remainder >> at & 1) remainder ^= polynomial << (at - bits);
  }
  return value << bits | remainder;
}

/** @param {boolean[][]} modules @returns {number} §7.8.3.1 */
export function penalty(modules) {
  const rows = modules.map((row) => row.map(Number).join(''));
  const columns = modules.map((_, x) => modules.map((row) => Number(row[x])).join(''));
  let cost = 0;
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) cost += run.length - 2;
    cost += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  for (let y = 1; y < rows.length; y += 1) {
    for (let x = 1; x < rows.length; x += 1) {
      const block = rows[y].slice(x - 1, x + 1) + rows[y - 1].slice(x - 1, x + 1);
      if (block === '0000' || block === '1111') cost += 3;
    }
  }
  const dark = modules.flat().filter(Boolean).length / modules.length ** 2;
  return cost + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
