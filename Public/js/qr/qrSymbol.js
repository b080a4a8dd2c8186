/** The square that a QR code is: what stands in it whatever it says, and where the rest goes (ISO/IEC 18004 §6.3, §7.7 to §7.10). */

/** Which modules a mask turns over: by row and column. @type {((y: number, x: number) => boolean)[]} */
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
/** Error correction M, as the format says it. */
const LEVEL = 0b00;

export class QRSymbol {
  #version;
  #size;
  /** @type {boolean[][]} rows from the top; true is dark */
  modules;
  /** @type {boolean[][]} what the data does not touch */
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
      // Where a finder is, there is none.
      for (const x of places) if (!this.#isFixed[y + 1][x + 1]) this.#rings(y, x, 2);
    }
    this.#describeVersion();
    this.#describeFormat(0);
  }

  /** @param {Uint8Array} codewords data and error correction, as they follow each other in the symbol */
  fill(codewords) {
    let bit = 0;
    // In pairs of columns from the right, up and down in turn; the column of the timing pattern is none.
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

  /** Takes the mask under which the least looks like something else. */
  mask() {
    const all = MASKS.map((_, mask) => {
      this.#apply(mask);
      const cost = penalty(this.modules);
      this.#apply(mask);
      return cost;
    });
    this.#apply(all.indexOf(Math.min(...all)));
  }

  /** Twice is never. @param {number} mask */
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

  /** A finder with its light edge, or an alignment pattern. @param {number} y @param {number} x of its middle @param {number} reach */
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

/** @param {number} version @returns {number[]} rows and columns of the alignment patterns' middles */
function alignments(version) {
  if (version === 1) return [];
  const last = 10 + 4 * version;
  return version < 7 ? [6, last] : [6, 2 * version + 8, last];
}

/** @param {number} value @param {number} bits @param {number} polynomial @returns {number} the value, and so many bits to check it */
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
