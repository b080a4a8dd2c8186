/** As much of IndexedDB as uploads are kept with. */

export class FakeDatabase {
  /** @type {Map<string, Map<string, any>>} */
  #stores = new Map();
  #fails;

  /** @param {{ fails?: 'open' | 'put' }} [options] */
  constructor({ fails } = {}) {
    this.#fails = fails;
  }

  open() {
    const result = {
      createObjectStore: (/** @type {string} */ name) => this.#stores.set(name, new Map()),
      transaction: () => this.#transaction(),
      close: () => {},
    };
    const isNew = this.#stores.size === 0;
    /** @type {any} */
    const request = { result, error: new DOMException('Refused.', 'UnknownError') };
    setImmediate(() => {
      if (this.#fails === 'open') return request.onerror();
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
        getAll: () => run(() => [...held.values()]),
        delete: (/** @type {string} */ key) => run(() => void held.delete(key)),
        put: (/** @type {any} */ value, /** @type {string} */ key) =>
          run(() => {
            if (this.#fails === 'put') transaction.error = new DOMException('Full.', 'QuotaExceededError');
            else held.set(key, value);
          }),
      };
    };
    setImmediate(() => {
      for (let next = queue.shift(); next; next = queue.shift()) next();
      if (transaction.error) transaction.onabort();
      else transaction.oncomplete();
    });
    return transaction;
  }
}
