/** The axis of a history: positions in milliseconds of activity, because long pauses are shortened. */

/**
 * @typedef {import('../sync/history/historyOverview.js').Bucket} Bucket
 * @typedef {{ height: number, shares: [number, number][] }} Column `height`: 0…1; `shares`: the numbers of participants, each with
 *   its part of the height; together they are 1
 *
 * A bucket on the axis, between two positions.
 * @typedef {{ bucket: Bucket, start: number, end: number }} Span
 */

/** The maximum length of a pause on the axis. */
const MAX_PAUSE_MS = 3000;
/** The maximum length of an entry, and its length if the times are unknown or wrong. */
const MAX_ENTRY_MS = 1000;
const ENTRY_MS = 30;
/** The minimum length of a bucket, because entries that were stored together have the same time. */
const MIN_SPAN_MS = 50;

export class Timeline {
  /** @type {Span[]} */
  #spans = [];
  #first;
  #last;
  /** The length of the axis, at least 1. */
  length = 1;

  /**
   * @param {readonly Bucket[]} buckets in rising sequence @param {number} first the sequence at the beginning
   * @param {number} last the sequence at the end
   */
  constructor(buckets, first, last) {
    this.#first = first;
    this.#last = last;
    let end = 0;
    /** @type {number | null} */
    let before = null;
    for (const bucket of buckets) {
      const { from, to } = bucket;
      const start = end + (before !== null && from !== null ? Math.min(MAX_PAUSE_MS, Math.max(0, from - before)) : 0);
      end = start + durationOf(bucket);
      before = to;
      this.#spans.push({ bucket, start, end });
    }
    this.length = Math.max(1, end);
  }

  /** @param {number} position @returns {number} the sequence of the last entry before it */
  sequenceAt(position) {
    if (position <= 0) return this.#first;
    if (position >= this.length) return this.#last;
    const span = this.#spans.findLast(({ start }) => start <= position);
    if (!span) return this.#first;
    const { bucket: { first, last }, start, end } = span;
    const part = Math.min(1, (position - start) / (end - start));
    return this.#limited(first - 1 + Math.round((last - first + 1) * part));
  }

  /** @param {number} sequence @returns {number} its position */
  positionOf(sequence) {
    if (sequence >= this.#last) return this.length;
    const span = this.#spans.find(({ bucket: { last } }) => last >= sequence);
    if (sequence <= this.#first || !span) return 0;
    const { bucket: { first, last }, start, end } = span;
    const part = Math.max(0, sequence - first + 1) / (last - first + 1);
    return start + part * (end - start);
  }

  /** @param {number} time in milliseconds since 1970 @returns {number} the sequence of the last entry that was stored until then */
  sequenceAtTime(time) {
    const span = this.#spans.findLast(({ bucket: { from } }) => from !== null && from <= time);
    if (!span) return this.#first;
    const { first, last, from, to } = span.bucket;
    const [start, end] = [from ?? time, to ?? time];
    const part = end > start ? Math.min(1, (time - start) / (end - start)) : 1;
    return this.#limited(first - 1 + Math.round((last - first + 1) * part));
  }

  /** @param {number} sequence @returns {number | null} about when it was stored, in milliseconds since 1970; null: unknown */
  timeOf(sequence) {
    const { bucket } = this.#spans.find(({ bucket: { last } }) => last >= sequence) ?? this.#spans.at(-1) ?? {};
    if (!bucket || bucket.from === null) return null;
    const { first, last, from, to } = bucket;
    const part = Math.min(1, Math.max(0, sequence - first + 1) / (last - first + 1));
    return Math.round(from + part * ((to ?? from) - from));
  }

  /** @param {number} sequence @returns {number} the participant with the most entries around it; 0: none */
  senderAround(sequence) {
    const { bucket } = this.#spans.find(({ bucket: { last } }) => last >= sequence) ?? this.#spans.at(-1) ?? {};
    return bucket?.senders.find(([sender]) => sender > 0)?.[0] ?? 0;
  }

  /** Divides the axis into columns of equal width. @param {number} count @returns {Column[]} with the activity in each one */
  columns(count) {
    /** @type {Map<number, number>[]} */
    const busy = Array.from({ length: count }, () => new Map());
    for (const { bucket, start, end } of this.#spans) {
      const from = Math.min(count - 1, Math.floor((start / this.length) * count));
      const to = Math.min(count - 1, Math.max(from, Math.ceil((end / this.length) * count) - 1));
      for (const [sender, entries] of bucket.senders) {
        if (sender === 0) continue;
        const share = entries / (to - from + 1);
        for (let at = from; at <= to; at += 1) busy[at].set(sender, (busy[at].get(sender) ?? 0) + share);
      }
    }
    const totals = busy.map((senders) => [...senders.values()].reduce((sum, one) => sum + one, 0));
    const highest = totals.reduce((a, b) => Math.max(a, b), 0);
    return busy.map((senders, at) => ({
      // The square root keeps quiet times visible beside busy ones.
      height: highest > 0 ? Math.sqrt(totals[at] / highest) : 0,
      shares: [...senders].map(([sender, entries]) => [sender, entries / totals[at]]),
    }));
  }

  /** @param {number} sequence */
  #limited(sequence) {
    return Math.min(this.#last, Math.max(this.#first, sequence));
  }
}

/** @param {Bucket} bucket @returns {number} its length on the axis */
function durationOf({ from, to, entries }) {
  const count = Math.max(1, entries);
  const passed = from !== null && to !== null && to >= from ? to - from : count * ENTRY_MS;
  // A bucket may span a night in which nobody drew.
  return Math.max(MIN_SPAN_MS, Math.min(passed, count * MAX_ENTRY_MS));
}
