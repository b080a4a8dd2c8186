/** How far a client has followed the session's order, and from where it can be caught up after a cut. */
export class Position {
  #epoch = '';
  /** @type {number | null} up to where, in this epoch, what is held here is whole */
  #after = null;
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
    return this.#after === null ? null : { epoch: this.#epoch, after: this.#after };
  }

  /** @param {string} epoch of the gateway now @returns {boolean} whether sequences seen before still mean the same */
  enter(epoch) {
    const isSame = epoch === this.#epoch;
    this.#epoch = epoch;
    if (!isSame) this.lose();
    return isSame;
  }

  /** What is held is not whole, until the next `caughtUp`. */
  lose() {
    this.#after = null;
    this.#last = 0;
  }

  /** @param {number} sequence of an entry: live and in a tail each leaves a whole state behind, in a snapshot only the end does */
  apply(sequence) {
    if (this.#after !== null && sequence > this.#after) this.#after = sequence;
    this.#last = Math.max(this.#last, sequence);
  }

  /** @param {number} sequence */
  caughtUp(sequence) {
    this.#after = sequence;
    this.#last = Math.max(this.#last, sequence);
  }
}
