/**
 * A queue whose values are read asynchronously.
 * @template T
 * @implements {AsyncIterableIterator<T>}
 */
export class AsyncQueue {
  /** @type {T[]} */
  #values = [];
  /** @type {((result: IteratorResult<T>) => void)[]} */
  #readers = [];
  #isOver = false;
  #limit;
  #stopped;

  /**
   * @param {object} [options]
   * @param {number} [options.limit] the maximum number of unread values; the oldest are dropped
   * @param {() => void} [options.stopped] called when the reader stops
   */
  constructor({ limit = Infinity, stopped = () => {} } = {}) {
    this.#limit = limit;
    this.#stopped = stopped;
  }

  /** @param {T} value */
  put(value) {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader) return reader({ value, done: false });
    this.#values.push(value);
    if (this.#values.length > this.#limit) this.#values.shift();
  }

  /** Ends the queue. Unread values can still be read. */
  finish() {
    this.#isOver = true;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
  }

  /** @returns {Promise<IteratorResult<T>>} */
  next() {
    if (this.#values.length > 0) {
      return Promise.resolve({ value: /** @type {T} */ (this.#values.shift()), done: false });
    }
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** @returns {Promise<IteratorResult<T>>} */
  return() {
    this.#values = [];
    this.finish();
    this.#stopped();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}
