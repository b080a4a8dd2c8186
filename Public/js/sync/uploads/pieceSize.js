/** The size of the pieces of an upload. */

const MIN_BYTES = 256 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;
const TARGET_MS = 2000;
/** The maximum growth at once: a single fast piece may have met an empty buffer on its way. */
const MAX_GROWTH = 4;

/** The number of bytes in one request: about two seconds' worth, so that a cut costs little. */
export class PieceSize {
  #bytes = MIN_BYTES;
  #largest = MAX_BYTES;

  get bytes() {
    return this.#bytes;
  }

  get isSmallest() {
    return this.#bytes === MIN_BYTES;
  }

  /** A piece has arrived. @param {number} bytes @param {number} ms how long it took */
  arrived(bytes, ms) {
    const fits = (bytes / Math.max(ms, 1)) * TARGET_MS;
    this.#set(Math.min(fits, this.#bytes * MAX_GROWTH));
  }

  /** A piece was cut off. */
  cut() {
    this.#set(this.#bytes / 2);
  }

  /** A proxy refuses large pieces: all later ones are small. */
  keepSmall() {
    this.#largest = MIN_BYTES;
    this.#set(MIN_BYTES);
  }

  /** @param {number} bytes */
  #set(bytes) {
    this.#bytes = Math.round(Math.min(Math.max(bytes, MIN_BYTES), this.#largest));
  }
}
