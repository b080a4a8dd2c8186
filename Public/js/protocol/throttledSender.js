/** Sends the newest value of something that changes often: at most once per interval. @template T */
export class ThrottledSender {
  #send;
  #intervalMs;
  #repeatMs;
  /** @type {T | null} */
  #value = null;
  #isDirty = false;
  #sentAt = -Infinity;

  /**
   * @param {(value: T) => void} send @param {number} intervalMs between two values
   * @param {number} [repeatMs] the time after which an unchanged value is sent again
   */
  constructor(send, intervalMs, repeatMs = Infinity) {
    this.#send = send;
    this.#intervalMs = intervalMs;
    this.#repeatMs = repeatMs;
  }

  /** @returns {T | null} the newest value; null before `set` and after `end` */
  get value() {
    return this.#value;
  }

  /** Sends a value with the next frame that is due. @param {T} value */
  set(value) {
    this.#value = value;
    this.#isDirty = true;
  }

  /** Stops sending and repeating. @returns {boolean} true if a value was sent */
  end() {
    const wasSent = this.#sentAt > -Infinity;
    this.#value = null;
    this.#sentAt = -Infinity;
    return wasSent;
  }

  /** @param {number} now milliseconds @returns {boolean} true if a later frame may have something to send */
  frame(now) {
    if (this.#value === null) return false;
    if (now - this.#sentAt >= (this.#isDirty ? this.#intervalMs : this.#repeatMs)) {
      this.#isDirty = false;
      this.#sentAt = now;
      this.#send(this.#value);
    }
    return this.#isDirty || this.#repeatMs < Infinity;
  }
}

/**
 * The minimum interval between messages of a changing drag; and the interval of messages of an unchanged drag, which is shorter
 * than the timeout of the others.
 */
const DRAG_INTERVAL_MS = 50;
const DRAG_REPEAT_MS = 2000;

/** Returns a sender for the drags of this person. @template T @param {(drag: T) => void} send */
export function dragSender(send) {
  return new ThrottledSender(send, DRAG_INTERVAL_MS, DRAG_REPEAT_MS);
}
