/** Does to many things what is to be done to each: to few at once, to many a portion a frame, in the order they came. */

/** As many are done at once. */
const AT_ONCE = 500;
/** In a frame, in milliseconds. */
const PORTION_MS = 8;

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
    if (all.length <= AT_ONCE) { for (const one of all) each(one); }
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
