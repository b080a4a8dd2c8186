/** The position of a client in the session's order, from which it is caught up after a cut. */
export class CatchUpPosition {
  #epoch = '';
  /** @type {number | null} the sequence, in `#afterEpoch`, up to which the entries held here are complete */
  #after = null;
  /** The epoch of `#after`. It differs from the gateway's only between `joined` and `catchUp` after a crash of the gateway. */
  #afterEpoch = '';
  #last = 0;

  /** Of the gateway; '' before it is known. */
  get epoch() {
    return this.#epoch;
  }

  /** The highest sequence seen. */
  get last() {
    return this.#last;
  }

  /** For a resume: nothing where what is held is not whole. @returns {{ epoch: string, after: number } | null} */
  get resume() {
    return this.#after === null ? null : { epoch: this.#afterEpoch, after: this.#after };
  }

  /** @param {string} epoch of the gateway now @returns {boolean} whether sequences seen before still mean the same */
  enter(epoch) {
    const isSame = epoch === this.#epoch;
    this.#epoch = epoch;
    return isSame;
  }

  /** The entries held here are the beginning of the gateway's order, and a tail follows. */
  follow() {
    this.#afterEpoch = this.#epoch;
    this.#last = this.#after ?? 0;
  }

  /** What is held is not whole, until the next `caughtUp`. */
  lose() {
    this.#after = null;
    this.#last = 0;
  }

  /** @param {number} sequence of an entry: live and in a tail each leaves a whole state behind, in a snapshot only the end does */
  apply(sequence) {
    const counts = this.#after !== null && this.#afterEpoch === this.#epoch;
    if (counts && sequence > (this.#after ?? 0)) this.#after = sequence;
    this.#last = Math.max(this.#last, sequence);
  }

  /** @param {number} sequence */
  caughtUp(sequence) {
    this.#after = sequence;
    this.#afterEpoch = this.#epoch;
    this.#last = Math.max(this.#last, sequence);
  }
}
