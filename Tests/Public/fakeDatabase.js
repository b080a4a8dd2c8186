/** The part of IndexedDB that the page uses. */

/** @typedef {{ lower: string, upper: string }} Range */

Object.assign(globalThis, {
  IDBKeyRange: { bound: (/** @type {string} */ lower, /** @type {string} */ upper) => ({ lower, upper }) },
});

/**
 * @param {Map<string, any>} held @param {string | Range} [range] one key, or all keys within bounds; by default all keys
 * @returns {string[]} in order
 */
function keysIn(held, range) {
  const keys = [...held.keys()].sort();
  if (range === undefined) return keys;
  const { lower, upper } = typeof range === 'string' ? { lower: range, upper: range } : range;
  return keys.filter((key) => lower <= key && key <= upper);
}

export class FakeDatabase {
  /** @type {Map<string, Map<string, any>>} */
  #stores = new Map();
  /** The number of writes. */
  writes = 0;

  /** @param {{ fails?: 'open' | 'put' }} [options] */
  constructor({ fails } = {}) {
    this.fails = fails;
  }

  open() {
    const result = {
      objectStoreNames: { contains: (/** @type {string} */ name) => this.#stores.has(name) },
      createObjectStore: (/** @type {string} */ name) => this.#stores.set(name, new Map()),
      transaction: () => this.#transaction(),
      close: () => {},
    };
    const isNew = this.#stores.size === 0;
    /** @type {any} */
    const request = { result, error: new DOMException('Refused.', 'UnknownError') };
    setImmediate(() => {
      if (this.fails === 'open') return request.onerror();
      if (isNew) request.onupgradeneeded();
      request.onsuccess();
    });
    return request;
  }

  #transaction() {
    /** @type {any} */
    const transaction = { error: null };
    /** @type {(() => void)[]} */
    const queue = [];
    const run = (/** @type {() => any} */ perform) => {
      /** @type {any} */
      const request = {};
      queue.push(() => {
        request.result = perform();
        request.onsuccess?.();
      });
      return request;
    };
    transaction.objectStore = (/** @type {string} */ name) => {
      const held = /** @type {Map<string, any>} */ (this.#stores.get(name));
      return {
        get: (/** @type {string} */ key) => run(() => held.get(key)),
        getKey: (/** @type {string} */ key) => run(() => (held.has(key) ? key : undefined)),
        count: (/** @type {Range} */ range) => run(() => keysIn(held, range).length),
        getAll: (/** @type {Range} */ range) => run(() => keysIn(held, range).map((key) => held.get(key))),
        delete: (/** @type {string | Range} */ range) =>
          run(() => keysIn(held, range).forEach((key) => held.delete(key))),
        put: (/** @type {any} */ value, /** @type {string} */ key) => {
          const copy = structuredClone(value);
          this.writes += 1;
          return run(() => {
            if (this.fails === 'put') transaction.error = new DOMException('Full.', 'QuotaExceededError');
            else held.set(key, copy);
          });
        },
      };
    };
    transaction.commit = () => {};
    setImmediate(() => {
      for (let next = queue.shift(); next; next = queue.shift()) next();
      if (transaction.error) transaction.onabort();
      else transaction.oncomplete();
    });
    return transaction;
  }
}
