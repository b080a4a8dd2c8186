/**
 * The raised hands, in the order in which they were raised. A page repeats the message about its raised hand, for newcomers and
 * for participants who missed a message.
 */

/**
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {{ at: number, heardAt: number }} Hand `at`: when it was raised, in milliseconds
 */

/** The interval of the messages while a hand is raised. Hidden pages run their timers once a minute. */
const REPEAT_MS = 15_000;
/** A raised hand counts as lowered after this time without a message. */
export const FORGET_MS = 150_000;
/** The times after which the message about a lowered hand is repeated, because a message may be lost. */
const LOWERED_AGAIN_MS = [1000, 4000];
/** The maximum random delay of messages to newcomers, so that not all clients send at once. */
const SPREAD_MS = 1500;
/** If a message names a time of raising that is later than the known one by this much, the hand was lowered in between. */
const RAISED_AGAIN_MS = 3000;
/** The maximum time since a hand was raised, in seconds: more than a day. */
const MAX_SECONDS = 100_000;
/** The maximum number of hands. Further ones are ignored. */
export const MAX_HANDS = 1000;

/** Event: `change` (detail: `raised`, the number of a participant whose hand was raised, or null). */
export class RaisedHands extends EventTarget {
  #send;
  #isMine;
  #now;
  #random;
  #after;
  /** The hands of the others. @type {Map<number, Hand>} by the participant's number */
  #hands = new Map();
  /** The time at which this page raised its hand; null if it is not raised. @type {number | null} */
  #ownAt = null;
  #sentAt = -Infinity;

  /**
   * @param {object} parts
   * @param {(message: { raised?: number }, to: number[] | null) => void} parts.send
   * @param {(number: number) => boolean} parts.isMine returns true for another tab of this person
   * @param {() => number} [parts.now] milliseconds @param {() => number} [parts.random]
   * @param {(ms: number, call: () => void) => void} [parts.after]
   */
  constructor({
    send,
    isMine,
    now = () => performance.now(),
    random = Math.random,
    after = (ms, call) => void setTimeout(call, ms),
  }) {
    super();
    this.#send = send;
    this.#isMine = isMine;
    this.#now = now;
    this.#random = random;
    this.#after = after;
  }

  /** True if this person has raised the hand, in any tab. */
  get isRaised() {
    return this.#ownAt !== null || [...this.#hands.keys()].some(this.#isMine);
  }

  /**
   * The participants with raised hands, in the order of raising.
   * @param {number} me the number of this participant @returns {number[]}
   */
  order(me) {
    /** @type {[number, number][]} */
    const all = [...this.#hands].map(([number, { at }]) => [number, at]);
    if (this.#ownAt !== null) all.push([me, this.#ownAt]);
    return all.sort((a, b) => a[1] - b[1] || a[0] - b[0]).map(([number]) => number);
  }

  raise() {
    if (this.isRaised) return;
    this.#ownAt = this.#now();
    this.#sendHand(null);
    this.#changed(null);
  }

  /** Lowers the hand, in the other tabs of this person too. */
  lower() {
    if (!this.isRaised) return;
    this.#ownAt = null;
    for (const number of this.#hands.keys()) if (this.#isMine(number)) this.#hands.delete(number);
    this.#sendHand(null);
    for (const ms of LOWERED_AGAIN_MS) this.#after(ms, () => this.#ownAt === null && this.#sendHand(null));
    this.#changed(null);
  }

  /** @param {number} sender @param {{ raised?: unknown }} message */
  receive(sender, { raised }) {
    const known = this.#hands.get(sender);
    if (typeof raised !== 'number' || !(raised >= 0 && raised <= MAX_SECONDS)) {
      if (this.#hands.delete(sender)) this.#changed(null);
      if (this.#isMine(sender) && this.#ownAt !== null) this.lower();
      return;
    }
    const now = this.#now();
    const at = now - raised * 1000;
    // The transmission time varies, so a repeated message does not change the order.
    if (known && at - known.at < RAISED_AGAIN_MS) return void (known.heardAt = now);
    if (!known && this.#hands.size >= MAX_HANDS) return;
    this.#hands.set(sender, { at, heardAt: now });
    this.#changed(sender);
  }

  /** Handles a change of the session, and with it of all numbers. @param {boolean} isAlone true if there is no session */
  sessionChanged(isAlone) {
    this.#hands.clear();
    if (isAlone) this.#ownAt = null;
    this.repeatSoon();
    this.#changed(null);
  }

  /** Repeats the message at the next tick. */
  repeatSoon() {
    this.#sentAt = -Infinity;
  }

  /** @param {(number: number) => boolean} isHere @param {Participant[]} joined the participants that have just come */
  participantsChanged(isHere, joined) {
    let isChanged = false;
    for (const number of this.#hands.keys()) if (!isHere(number)) isChanged = this.#hands.delete(number);
    if (isChanged) this.#changed(null);
    if (this.#ownAt === null || joined.length === 0) return;
    const to = joined.map(({ number }) => number);
    this.#after(this.#random() * SPREAD_MS, () => this.#ownAt !== null && this.#sendHand(to));
  }

  /** Repeats the message, and removes hands whose messages have stopped. */
  tick() {
    const now = this.#now();
    if (this.#ownAt !== null && now - this.#sentAt >= REPEAT_MS) this.#sendHand(null);
    let isChanged = false;
    for (const [number, { heardAt }] of this.#hands) {
      if (now - heardAt >= FORGET_MS) isChanged = this.#hands.delete(number);
    }
    if (isChanged) this.#changed(null);
  }

  /** @param {number[] | null} to participants' numbers; null: all */
  #sendHand(to) {
    if (!to) this.#sentAt = this.#now();
    this.#send(this.#ownAt === null ? {} : { raised: Math.round((this.#now() - this.#ownAt) / 100) / 10 }, to);
  }

  /** @param {number | null} raised */
  #changed(raised) {
    this.dispatchEvent(new CustomEvent('change', { detail: { raised } }));
  }
}
