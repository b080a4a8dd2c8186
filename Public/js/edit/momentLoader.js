/** Brings the past picture to the moment that the person wants. Of several wishes, the last one counts. */

import { Breaks } from '../sync/history/breaks.js';

/**
 * @typedef {import('../sync/history/historyReader.js').HistoryReader} HistoryReader
 * @typedef {import('../sync/history/historyState.js').HistoryState} HistoryState
 *
 * @typedef {object} Events
 * @property {(state: HistoryState, isLast: boolean) => void} shown the picture is that of this state; `isLast`: it is the wanted one
 * @property {(error: unknown) => void} failed the wanted moment cannot be shown; the picture stays
 * @property {(isBusy: boolean) => void} busy the picture is being brought to another moment, or is there
 */

export class MomentLoader {
  #past;
  #events;
  #newBreaks;
  /** @type {HistoryReader | null} null: no history is shown */
  #reader = null;
  #wanted = -1;
  /** Counts the wishes. The requests of an earlier wish may have been aborted, even one for the same moment. */
  #wish = 0;
  #shown = -1;
  /** @type {Promise<void> | null} */
  #running = null;
  /** Fulfilled when nothing of an earlier history is shown. @type {Promise<void>} */
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

  /** Fulfilled when the picture is that of the wanted moment, or cannot be. @returns {Promise<void>} */
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

  /** @param {number} sequence that is to be shown */
  want(sequence) {
    if (sequence !== this.#wanted) this.#wish += 1;
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
    const [wanted, wish] = [this.#wanted, this.#wish];
    const state = await reader.stateAt(wanted, () => reader === this.#reader && wish === this.#wish);
    if (!state) return;
    // Once it is loaded, it is shown even if the person wants another moment already: the picture follows the slider.
    await this.#past.show(state.entries, this.#newBreaks());
    if (reader !== this.#reader) return;
    this.#shown = wanted;
    this.#events.shown(state, wanted === this.#wanted);
  }

  /** Removes the picture, once the present change of it has ended. */
  async #clear() {
    await this.#running;
    await this.#past.show(new Map(), this.#newBreaks());
  }
}
