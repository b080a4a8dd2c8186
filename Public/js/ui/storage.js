/** @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} KeptStorage */

/**
 * A browser may refuse its storage; then things are kept as long as the page.
 * @param {() => Storage} get @returns {KeptStorage}
 */
export function storageOr(get) {
  try {
    return get();
  } catch {
    /** @type {Map<string, string>} */
    const kept = new Map();
    return {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    };
  }
}
