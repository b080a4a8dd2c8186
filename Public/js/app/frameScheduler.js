/** Runs the page's tasks once per animation frame, and only if a frame was requested. */
export class FrameScheduler {
  /** @type {((now: number) => boolean)[]} */
  #tasks = [];
  #isRequested = false;

  /**
   * Adds tasks and requests a frame.
   * @param {((now: number) => boolean)[]} tasks in order; each returns true if it needs another frame
   */
  run(...tasks) {
    this.#tasks.push(...tasks);
    this.request();
  }

  /** Requests a frame. Several calls before that frame request only one. */
  request() {
    if (this.#isRequested) return;
    this.#isRequested = true;
    requestAnimationFrame((now) => {
      this.#isRequested = false;
      const needs = this.#tasks.map((task) => task(now));
      if (needs.includes(true)) this.request();
    });
  }
}
