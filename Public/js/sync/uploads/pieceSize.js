/** The size of the pieces of an upload. */

const MIN_BYTES = 256 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;
const TARGET_MS = 2000;
/** The maximum factor of growth after a piece: a single fast piece may only have filled an empty buffer on its way. */
const MAX_GROWTH = 4;

/** The number of bytes in one request: about two seconds of transfer, so that a lost connection costs little. */
export class PieceSize {
  #bytes = MIN_BYTES;
  #largest = MAX_BYTES;

  get bytes() {
    return this.#bytes;
  }

  get isSmallest() {
    return this.#bytes === MIN_BYTES;
  }

  /** Records that a piece has arrived. @param {number} bytes @param {number} ms the duration */
  arrived(bytes, ms) {
    const fits = (bytes / Math.max(ms, 1)) * TARGET_MS;
    this.#set(Math.min(fits, this.#bytes * MAX_GROWTH));
  }

  /** Records that a piece was interrupted. */
  cut() {
    this.#set(this.#bytes / 2);
  }

  /** Keeps all later pieces small, because a proxy refuses large ones. */
  keepSmall() {
    this.#largest = MIN_BYTES;
    this.#set(MIN_BYTES);
  }

  /** @param {number} bytes */
  #set(bytes) {
    this.#bytes = Math.round(Math.min(Math.max(bytes, MIN_BYTES), this.#largest));
  }
}
