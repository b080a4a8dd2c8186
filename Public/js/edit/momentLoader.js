/** Loads the picture of the moment that the person chose. If the person chooses several moments in a row, the last one counts. */

import { Breaks } from '../sync/history/breaks.js';

/**
 * @typedef {import('../sync/history/historyReader.js').HistoryReader} HistoryReader
 * @typedef {import('../sync/history/historyState.js').HistoryState} HistoryState
 *
 * @typedef {object} Events
 * @property {(state: HistoryState, isLast: boolean) => void} shown called after this state was shown; `isLast`: it is the wanted
 *   moment
 * @property {(error: unknown) => void} failed called if the wanted moment cannot be shown; the picture stays
 * @property {(isBusy: boolean) => void} busy receives true when the loading of a moment begins, and false at its end
 */

export class MomentLoader {
  #past;
  #events;
  #newBreaks;
  /** @type {HistoryReader | null} null: no history is shown */
  #reader = null;
  #wanted = -1;
  /** Counts the chosen moments. The requests of an earlier choice may have been aborted, even if it was the same moment. */
  #choice = 0;
  #shown = -1;
  /** @type {Promise<void> | null} */
  #running = null;
  /** Fulfilled when the picture of an earlier history is removed. @type {Promise<void>} */
  #cleared = Promise.resolve();

  /**
   * @param {import('./pastScene.js').PastScene} past @param {Events} events
   * @param {() => Pick<Breaks, 'isDue' | 'take'>} [newBreaks] breaks for one piece of work
   */
  constructor(past, events, newBreaks = () => new Breaks()) {
    this.#past = past;
    this.#events = events;
    this.#newBreaks = newBreaks;
  }

  /** The sequence whose picture is shown; -1: none yet. */
  get shown() {
    return this.#shown;
  }

  /** The sequence that the person wants to see; -1: none. */
  get wanted() {
    return this.#wanted;
  }

  /** The sequence whose picture is shown; before the first picture, the wanted one; -1: none. */
  get nearest() {
    return this.#shown < 0 ? this.#wanted : this.#shown;
  }

  get isBusy() {
    return this.#running !== null;
  }

  /** Fulfilled when the wanted moment is shown, or cannot be shown. @returns {Promise<void>} */
  get idle() {
    return this.#running ?? Promise.resolve();
  }

  /**
   * Opens a history.
   * @param {HistoryReader} reader @returns {Promise<import('../sync/history/historyOverview.js').HistoryOverview | null>} null: it was
   *   closed meanwhile
   * @throws {import('../sync/errors.js').GroupSessionError}
   */
  async open(reader) {
    this.close();
    this.#reader = reader;
    try {
      const [overview] = await Promise.all([reader.open(), this.#cleared]);
      return reader === this.#reader ? overview : null;
    } catch (error) {
      if (reader !== this.#reader) return null;
      throw error;
    }
  }

  /** Begins to load another moment, and then shows it. @param {number} sequence */
  want(sequence) {
    if (sequence !== this.#wanted) this.#choice += 1;
    this.#wanted = sequence;
    const reader = this.#reader;
    reader?.want(sequence);
    if (this.#running || sequence === this.#shown) return;
    this.#running = this.#run().then(() => {
      this.#running = null;
      if (reader === this.#reader) this.#events.busy(false);
    });
  }

  /** Aborts everything, and removes the picture. @returns {Promise<void>} fulfilled when it is removed */
  close() {
    if (!this.#reader) return this.#cleared;
    this.#reader.close();
    this.#reader = null;
    this.#wanted = this.#shown = -1;
    return this.#cleared = this.#clear();
  }

  async #run() {
    const reader = this.#reader;
    this.#events.busy(true);
    try {
      while (reader && reader === this.#reader && this.#wanted !== this.#shown) await this.#showNext(reader);
    } catch (error) {
      if (reader === this.#reader) {
        this.#wanted = this.#shown;
        this.#events.failed(error);
      }
    }
  }

  /** @param {HistoryReader} reader */
  async #showNext(reader) {
    const [wanted, choice] = [this.#wanted, this.#choice];
    const state = await reader.stateAt(wanted, () => reader === this.#reader && choice === this.#choice);
    if (!state) return;
    // A loaded moment is shown even if the person has already chosen another one, so that the picture follows the slider.
    await this.#past.show(state.entries, this.#newBreaks());
    if (reader !== this.#reader) return;
    this.#shown = wanted;
    this.#events.shown(state, wanted === this.#wanted);
  }

  /** Removes the picture, once its present change is complete. */
  async #clear() {
    await this.#running;
    await this.#past.show(new Map(), this.#newBreaks());
  }
}
