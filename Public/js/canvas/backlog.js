/** Does things in their order: what comes alone at once, what comes in thousands a slice a frame, so that nothing stands still. */

/** So many are done at once between two frames. */
const AT_ONCE = 60;
/** Of a frame's time, in milliseconds. */
const SLICE_MS = 24;

export class Backlog {
  /** @type {(() => void)[]} */
  #waiting = [];
  #next = 0;
  #left = AT_ONCE;
  #ask;
  #now;

  /** @param {() => void} [ask] for a frame, that is for `work` @param {() => number} [now] milliseconds */
  constructor(ask = () => {}, now = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /** Whether there is more to be done than was done. */
  get isBehind() {
    return this.#next < this.#waiting.length;
  }

  /** @param {() => void} run at once, if nothing waits */
  add(run) {
    if (!this.isBehind && this.#left > 0) {
      this.#left -= 1;
      return run();
    }
    this.#waiting.push(run);
    this.#ask();
  }

  /** Once a frame. @returns {boolean} whether there is still more */
  work() {
    this.#left = AT_ONCE;
    const end = this.#now() + SLICE_MS;
    while (this.isBehind && this.#now() < end) this.#one();
    return this.isBehind;
  }

  /** Does all that waits. */
  finish() {
    while (this.isBehind) this.#one();
  }

  #one() {
    const run = this.#waiting[this.#next];
    this.#next += 1;
    if (!this.isBehind) {
      this.#waiting = [];
      this.#next = 0;
    }
    run();
  }
}
