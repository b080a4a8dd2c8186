/** The retained entries of a session at a moment of its history. */

import { Retention } from '../wire.js';

/** @typedef {import('./historyEntries.js').HistoryEntry} HistoryEntry */

export class HistoryState {
  /** The retained entries of each key: a `replace` or an `append`, and the appends after it. @type {Map<string, HistoryEntry[]>} */
  entries = new Map();
  /** The sequence up to which entries were applied. */
  sequence;
  /** The time at which the last entry was stored, in milliseconds since 1970; null: unknown. @type {number | null} */
  time = null;
  /** The participant who sent the last change; 0: unknown. */
  sender = 0;
  #changedAt = 0;

  /** @param {number} sequence of the empty page */
  constructor(sequence = 0) {
    this.sequence = sequence;
  }

  /**
   * Applies the entries after the present sequence, up to another one.
   * @param {readonly HistoryEntry[]} entries in rising sequence @param {number} to
   */
  advance(entries, to) {
    for (let at = firstAfter(entries, this.sequence); at < entries.length && entries[at].sequence <= to; at += 1) {
      this.#apply(entries[at]);
    }
    this.sequence = Math.max(this.sequence, to);
  }

  /** Applies all entries of a stored state. @param {import('./historyEntries.js').HistoryPart} part */
  begin({ entries, state, time }) {
    for (const entry of entries) this.#apply(entry);
    this.sequence = state ?? this.sequence;
    this.time = time;
  }

  /** @param {HistoryEntry} entry */
  #apply(entry) {
    const { key, retention, sequence, sender, time } = entry;
    const before = this.entries.get(key);
    if (retention === Retention.remove) this.entries.delete(key);
    else if (retention === Retention.append && before) before.push(entry);
    else this.entries.set(key, [entry]);
    this.time = time ?? this.time;
    // The entries of a state are not in the order of their sequences.
    if (sender === 0 || sequence < this.#changedAt) return;
    this.#changedAt = sequence;
    this.sender = sender;
  }
}

/** @param {readonly HistoryEntry[]} entries in rising sequence @param {number} sequence @returns {number} an index */
function firstAfter(entries, sequence) {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle].sequence > sequence) high = middle;
    else low = middle + 1;
  }
  return low;
}
