/** Decides when changes are saved, so that one save stores several of them. */

/** The delay of a save that is not urgent, for example after new points of an unfinished stroke. */
const DELAY_MS = 250;

export class SaveScheduler {
  #save;
  #env;
  /** @type {unknown} */
  #timer = null;
  #isQueued = false;

  /**
   * @param {() => void} save saves everything, and calls `cancel`
   * @param {import('../sync/environment.js').Environment} env
   */
  constructor(save, env) {
    this.#save = save;
    this.#env = env;
  }

  /** Saves later. @param {boolean} isUrgent true: in a microtask, so that the changes of a task are saved together */
  schedule(isUrgent) {
    if (!isUrgent) this.#timer ??= this.#env.setTimeout(() => this.#save(), DELAY_MS);
    if (!isUrgent || this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      this.#save();
    });
  }

  /** Cancels the delayed save. To be called by each save, because it saves everything. */
  cancel() {
    this.#env.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
