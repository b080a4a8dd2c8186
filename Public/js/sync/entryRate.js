/** The rate of entries and of their bytes together, as the gateway counts them. The time is passed in. */

import { TokenBucket } from './rateLimit.js';

export class EntryRate {
  #entries;
  #bytes;

  /**
   * @param {{ entriesPerSecond: number, bytesPerSecond: number }} limits
   * @param {number} burstSeconds the burst, as seconds of the average rate
   * @param {number} now
   */
  constructor(limits, burstSeconds, now) {
    this.#entries = new TokenBucket(limits.entriesPerSecond, limits.entriesPerSecond * burstSeconds, now);
    this.#bytes = new TokenBucket(limits.bytesPerSecond, limits.bytesPerSecond * burstSeconds, now);
  }

  /**
   * @param {number} bytes of one entry @param {number} now
   * @returns {number} 0 if it passes and was counted, else the milliseconds to wait
   */
  take(bytes, now) {
    const wait = Math.max(this.#entries.waitFor(1, now), this.#bytes.waitFor(bytes, now));
    if (wait === 0) {
      this.#entries.take(1, now);
      this.#bytes.take(bytes, now);
    }
    return wait;
  }
}
