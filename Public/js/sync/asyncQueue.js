/**
 * Values that are put in on one side and iterated over on the other, in order.
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
   * @param {number} [options.limit] how many may wait to be read; older ones make room
   * @param {() => void} [options.stopped] the reader reads no more
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

  /** No more will come; what waits can still be read. */
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
