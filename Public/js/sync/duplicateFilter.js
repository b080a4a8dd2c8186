/** Recognizes repeated entries. */

/** The minimum number of senders that are remembered. */
const MIN_SENDERS = 10_000;

/** Remembers the highest client sequence of each sender: after a crash of the gateway, senders repeat entries. */
export class DuplicateFilter {
  /**
   * By the sender's number, which may belong to another participant after a restore of the gateway.
   * @type {Map<number, { id: string | undefined, highest: number }>}
   */
  #senders = new Map();

  /** @param {import('./wire.js').Entry} entry @param {string | undefined} id of its sender */
  isRepeat({ sender, clientSequence }, id) {
    // Unreliable entries and the gateway's own have no client sequence.
    if (!clientSequence) return false;
    const known = this.#senders.get(sender);
    if (known && known.id === id && clientSequence <= known.highest) return true;
    this.#senders.set(sender, { id, highest: clientSequence });
    if (this.#senders.size > 2 * MIN_SENDERS) {
      for (const number of [...this.#senders.keys()].slice(0, MIN_SENDERS)) this.#senders.delete(number);
    }
    return false;
  }
}
