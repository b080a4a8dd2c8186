/** Marks in hand: where this person and others hold them right now, over where they lie. */

/**
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {import('./stroke.js').Motion} Motion
 */

/** A hand that is not heard of any more has let go. */
const HELD_MS = 5000;

export class Motions {
  #marks;
  /** @type {{ ids: ReadonlySet<string>, motion: Motion } | null} */
  #own = null;
  /** @type {Map<string, { motion: Motion, by: number, until: number }>} */
  #others = new Map();
  /** @type {WeakMap<Mark, Mark>} what is seen in a hand: what it is of */
  #under = new WeakMap();

  /** @param {import('./marks.js').Marks} marks */
  constructor(marks) {
    this.#marks = marks;
    marks.over = (mark) => this.#over(mark);
    marks.under = (mark) => this.#under.get(mark) ?? mark;
  }

  get isAnyHeld() {
    return this.#others.size > 0;
  }

  /** @param {string} id @returns {Mark | null} as it lies, whoever holds it */
  lying(id) {
    const mark = this.#marks.find(id);
    return mark && this.#marks.under(mark);
  }

  /** In this person's hand. @param {ReadonlySet<string>} ids the same until they are let go @param {Motion} motion from where they lie */
  hold(ids, motion) {
    this.#own = { ids, motion };
    for (const id of ids) this.#marks.refresh(id);
  }

  letGo() {
    const ids = this.#own?.ids ?? [];
    this.#own = null;
    for (const id of ids) this.#marks.refresh(id);
  }

  /** In somebody else's. @param {string} id @param {Motion} motion @param {number} by @param {number} now */
  pull(id, motion, by, now) {
    if (!this.#marks.find(id)) return;
    this.#others.set(id, { motion, by, until: now + HELD_MS });
    this.#marks.refresh(id);
  }

  /** It was put somewhere. @param {string} id @param {number} by a participant's number */
  put(id, by) {
    if (this.#others.get(id)?.by !== by) return;
    this.#others.delete(id);
    this.#marks.refresh(id);
  }

  /** @param {number} now in milliseconds; Infinity: nobody holds anything any more */
  letGoBefore(now) {
    const over = [...this.#others].filter(([, { until }]) => until <= now);
    for (const [id] of over) this.#others.delete(id);
    for (const [id] of over) this.#marks.refresh(id);
  }

  /** @param {Mark} mark as it lies @returns {Mark} as it is seen */
  #over(mark) {
    const { id } = mark;
    const motion = this.#own?.ids.has(id) ? this.#own.motion : this.#others.get(id)?.motion;
    if (!motion) return mark;
    const moved = mark.moved(motion);
    // What is painted anew each frame is not worth being kept painted.
    moved.isFinished = false;
    this.#under.set(moved, mark);
    return moved;
  }
}
