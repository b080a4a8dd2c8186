/** The position of a client in the session's order. After a lost connection, the catch-up continues from it. */
export class CatchUpPosition {
  #epoch = '';
  /** The sequence, in `#afterEpoch`, up to which the client has all entries. @type {number | null} */
  #after = null;
  /** The epoch of `#after`. It differs from the gateway's only between `joined` and `catchUp` after a crash of the gateway. */
  #afterEpoch = '';
  #last = 0;

  /** The epoch of the gateway; '' before it is known. */
  get epoch() {
    return this.#epoch;
  }

  /** The highest received sequence. */
  get last() {
    return this.#last;
  }

  /** The position for a resume; null if the client's state is incomplete. @returns {{ epoch: string, after: number } | null} */
  get resume() {
    return this.#after === null ? null : { epoch: this.#afterEpoch, after: this.#after };
  }

  /** @param {string} epoch of the gateway now @returns {boolean} true if earlier sequences are still valid */
  enter(epoch) {
    const isSame = epoch === this.#epoch;
    this.#epoch = epoch;
    return isSame;
  }

  /** Begins a catch-up by a tail, which continues after the client's entries. */
  follow() {
    this.#afterEpoch = this.#epoch;
    this.#last = this.#after ?? 0;
  }

  /** Marks the client's state as incomplete until the next `caughtUp`. */
  lose() {
    this.#after = null;
    this.#last = 0;
  }

  /**
   * Records a received entry. Live and in a tail, the state is complete after each entry; in a snapshot, only at its end.
   * @param {number} sequence
   */
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
