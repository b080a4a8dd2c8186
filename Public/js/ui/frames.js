/** Runs what is to be shown once a frame, and only while there is something to show. */
export class Frames {
  /** @type {((now: number) => boolean)[]} */
  #tasks = [];
  #isAsked = false;

  /** @param {((now: number) => boolean)[]} tasks in order; each says whether it needs another frame */
  run(...tasks) {
    this.#tasks.push(...tasks);
    this.ask();
  }

  /** There is something new to show. */
  ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame((now) => {
      this.#isAsked = false;
      const needs = this.#tasks.map((task) => task(now));
      if (needs.includes(true)) this.ask();
    });
  }
}
