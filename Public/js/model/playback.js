/** Plays a history: moves a position along its axis. Has no clock of its own. */

/** The speeds that can be chosen. */
export const SPEEDS = Object.freeze([1, 3, 10, 30, 100]);
/** The maximum step of the clock. A longer time without frames, such as in the background, counts as this step. */
const MAX_STEP_MS = 250;
/** The duration of a jump, for people who prefer reduced motion. */
const JUMP_MS = 1000;

export class Playback {
  speed = 10;
  #isPlaying = false;
  /** The time of the last call of `next`; null: the next call is the first one. @type {number | null} */
  #at = null;

  get isPlaying() {
    return this.#isPlaying;
  }

  play() {
    this.#isPlaying = true;
    this.#at = null;
  }

  pause() {
    this.#isPlaying = false;
  }

  /**
   * Returns the next position. At the end, the playback pauses.
   * @param {number} position @param {number} length of the axis @param {number} now milliseconds
   * @param {boolean} jumps true: one step each second @returns {number}
   */
  next(position, length, now, jumps) {
    if (!this.#isPlaying) return position;
    const passed = this.#at === null ? 0 : now - this.#at;
    if (jumps && this.#at !== null && passed < JUMP_MS) return position;
    this.#at = now;
    const step = Math.min(passed, jumps ? JUMP_MS : MAX_STEP_MS);
    const next = Math.min(length, position + step * this.speed);
    if (next >= length) this.pause();
    return next;
  }
}
