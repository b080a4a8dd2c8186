/** What this person did, to be undone and redone: nobody else's doing is in it. */

/** @typedef {{ undo: () => boolean, redo: () => boolean }} Deed each says whether what it is about was still there */

/** Older deeds stay done. */
const DEPTH = 500;

export class History {
  /** @type {Deed[]} */
  #done = [];
  /** @type {Deed[]} */
  #undone = [];

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /** @param {Deed} deed */
  did(deed) {
    this.#done.push(deed);
    if (this.#done.length > DEPTH) this.#done.shift();
    this.#undone = [];
  }

  /** @returns {Deed | null} the latest deed, which is now undone */
  undo() {
    const deed = this.#done.pop() ?? null;
    if (deed) this.#undone.push(deed);
    return deed;
  }

  /** @returns {Deed | null} the deed undone last, which is now done again */
  redo() {
    const deed = this.#undone.pop() ?? null;
    if (deed) this.#done.push(deed);
    return deed;
  }

  clear() {
    this.#done = [];
    this.#undone = [];
  }
}
