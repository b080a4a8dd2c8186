/** Much that is to be done: a slice of it a frame, so that nothing stands still. */

/** So many are done at once between two frames. */
const AT_ONCE = 60;
/** Of a frame's time, in milliseconds. */
const SLICE_MS = 24;
/** A page that is not to be seen gets no frames: what waits this long would pile up. */
const PATIENCE_MS = 3000;

/** Does things in their order: what comes alone at once, what comes in thousands a slice a frame, so that nothing stands still. */
export class Backlog {
  /** @type {(() => void)[]} */
  #waiting = [];
  #next = 0;
  #left = AT_ONCE;
  /** When the last frame was, or something began to wait for one. */
  #since = 0;
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
    if (!this.isBehind) this.#since = this.#now();
    this.#waiting.push(run);
    if (this.#now() - this.#since > PATIENCE_MS) this.finish();
    else this.#ask();
  }

  /** Once a frame. @returns {boolean} whether there is still more */
  work() {
    this.#left = AT_ONCE;
    this.#since = this.#now();
    const end = this.#since + SLICE_MS;
    while (this.isBehind && this.#now() < end) this.#one();
    return this.isBehind;
  }

  /** Does all that waits. */
  finish() {
    this.#since = this.#now();
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

/** As many need no portions. */
const FEW = 500;
/** In a frame, in milliseconds. */
const PORTION_MS = 8;

/** Does to many things what is to be done to each: to few at once, to many a portion a frame, in the order they came. */
export class Portions {
  /** @type {{ list: () => readonly any[], each: (one: any) => unknown, all: readonly any[] | null, at: number }[]} `all`: null: not begun */
  #tasks = [];
  #now;

  /** @param {() => number} [now] milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  get isBusy() {
    return this.#tasks.length > 0;
  }

  /**
   * @template T
   * @param {() => readonly T[]} list asked for once its turn has come @param {(one: T) => unknown} each
   */
  do(list, each) {
    if (this.isBusy) return void this.#tasks.push({ list, each, all: null, at: 0 });
    const all = list();
    if (all.length <= FEW) { for (const one of all) each(one); }
    else this.#tasks.push({ list, each, all, at: 0 });
  }

  /** To be called once a frame. @returns {boolean} whether there is more to do */
  frame() {
    const end = this.#now() + PORTION_MS;
    while (this.#tasks.length > 0 && this.#now() < end) {
      const task = this.#tasks[0];
      task.all ??= task.list();
      if (task.at < task.all.length) task.each(task.all[task.at++]);
      else this.#tasks.shift();
    }
    return this.isBusy;
  }

  /** What is there is somebody else's now. */
  forget() {
    this.#tasks = [];
  }
}
