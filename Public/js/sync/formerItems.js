/**
 * The items that a client sent as a former participant. The client became a new participant because its token was unknown, or is
 * in use elsewhere.
 */

/**
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./wire.js').Entry} Entry
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 */

/**
 * Holds the items back until the end of the catch-up, which shows the items that the session already has. Those must not be sent
 * again, because the gateway would not recognize them as repeats under the number of the new participant.
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
   * before it, even if a snapshot omits those. The entry may also be that of another page that continued as this participant.
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
