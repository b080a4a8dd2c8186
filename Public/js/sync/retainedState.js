/** The retained entries of a session: the gateway's own entries, and digests of all entries. */

import { extendDigest } from './stateHash.js';
import { Retention } from './wire.js';

/** @typedef {import('./wire.js').Entry} Entry */

/** The digest before the first entry of a gateway's key; that of a client's key is 0. */
const SYSTEM_SEED = 1;

/**
 * For each key, the latest replace and the appends after it. Only digests of the clients' entries are stored here, because the
 * observers that understand the payloads store them.
 */
export class RetainedState {
  /** @type {Map<string, number>} */
  #digests = new Map();
  /**
   * The entries under the gateway's own keys. A client's key with the same bytes is a different key.
   * @type {Map<string, Entry[]>}
   */
  #system = new Map();

  /** @param {Entry} entry in the session's order */
  apply(entry) {
    if (!entry.reliable || !entry.key || entry.unchanged) return;
    if (entry.system) this.#applySystem(entry.key, entry);
    else if (entry.retention === Retention.remove) this.#digests.delete(entry.key);
    else if (entry.retention !== Retention.none) {
      const before = entry.retention === Retention.append ? this.#digests.get(entry.key) ?? 0 : 0;
      this.#digests.set(entry.key, extendDigest(before, entry));
    }
  }

  clear() {
    this.#digests.clear();
    this.#system.clear();
  }

  /** @returns {Iterable<Entry>} the gateway's entries, by key */
  *systemEntries() {
    for (const entries of this.#system.values()) yield* entries;
  }

  /** @returns {[string, number][]} the digest of each key: the clients' keys in order, then the gateway's in order */
  get digests() {
    const system = [...this.#system].map((
      [key, entries],
    ) => /** @type {[string, number]} */ ([key, entries.reduce(extendDigest, SYSTEM_SEED)]));
    return [...sortedByKey([...this.#digests]), ...sortedByKey(system)];
  }

  /** @returns {string[]} the retained keys: the clients' in order, then the gateway's in order */
  get keys() {
    return this.digests.map(([key]) => key);
  }

  /** @param {string} key @param {Entry} entry */
  #applySystem(key, entry) {
    switch (entry.retention) {
      case Retention.append: {
        const entries = this.#system.get(key);
        if (entries) entries.push(entry);
        else this.#system.set(key, [entry]);
        break;
      }
      case Retention.replace:
        this.#system.set(key, [entry]);
        break;
      case Retention.remove:
        this.#system.delete(key);
    }
  }
}

/** @param {[string, number][]} digests */
function sortedByKey(digests) {
  return digests.sort(([a], [b]) => (a < b ? -1 : 1));
}
