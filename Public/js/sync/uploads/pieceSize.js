/** The size of the pieces of an upload. */

const SMALLEST = 256 * 1024;
const LARGEST = 8 * 1024 * 1024;
const AIM_MS = 2000;
/** One quick piece may have met an empty buffer on its way. */
const GROWTH = 4;

/** How much of a file goes in one request: about two seconds' worth, so that a cut costs little. */
export class PieceSize {
  #bytes = SMALLEST;
  #largest = LARGEST;

  get bytes() {
    return this.#bytes;
  }

  get isSmallest() {
    return this.#bytes === SMALLEST;
  }

  /** A piece has arrived. @param {number} bytes @param {number} ms how long it took */
  arrived(bytes, ms) {
    const fits = (bytes / Math.max(ms, 1)) * AIM_MS;
    this.#set(Math.min(fits, this.#bytes * GROWTH));
  }

  /** A piece was cut off. */
  cut() {
    this.#set(this.#bytes / 2);
  }

  /** Something on the way takes no large pieces: from now on they are small. */
  keepSmall() {
    this.#largest = SMALLEST;
    this.#set(SMALLEST);
  }

  /** @param {number} bytes */
  #set(bytes) {
    this.#bytes = Math.round(Math.min(Math.max(bytes, SMALLEST), this.#largest));
  }
}
