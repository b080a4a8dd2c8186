/** Reads the state of a session at any moment of its history. */

import { GroupSessionError } from '../errors.js';
import { Breaks } from './breaks.js';
import { damaged, readHistory } from './historyEntries.js';
import { HistoryState } from './historyState.js';

/**
 * @typedef {import('./historyEntries.js').HistoryPart} HistoryPart
 * @typedef {import('./historyOverview.js').HistoryOverview} HistoryOverview
 * @typedef {{ part: Promise<HistoryPart>, controller: AbortController, bytes: number | null }} Piece `bytes`: null while it is being
 *   loaded
 */

/** The maximum size of the cached pieces that the present moment does not need, in bytes. */
const MAX_KEPT_BYTES = 48 * 2 ** 20;
/**
 * The maximum number of pieces that lead to a moment. The gateway writes a stored state when the chunks after the last one are as
 * large as that state. Chunks can be small.
 */
const MAX_PIECES = 1024;
/** The maximum number of requests for the entries that are not in chunks yet. The gateway sends about 1 MiB for each. */
const MAX_TAILS = 64;

/**
 * The state at a moment is the newest stored state before it, changed by the entries up to the moment: at most a few megabytes.
 * Pieces never change, so they are loaded once. One call of `stateAt` runs at a time.
 */
export class HistoryReader {
  #requests;
  #newBreaks;
  /** @type {HistoryOverview | null} */
  #overview = null;
  /** The pieces by their queries, the least recently used first. @type {Map<string, Piece>} */
  #pieces = new Map();
  /** @type {HistoryState | null} */
  #state = null;
  #lifetime = new AbortController();

  /**
   * @param {Pick<import('./historyRequests.js').HistoryRequests, 'overview' | 'piece'>} requests
   * @param {() => Breaks} [newBreaks] breaks for one piece of work
   */
  constructor(requests, newBreaks = () => new Breaks()) {
    this.#requests = requests;
    this.#newBreaks = newBreaks;
  }

  /** Loads the overview. @returns {Promise<HistoryOverview>} @throws {GroupSessionError} */
  async open() {
    this.#overview = await this.#requests.overview(this.#lifetime.signal);
    return this.#overview;
  }

  /** Aborts all requests and forgets everything. A waiting `stateAt` is rejected. */
  close() {
    this.#lifetime.abort();
    this.#keepOnly(new Set());
    this.#pieces.clear();
    this.#state = null;
  }

