/** Limits how often participants may do something. */

import { TokenBucket } from '../sync/rateLimit.js';

/** A token bucket for each sender. */
export class SenderLimit {
  #perSecond;
  #burst;
  /** @type {Map<number, TokenBucket>} by the sender's number */
  #rates = new Map();

  /** @param {number} perSecond on average @param {number} burst */
  constructor(perSecond, burst) {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** @param {number} sender @param {number} now milliseconds @returns {boolean} false if the sender exceeds the limit */
  allows(sender, now) {
    const rate = this.#rates.get(sender) ?? new TokenBucket(this.#perSecond, this.#burst, now);
    this.#rates.set(sender, rate);
    if (rate.waitFor(1, now) > 0) return false;
    rate.take(1, now);
    return true;
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    for (const number of this.#rates.keys()) if (!isHere(number)) this.#rates.delete(number);
  }
}
