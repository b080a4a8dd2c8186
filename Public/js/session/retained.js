/** What a session retains: for each key the latest replace and the appends after it. */

import { Retention } from './wire.js';

/** @typedef {import('./wire.js').Entry} Entry */

export class RetainedState {
  /** @type {Map<string, Entry[]>} */
  #entries = new Map();
  /** @type {Map<string, Entry[]>} the gateway's own keys: no client touches them, even under the same bytes */
  #system = new Map();

  /** @param {Entry} entry in the session's order */
  apply(entry) {
    if (!entry.reliable || !entry.key || entry.unchanged) return;
    const space = entry.system ? this.#system : this.#entries;
    switch (entry.retention) {
      case Retention.append: {
        const held = space.get(entry.key);
        if (held) held.push(entry);
        else space.set(entry.key, [entry]);
        break;
      }
      case Retention.replace:
        space.set(entry.key, [entry]);
        break;
      case Retention.remove:
        space.delete(entry.key);
    }
  }

  clear() {
    this.#entries.clear();
    this.#system.clear();
  }

  /** @returns {Iterable<Entry>} what clients said, by key; within a key in order */
  *entries() {
    for (const held of this.#entries.values()) yield* held;
  }

  /** @returns {Iterable<Entry>} what the gateway said, by key */
  *systemEntries() {
    for (const held of this.#system.values()) yield* held;
  }

  /** @returns {[string, Entry[]][]} sorted by key: what clients said, then what the gateway said */
  sorted() {
    return [...sortedByKey(this.#entries), ...sortedByKey(this.#system)];
  }
}

/** @param {Map<string, Entry[]>} space @returns {[string, Entry[]][]} */
function sortedByKey(space) {
  return [...space].sort(([a], [b]) => (a < b ? -1 : 1));
}