  /**
   * Aborts the requests of pieces that a moment does not need. To be called when the person wants another moment.
   * @param {number} sequence
   */
  want(sequence) {
    const overview = this.#overview;
    if (!overview) return;
    const needed = new Set(queriesFor(overview, sequence, this.#baseFor(overview, sequence)));
    // The entries that are not in chunks yet are needed by all moments after the chunks.
    this.#keepOnly(needed, sequence > overview.stored);
  }

  /**
   * Returns the state at a sequence. It is valid until the next call.
   * @param {number} sequence @param {() => boolean} [isWanted] returns false if the person wants another moment: then the entries
   *   that are loaded are not applied
   * @returns {Promise<HistoryState | null>} null: it is no longer wanted
   * @throws {GroupSessionError} `damaged`, `too-large`, `not-found` (this part of the history is gone), or a refusal of the gateway
   */
  async stateAt(sequence, isWanted = () => true) {
    try {
      return await this.#stateAt(sequence, isWanted, false);
    } catch (error) {
      // The requests of this call were aborted.
      if (!isWanted()) return null;
      const isGone = error instanceof GroupSessionError && error.code === 'not-found';
      if (!isGone) throw error;
    }
    // The gateway has replaced pieces since the overview was read.
    await this.open();
    this.#state = null;
    return await this.#stateAt(sequence, isWanted, true);
  }

  /** @param {number} sequence @param {() => boolean} isWanted @param {boolean} allowsGaps as in `#readTail` */
  async #stateAt(sequence, isWanted, allowsGaps) {
    const overview = this.#overview;
    if (!overview || sequence < overview.first) throw new GroupSessionError('not-found');
    const base = this.#baseFor(overview, sequence);
    const queries = queriesFor(overview, sequence, base);
    if (queries.length > MAX_PIECES) throw damaged();
    // The pieces are loaded together, and applied in order.
    const parts = await Promise.all(queries.map((query) => this.#load(query)));
    if (!isWanted()) return null;
    const state = base ?? this.#newState(overview, sequence, parts);
    // Until all pieces are applied, the state belongs to no moment.
    this.#state = null;
    for (const { entries, to } of parts) state.advance(entries, Math.min(sequence, to));
    this.#state = state;
    if (sequence > overview.stored && !await this.#readTail(state, sequence, isWanted, allowsGaps)) return null;
    state.sequence = sequence;
    this.#trim(new Set(queries));
    return state;
  }

  /**
   * Returns the present state if it lies between a moment and the stored state before it.
   * @param {HistoryOverview} overview @param {number} sequence
   */
  #baseFor(overview, sequence) {
    const now = this.#state;
    return now && now.sequence >= stateBefore(overview, sequence).sequence && now.sequence <= sequence ? now : null;
  }

  /**
   * Creates the state to begin with: a stored state from the loaded parts, or the empty one.
   * @param {HistoryOverview} overview @param {number} sequence @param {HistoryPart[]} parts @returns {HistoryState}
   */
  #newState(overview, sequence, parts) {
    const start = stateBefore(overview, sequence);
    const state = new HistoryState(start.sequence);
    if (start.tag === null) return state;
    const [part] = parts.splice(0, 1);
    if (part.state !== start.sequence) throw damaged();
    state.begin(part);
    return state;
  }

  /**
   * Applies the entries that are not in chunks yet.
   * @param {HistoryState} state @param {number} sequence @param {() => boolean} isWanted
   * @param {boolean} allowsGaps false: missing entries are an error, because a newer overview may show where they are; true: the
   *   gateway has lost them
   */
  async #readTail(state, sequence, isWanted, allowsGaps) {
    const { stored, through } = /** @type {HistoryOverview} */ (this.#overview);
    let next = stored + 1;
    for (let count = 0; next <= sequence && count < MAX_TAILS; count += 1) {
      const { entries, from, to } = await this.#load(`from=${next}&to=${through}`);
      if (!isWanted()) return false;
      if (from > next && !allowsGaps) throw new GroupSessionError('not-found');
      state.advance(entries, Math.min(sequence, to));
      // The gateway has nothing more.
      if (to < next) break;
      next = to + 1;
    }
    return true;
  }

  /** @param {string} query @returns {Promise<HistoryPart>} */
  #load(query) {
    const known = this.#pieces.get(query);
    if (known) {
      this.#pieces.delete(query);
      this.#pieces.set(query, known);
      return known.part;
    }
    const controller = new AbortController();
    /** @type {Piece} */
    const piece = { part: this.#read(query, controller.signal), controller, bytes: null };
    this.#pieces.set(query, piece);
    piece.part.catch(() => this.#pieces.get(query) === piece && this.#pieces.delete(query));
    return piece.part;
  }

  /** @param {string} query @param {AbortSignal} signal */
  async #read(query, signal) {
    const bytes = await this.#requests.piece(query, signal);
    const part = await readHistory(bytes, this.#newBreaks());
    signal.throwIfAborted();
    const piece = this.#pieces.get(query);
    if (piece) piece.bytes = bytes.length;
    return part;
  }

  /** Aborts the requests of other pieces. @param {ReadonlySet<string>} needed queries @param {boolean} [keepsTails] */
  #keepOnly(needed, keepsTails = false) {
    for (const [query, { controller, bytes }] of this.#pieces) {
      if (bytes !== null || needed.has(query) || keepsTails && isTail(query)) continue;
      this.#pieces.delete(query);
      controller.abort();
    }
  }

  /** Forgets the least recently used pieces above the limit. @param {ReadonlySet<string>} needed queries that stay */
  #trim(needed) {
    let total = 0;
    for (const { bytes } of this.#pieces.values()) total += bytes ?? 0;
    for (const [query, { bytes }] of this.#pieces) {
      if (total <= MAX_KEPT_BYTES) break;
      if (bytes === null || needed.has(query)) continue;
      this.#pieces.delete(query);
      total -= bytes;
    }
  }
}

/**
 * Returns the newest stored state before a moment.
 * @param {HistoryOverview} overview @param {number} sequence @returns {{ sequence: number, tag: string | null }}
 */
function stateBefore({ states }, sequence) {
  return states.findLast((state) => state.sequence <= sequence) ?? states[0] ?? { sequence: 0, tag: null };
}

/**
 * Returns the queries of the pieces that lead to a moment: a stored state, unless it is the empty page; and the chunks after it.
 * @param {HistoryOverview} overview @param {number} sequence @param {HistoryState | null} base the state to begin with instead
 * @returns {string[]}
 */
function queriesFor(overview, sequence, base) {
  const { sequence: start, tag } = stateBefore(overview, sequence);
  const after = base?.sequence ?? start;
  const chunks = overview.chunks.filter(({ first, last }) => last > after && first <= sequence);
  return [
    ...base || tag === null ? [] : [`state=${start}&tag=${tag}`],
    ...chunks.map(({ first, last, tag }) => `from=${first}&to=${last}&tag=${tag}`),
  ];
}

/** @param {string} query */
function isTail(query) {
  return query.startsWith('from') && !query.includes('tag');
}
