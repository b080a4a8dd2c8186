/** The participants of a session, as the gateway reports them. */

/**
 * @typedef {object} Participant
 * @property {string} id UUID; each join without a resume gets a new one
 * @property {number} number its short id on the wire, never reused in a session
 * @property {string} name
 * @property {string} color `#` and six hex digits
 */

export class Participants {
  /** @type {Map<number, Participant>} */
  #active = new Map();
  /** Participants who sent entries and left. @type {Map<number, Participant>} */
  #past = new Map();
  /** Connected, but not joined. @type {Map<number | string, Participant>} */
  #waiting = new Map();
  /** @type {Participant[]} */
  #published = [];

  /** @returns {Participant[]} all who have joined, in the order of joining */
  get active() {
    return [...this.#active.values()].sort((a, b) => a.number - b.number);
  }

  /** @returns {Participant[]} the active ones as of the last `publish` */
  get published() {
    return this.#published;
  }

  /** @returns {Participant[]} */
  get waiting() {
    return [...this.#waiting.values()];
  }

  /** @param {number} number @returns {Participant | null} the present or past participant with this number */
  find(number) {
    return this.#active.get(number) ?? this.#past.get(number) ?? null;
  }

  /**
   * Publishes the active participants.
   * @returns {{ joined: Participant[], left: Participant[] }} the changes since the last time
   */
  publish() {
    const before = this.#published;
    const now = this.active;
    this.#published = now;
    return { joined: without(now, before), left: without(before, now) };
  }

  /** Removes all participants, because a snapshot follows. */
  clear() {
    this.#active.clear();
    this.#past.clear();
    this.#waiting.clear();
  }

  /** @param {Record<string, unknown>} payload of a `participants` entry */
  apply(payload) {
    for (const participant of list(payload.waiting)) this.#waiting.set(participant.id, participant);
    for (const participant of list(payload.past)) this.#past.set(participant.number, participant);
    for (const participant of list(payload.joined)) this.#join(participant);
    for (const participant of list(payload.changed)) {
      if (this.#waiting.has(participant.id)) this.#waiting.set(participant.id, participant);
      if (this.#active.has(participant.number)) this.#active.set(participant.number, participant);
    }
    if (Array.isArray(payload.left)) { for (const left of payload.left) this.#leave(left); }
  }

  /** @param {Participant} participant */
  #join(participant) {
    this.#active.set(participant.number, participant);
    this.#past.delete(participant.number);
    this.#waiting.delete(participant.id);
  }

  /** @param {unknown} left */
  #leave(left) {
    if (!left || typeof left !== 'object') return;
    const { id, number } = /** @type {{ id?: unknown, number?: unknown }} */ (left);
    if (typeof id === 'string') this.#waiting.delete(id);
    if (typeof number !== 'number') return;
    const participant = this.#active.get(number);
    if (!participant) return;
    this.#active.delete(number);
    this.#past.set(number, participant);
  }
}

/** @param {Participant[]} some @param {Participant[]} others */
function without(some, others) {
  const numbers = new Set(others.map(({ number }) => number));
  return some.filter(({ number }) => !numbers.has(number));
}

/** @param {unknown} value @returns {Participant[]} the valid participants of the list */
function list(value) {
  return Array.isArray(value) ? value.map(readParticipant).filter((one) => one !== null) : [];
}

/** @param {unknown} value @returns {Participant | null} */
export function readParticipant(value) {
  if (!value || typeof value !== 'object') return null;
  const { id, number, name, color } = /** @type {Record<string, unknown>} */ (value);
  if (typeof id !== 'string') return null;
  return {
    id,
    number: typeof number === 'number' && Number.isSafeInteger(number) ? number : 0,
    name: typeof name === 'string' && name !== '' ? name : 'Someone',
    color: typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color) ? color : '#888888',
  };
}
