/** Tells the others where this person's pointer is: no more often than they can see. */

/** About 30 a second. */
const EVERY_MS = 33;
/** Its type on the wire. */
export const CURSOR_TYPE = 'CursorMessage';

export class CursorSender {
  #send;
  /** @type {[number, number] | null} */
  #point = null;
  #isNews = false;
  #sentAt = -Infinity;

  /** @param {(message: { point?: [number, number] }) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /** @param {[number, number] | null} point of the plane; null: the pointer left */
  moved(point) {
    if (point === null && this.#point === null) return;
    this.#point = point && [Math.round(point[0] * 10) / 10, Math.round(point[1] * 10) / 10];
    this.#isNews = true;
  }

  /** @param {number} now milliseconds @returns {boolean} whether there is something left to be told in a later frame */
  frame(now) {
    if (!this.#isNews) return false;
    if (now - this.#sentAt < EVERY_MS) return true;
    this.#sentAt = now;
    this.#isNews = false;
    this.#send(this.#point ? { point: this.#point } : {});
    return false;
  }
}
