/** The overview of a session's history, as the gateway sends it. All values are checked, because they may be damaged. */

import { isObject, number } from '../json.js';
import { readParticipant } from '../participants.js';

/**
 * A summary of consecutive entries.
 * @typedef {object} Bucket
 * @property {number} first sequence
 * @property {number} last sequence
 * @property {number | null} from the time of the first entries in milliseconds since 1970; null: unknown
 * @property {number | null} to the time of the last entries
 * @property {number} entries the number of entries
 * @property {[number, number][]} senders the numbers of participants, each with its number of entries, most entries first
 *
 * @typedef {object} HistoryOverview
 * @property {number} first the first sequence whose state can be shown; 0: the empty page at the beginning
 * @property {number} through the last sequence that can be shown
 * @property {number} stored the last sequence in the chunks
 * @property {{ sequence: number, tag: string | null }[]} states in rising sequence; the tag null: the empty state
 * @property {{ first: number, last: number, tag: string }[]} chunks in rising sequence
 * @property {Bucket[]} buckets in rising sequence
 * @property {Map<number, import('../participants.js').Participant>} participants by number
 */

/** The maximum numbers of rows. The gateway sends fewer. */
const MAX_PIECES = 8192;
const MAX_BUCKETS = 2048;
const MAX_SENDERS = 32;
const MAX_PARTICIPANTS = 20_000;
const TAG = /^[0-9a-f]{8}$/i;

/** @param {unknown} value from the gateway @returns {HistoryOverview | null} null: it is no overview */
export function readOverview(value) {
  if (!isObject(value)) return null;
  const states = rows(value.states, MAX_PIECES, readState);
  const chunks = rows(value.chunks, MAX_PIECES, readChunk);
  const buckets = rows(value.buckets, MAX_BUCKETS, readBucket);
  const known = rows(value.participants, MAX_PARTICIPANTS, readParticipant);
  if (!states || !chunks || !buckets || !known) return null;
  const moments = states.map(({ sequence }) => ({ first: sequence, last: sequence }));
  if (![moments, chunks, buckets].every(isRising)) return null;
  // A short history has no pieces yet. It begins with the empty page if it has the first entry of the session.
  if (states.length === 0 && buckets[0]?.first === 1) states.push({ sequence: 0, tag: null });
  const [stored, last] = [number(value.stored), buckets.at(-1)?.last ?? 0];
  const through = Math.max(stored, Math.min(number(value.through), last));
  const first = states[0]?.sequence ?? through;
  const participants = new Map(known.map((one) => [one.number, one]));
  return { first: Math.min(first, through), through, stored, states, chunks, buckets, participants };
}

/**
 * @template T
 * @param {unknown} value @param {number} limit @param {(row: unknown) => T | null} read
 * @returns {T[] | null} null if a row is wrong, or there are too many
 */
function rows(value, limit, read) {
  if (!Array.isArray(value) || value.length > limit) return null;
  const all = value.map(read).filter((one) => one !== null);
  return all.length === value.length ? all : null;
}

/** @param {unknown} row */
function readState(row) {
  if (!Array.isArray(row)) return null;
  const [sequence, tag] = row;
  if (number(sequence) !== sequence || !(tag === null ? sequence === 0 : isTag(tag))) return null;
  return { sequence, tag };
}

/** @param {unknown} row */
function readChunk(row) {
  if (!Array.isArray(row)) return null;
  const [first, last, tag] = row;
  return isRange(first, last) && isTag(tag) ? { first, last, tag } : null;
}

/** @param {unknown} row @returns {Bucket | null} */
function readBucket(row) {
  if (!Array.isArray(row)) return null;
  const [first, last, from, to, entries, senders] = row;
  if (!isRange(first, last) || !Array.isArray(senders) || senders.length > 2 * MAX_SENDERS) return null;
  /** @type {[number, number][]} */
  const counts = [];
  for (let at = 0; at + 1 < senders.length; at += 2) counts.push([number(senders[at]), number(senders[at + 1])]);
  return { first, last, from: readTime(from), to: readTime(to), entries: number(entries), senders: counts };
}

/** @param {unknown} value */
function readTime(value) {
  return number(value) || null;
}

/** @param {unknown} tag @returns {tag is string} */
function isTag(tag) {
  return typeof tag === 'string' && TAG.test(tag);
}

/** @param {unknown} first @param {unknown} last */
function isRange(first, last) {
  return number(first) > 0 && number(last) >= number(first);
}

/** @param {{ first: number, last: number }[]} ranges @returns {boolean} true if they are in rising sequence and do not overlap */
function isRising(ranges) {
  return ranges.every(({ first }, at) => at === 0 || first > ranges[at - 1].last);
}
