/** Combines changes into few saves. */

/** The delay of a save that is not urgent, such as that of an unfinished stroke. */
const DELAY_MS = 250;

export class SaveScheduler {
  #save;
  #env;
  /** @type {unknown} */
  #timer = null;
  #isQueued = false;

  /** @param {() => void} save @param {import('../sync/environment.js').Environment} env */
  constructor(save, env) {
    this.#save = save;
    this.#env = env;
  }

  /** Saves later. @param {boolean} isUrgent true: after the current task, together with its other changes */
  schedule(isUrgent) {
    if (!isUrgent) this.#timer ??= this.#env.setTimeout(() => this.#save(), DELAY_MS);
    if (!isUrgent || this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      this.#save();
    });
  }

  /** Cancels a delayed save, because everything is saved now. */
  cancel() {
    this.#env.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
