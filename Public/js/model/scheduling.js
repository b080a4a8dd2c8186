/** Schedulers that spread much work over several frames, so that the page stays responsive. */

/** The maximum number of functions that run immediately between two frames. */
const MAX_AT_ONCE = 60;
/** The duration of a time slice, in milliseconds. */
const SLICE_MS = 24;
/** The maximum wait for a frame. A hidden page gets no frames, so its queue would grow without end. */
const MAX_WAIT_MS = 3000;

/** A queue of functions: runs a few at once, and the rest in time slices, one slice per frame, in order. */
export class FrameQueue {
  /** @type {(() => void)[]} */
  #waiting = [];
  #next = 0;
  #leftBeforeFrame = MAX_AT_ONCE;
  /** The time of the last frame, or the time since when a function waits for one. */
  #waitingSince = 0;
  #requestFrame;
  #now;

  /**
   * @param {() => void} [requestFrame] requests a frame, in which `runSlice` is called @param {() => number} [now] milliseconds
   */
  constructor(requestFrame = () => {}, now = () => performance.now()) {
    this.#requestFrame = requestFrame;
    this.#now = now;
  }

  /** True if functions are waiting. */
  get hasPending() {
    return this.#next < this.#waiting.length;
  }

  /** Runs a function at once if none is waiting; otherwise runs it in a later slice. @param {() => void} run */
  add(run) {
    if (!this.hasPending && this.#leftBeforeFrame > 0) {
      this.#leftBeforeFrame -= 1;
      return run();
    }
    if (!this.hasPending) this.#waitingSince = this.#now();
    this.#waiting.push(run);
    if (this.#now() - this.#waitingSince > MAX_WAIT_MS) this.flush();
    else this.#requestFrame();
  }

  /** Runs one slice. To be called once a frame. @returns {boolean} true if functions are still waiting */
  runSlice() {
    this.#leftBeforeFrame = MAX_AT_ONCE;
    this.#waitingSince = this.#now();
    const end = this.#waitingSince + SLICE_MS;
    while (this.hasPending && this.#now() < end) this.#runNext();
    return this.hasPending;
  }

  /** Runs all waiting functions. */
  flush() {
    this.#waitingSince = this.#now();
    while (this.hasPending) this.#runNext();
  }

  #runNext() {
    const run = this.#waiting[this.#next];
    this.#next += 1;
    if (!this.hasPending) {
      this.#waiting = [];
      this.#next = 0;
    }
    run();
  }
}

/** The maximum length of a list that is processed at once. */
const MAX_AT_ONCE_PER_TASK = 500;
/** The time for a chunk in each frame, in milliseconds. */
const CHUNK_MS = 8;

/** A queue of tasks over long lists: processes a short list at once, and a long one in chunks, one chunk per frame, in order. */
export class ChunkedTasks {
  /**
   * @type {{ list: () => readonly any[], each: (one: any) => unknown, all: readonly any[] | null, at: number }[]} `all`: the
   *   list; null before its task begins; `at`: the next index
   */
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
   * @param {() => readonly T[]} list called when the task begins @param {(one: T) => unknown} each
   */
  run(list, each) {
    if (this.isBusy) return void this.#tasks.push({ list, each, all: null, at: 0 });
    const all = list();
    if (all.length <= MAX_AT_ONCE_PER_TASK) { for (const one of all) each(one); }
    else this.#tasks.push({ list, each, all, at: 0 });
  }

  /** Processes one chunk. To be called once a frame. @returns {boolean} true if there is more to do */
  frame() {
    const end = this.#now() + CHUNK_MS;
    while (this.#tasks.length > 0 && this.#now() < end) {
      const task = this.#tasks[0];
      task.all ??= task.list();
      if (task.at < task.all.length) task.each(task.all[task.at++]);
      else this.#tasks.shift();
    }
    return this.isBusy;
  }

  /** Drops all tasks. */
  reset() {
    this.#tasks = [];
  }
}
