/** The messages about a meeting that arrive before the parts for a meeting are loaded. */

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {import('../sync/wire.js').Entry} Entry
 */

/** The types of messages that are still useful after some seconds. Their senders repeat them rarely, or not at all. */
const TYPES = ['FollowMessage', 'GatherMessage', 'HandMessage'];
/** The maximum number and size of the kept messages. Others are dropped. */
const MAX_MESSAGES = 1000;
const MAX_BYTES = 2048;

/** Keeps the latest message of each type and sender. */
export class EarlyMessages {
  /** @type {AbortController | null} */
  #lifetime = null;
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #isOver = false;

  /** Switches to another session. @param {GroupSession | null} session null: none */
  follow(session) {
    this.#lifetime?.abort();
    this.#entries.clear();
    if (this.#isOver) return;
    this.#lifetime = new AbortController();
    session?.observe({ entry: (entry) => this.#keep(entry) }, this.#lifetime);
    session?.addEventListener('participantschange', (event) => {
      const { left } = /** @type {CustomEvent<{ left: Participant[] }>} */ (event).detail;
      for (const { number } of left) for (const type of TYPES) this.#entries.delete(nameOf(type, number));
    }, this.#lifetime);
  }

  /** Stops keeping messages. @returns {Entry[]} the kept messages of the present session */
  take() {
    const entries = [...this.#entries.values()];
    this.#isOver = true;
    this.follow(null);
    return entries;
  }

  /** @param {Entry} entry */
  #keep(entry) {
    const { type, sender, payload } = entry;
    const name = nameOf(type, sender);
    if (!TYPES.includes(type) || payload.length > MAX_BYTES) return;
    if (this.#entries.size < MAX_MESSAGES || this.#entries.has(name)) this.#entries.set(name, entry);
  }
}

/** @param {string} type @param {number} sender @returns {string} the same for all messages of which one is kept */
function nameOf(type, sender) {
  return `${type} ${sender}`;
}
