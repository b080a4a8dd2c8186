/** Breaks in long-running work, so that the page can handle input. */

/** The time between two breaks, in milliseconds. */
const SLICE_MS = 10;

export class Breaks {
  #now;
  #rest;
  #next;

  /** @param {() => number} [now] milliseconds @param {() => Promise<unknown>} [rest] ends after waiting events were handled */
  constructor(now = () => performance.now(), rest = nextTask) {
    this.#now = now;
    this.#rest = rest;
    this.#next = now() + SLICE_MS;
  }

  /** True if the work has lasted so long that it needs a break. */
  get isDue() {
    return this.#now() >= this.#next;
  }

  async take() {
    await this.#rest();
    this.#next = this.#now() + SLICE_MS;
  }
}

/** Waits for the next task of the event loop. A timer would wait longer: several in a row are delayed by 4 ms each. */
function nextTask() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });
}
