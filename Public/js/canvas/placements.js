/** Where pictures and files were put since they were added: what the session holds, what others pull at, and over it one's own. */

/**
 * @typedef {import('./placement.js').Placement} Placement
 * @typedef {import('./placement.js').Place} Place
 */

/** A hand that is not heard of any more has let go. */
const PULL_MS = 5000;

export class Placements {
  /** @type {Map<string, Placement>} what the session holds */
  #confirmed = new Map();
  /** @type {Map<string, Placement> | null} the same while it is told anew */
  #incoming = null;
  /** @type {Map<string, { placement: Placement, by: number, until: number }>} what others pull at right now */
  #pulls = new Map();
  /** @type {Map<string, { place: Place, pending: number, isHeld: boolean }>} */
  #own = new Map();

  /** @param {string} id @returns {Placement | null} null: where it was added */
  of(id) {
    return this.#own.get(id)?.place ?? this.#pulls.get(id)?.placement ?? this.#confirmed.get(id) ?? null;
  }

  /** @param {string} id @returns {Placement | null} the same, whoever else pulls at it */
  lying(id) {
    return this.#own.get(id)?.place ?? this.#confirmed.get(id) ?? null;
  }

  /** @param {string} id @returns {boolean} whether the session holds one, or will */
  isSaid(id) {
    return this.#confirmed.has(id) || (this.#own.get(id)?.pending ?? 0) > 0;
  }

  // What the session says, in its order.

  beginSnapshot() {
    this.#incoming = new Map();
  }

  endSnapshot() {
    if (this.#incoming) this.#confirmed = this.#incoming;
    this.#incoming = null;
  }

  /** @param {string} id @param {Placement} placement @param {number} by a participant's number */
  confirm(id, placement, by) {
    (this.#incoming ?? this.#confirmed).set(id, placement);
    if (this.#pulls.get(id)?.by === by) this.#pulls.delete(id);
  }

  /** @param {string} id */
  confirmRemoval(id) {
    (this.#incoming ?? this.#confirmed).delete(id);
  }

  /** Somebody pulls at it. @param {string} id @param {Placement} placement @param {number} by @param {number} now */
  pull(id, placement, by, now) {
    this.#pulls.set(id, { placement, by, until: now + PULL_MS });
  }

  /** @param {number} now @returns {string[]} ids of those nobody pulls at any more: they are back where they were */
  letGo(now) {
    const over = [...this.#pulls].filter(([, { until }]) => until <= now).map(([id]) => id);
    for (const id of over) this.#pulls.delete(id);
    return over;
  }

  get isPulled() {
    return this.#pulls.size > 0;
  }

  // What this person does, at once.

  /** @param {string} id @param {Place} place while it is held */
  hold(id, place) {
    const own = this.#own.get(id);
    this.#own.set(id, { place, pending: own?.pending ?? 0, isHeld: true });
  }

  /** @param {string} id */
  release(id) {
    const own = this.#own.get(id);
    if (!own) return;
    own.isHeld = false;
    this.#settle(id);
  }

  /** It is put there, and that is on its way to the session. @param {string} id @param {Place} place */
  put(id, place) {
    const own = this.#own.get(id);
    this.#own.set(id, { place, pending: (own?.pending ?? 0) + 1, isHeld: false });
  }

  /** It was put there before, and that is on its way once more. @param {string} id @param {Place} place */
  again(id, place) {
    const { pending = 0, isHeld = false } = this.#own.get(id) ?? {};
    this.#own.set(id, { place, pending: pending + 1, isHeld });
  }

  /** The session took it, or never will. @param {string} id */
  settled(id) {
    const own = this.#own.get(id);
    if (!own) return;
    own.pending = Math.max(0, own.pending - 1);
    this.#settle(id);
  }

  /** It is gone. @param {string} id */
  forget(id) {
    for (const space of [this.#confirmed, this.#pulls, this.#own]) space.delete(id);
  }

  clear() {
    for (const space of [this.#confirmed, this.#pulls, this.#own]) space.clear();
    this.#incoming = null;
  }

  /** @param {string} id */
  #settle(id) {
    const own = this.#own.get(id);
    if (own && own.pending === 0 && !own.isHeld) this.#own.delete(id);
  }
}
