/** A token bucket. The time is passed in. */

/** Limits an average amount per second, with bursts up to a capacity. */
export class TokenBucket {
  #perSecond;
  #capacity;
  #tokens;
  #at;

  /** @param {number} perSecond @param {number} capacity @param {number} now milliseconds */
  constructor(perSecond, capacity, now) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
    this.#tokens = capacity;
    this.#at = now;
  }

  /** @param {number} amount @param {number} now @returns {number} 0, or the milliseconds until the amount is available */
  waitFor(amount, now) {
    this.#fill(now);
    // An amount over the capacity is allowed when the bucket is full. Otherwise it would wait forever.
    const missing = Math.min(amount, this.#capacity) - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.#perSecond) * 1000);
  }

  /** @param {number} amount @param {number} now */
  take(amount, now) {
    this.#fill(now);
    this.#tokens -= amount;
  }

  /** @param {number} now */
  #fill(now) {
    const elapsed = Math.max(0, now - this.#at);
    this.#at = now;
    this.#tokens = Math.min(this.#capacity, this.#tokens + (elapsed / 1000) * this.#perSecond);
  }
}
