/** What this person does: one mark that is made, and all that was done, to be undone. */

/**
 * @typedef {import('../model/shapes.js').Mark} Mark
 * @typedef {{ mark: Mark, before: Mark | null }} Made `before`: what it was; null: nothing
 */

/** One mark that is made or changed as a whole: a shape that is drawn out, a text that is typed. The others see it grow. */
export class Making {
  #marks;
  #exchange;
  /** @type {(Made & { isSaid: boolean, isNews: boolean, saidAt: number }) | null} */
  #held = null;

  /** @param {import('../model/shapes.js').Marks} marks @param {import('../protocol/shapeSync.js').MarkExchange} exchange */
  constructor(marks, exchange) {
    this.#marks = marks;
    this.#exchange = exchange;
  }

  /** @returns {Mark | null} as it is now */
  get mark() {
    return this.#held?.mark ?? null;
  }

  /**
   * It looks like that now.
   * @param {Mark} mark @param {boolean} isNews whether the others may see it so
   * @returns {boolean} whether it is still there: somebody may have removed it
   */
  hold(mark, isNews) {
    if (this.#held && !this.#marks.find(mark.id)) {
      this.#held = null;
      return false;
    }
    this.#held ??= { mark, before: this.#marks.find(mark.id), isSaid: false, isNews, saidAt: -Infinity };
    Object.assign(this.#held, { mark, isNews });
    mark.isFinished = false;
    this.#marks.put(mark, { isHeld: true });
    return true;
  }

  /** Tells the others how it looks. @param {number} now @param {number} everyMs at most so often @returns {boolean} whether it has to wait */
  flush(now, everyMs) {
    const held = this.#held;
    if (!held?.isNews) return false;
    if (now - held.saidAt < everyMs) return true;
    this.#exchange.replace(held.mark, { existing: held.isSaid || held.before !== null });
    Object.assign(held, { isSaid: true, isNews: false, saidAt: now });
    return false;
  }

  /** It shall be as it is. @returns {Made | null} null: nothing has changed */
  end() {
    const held = this.#held;
    this.#held = null;
    if (!held || !this.#marks.find(held.mark.id)) return null;
    const { mark, before, isSaid } = held;
    mark.finish();
    const isSame = before !== null && mark.looksLike(before);
    if (!isSame || isSaid) this.#exchange.replace(mark, { existing: isSaid || before !== null });
    this.#marks.touched(mark.id);
    this.#marks.release(mark.id);
    return isSame ? null : { mark, before };
  }

  /** It shall be as it was. @returns {Mark | null} that; null: nothing */
  cancel() {
    const held = this.#held;
    this.#held = null;
    if (!held || !this.#marks.find(held.mark.id)) return null;
    const { mark, before, isSaid } = held;
    if (before) {
      this.#marks.put(before);
      if (isSaid) this.#exchange.replace(before, { existing: true });
    } else {
      this.#marks.remove(mark.id);
      if (isSaid) this.#exchange.remove(mark);
    }
    this.#marks.release(mark.id);
    return before;
  }
}

/** @typedef {{ undo: () => boolean, redo: () => boolean }} Deed each says whether what it is about was still there */

/** Older deeds stay done. */
const DEPTH = 500;

/** What this person did, to be undone and redone: nobody else's doing is in it. */
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
