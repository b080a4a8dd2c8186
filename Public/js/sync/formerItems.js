/**
 * The items that a client sent as a former participant. It became a new one because its token was unknown or is used elsewhere.
 */

/**
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./wire.js').Entry} Entry
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 */

/**
 * Holds the items back until the end of the catch-up, which shows the items that the session has. They must not be sent again,
 * because the gateway would not recognize repeats under another number.
 */
export class FormerItems {
  /** In the order of their former client sequences. @type {{ item: OutboxItem, clientSequence: number }[]} */
  #sent = [];
  /** The number of items, from the front, that the session has. */
  #acked = 0;

  /** @returns {OutboxItem[]} the items that the session may not have */
  get pending() {
    return this.#sent.slice(this.#acked).map(({ item }) => item);
  }

  /** @param {OutboxItem[]} items with the client sequences of the former participant */
  add(items) {
    for (const item of items) this.#sent.push({ item, clientSequence: item.clientSequence });
  }

  /**
   * Handles an entry of the former participant in the catch-up. If it is one of the items, the session has it and the items
   * before it, even if a snapshot omits those. If another page continued as the former participant, it may be none of them.
   * @param {Entry} entry @returns {OutboxItem[]} the items that are now known to be accepted
   */
  accepted(entry) {
    let at = this.#acked;
    while (at < this.#sent.length && this.#sent[at].clientSequence < entry.clientSequence) at += 1;
    const found = this.#sent[at];
    if (found?.clientSequence !== entry.clientSequence || !isSame(found.item.entry, entry)) return [];
    const accepted = this.#sent.slice(this.#acked, at + 1).map(({ item }) => item);
    // The state at the beginning of a snapshot has no sequences, so 1 is used.
    for (const item of accepted) item.sequence = Math.max(1, entry.sequence);
    this.#acked = at + 1;
    return accepted;
  }

  /** Resets the search after the gateway returned with an older state: the session may have lost items. */
  reopen() {
    for (const { item } of this.#sent) item.sequence = 0;
    this.#acked = 0;
  }

  /** Ends the search. @returns {OutboxItem[]} the items that are to be sent again */
  take() {
    const { pending } = this;
    this.#sent = [];
    this.#acked = 0;
    return pending;
  }
}

/** @param {OutgoingEntry} sent @param {Entry} received */
function isSame(sent, received) {
  return sent.type === received.type && (sent.retention ?? 0) === received.retention &&
    (sent.key ?? null) === received.key && sent.payload.length === received.payload.length &&
    sent.payload.every((byte, at) => byte === received.payload[at]);
}
