/** What this person does: one shape that is made, and all that was done, to be undone. */

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {{ shape: Shape, before: Shape | null }} Made `before`: what it was; null: nothing
 */

/** One shape that is made or changed as a whole: a shape that is drawn out, a text that is typed. The others see it grow. */
export class Making {
  #shapes;
  #exchange;
  /** @type {(Made & { isSaid: boolean, isNews: boolean, saidAt: number }) | null} */
  #held = null;

  /** @param {import('../model/shapes.js').Shapes} shapes @param {import('../protocol/shapeSync.js').ShapeSync} exchange */
  constructor(shapes, exchange) {
    this.#shapes = shapes;
    this.#exchange = exchange;
  }

  /** @returns {Shape | null} as it is now */
  get shape() {
    return this.#held?.shape ?? null;
  }

  /**
   * It looks like that now.
   * @param {Shape} shape @param {boolean} isNews whether the others may see it so
   * @returns {boolean} whether it is still there: somebody may have removed it
   */
  hold(shape, isNews) {
    if (this.#held && !this.#shapes.find(shape.id)) {
      this.#held = null;
      return false;
    }
    this.#held ??= { shape, before: this.#shapes.find(shape.id), isSaid: false, isNews, saidAt: -Infinity };
    Object.assign(this.#held, { shape, isNews });
    shape.isFinished = false;
    this.#shapes.put(shape, { isHeld: true });
    return true;
  }

  /** Tells the others how it looks. @param {number} now @param {number} everyMs at most so often @returns {boolean} whether it has to wait */
  flush(now, everyMs) {
    const held = this.#held;
    if (!held?.isNews) return false;
    if (now - held.saidAt < everyMs) return true;
    this.#exchange.replace(held.shape, { existing: held.isSaid || held.before !== null });
    Object.assign(held, { isSaid: true, isNews: false, saidAt: now });
    return false;
  }

  /** It shall be as it is. @returns {Made | null} null: nothing has changed */
  end() {
    const held = this.#held;
    this.#held = null;
    if (!held || !this.#shapes.find(held.shape.id)) return null;
    const { shape, before, isSaid } = held;
    shape.finish();
    const isSame = before !== null && shape.looksLike(before);
    if (!isSame || isSaid) this.#exchange.replace(shape, { existing: isSaid || before !== null });
    this.#shapes.touched(shape.id);
    this.#shapes.release(shape.id);
    return isSame ? null : { shape, before };
  }

  /** It shall be as it was. @returns {Shape | null} that; null: nothing */
  cancel() {
    const held = this.#held;
    this.#held = null;
    if (!held || !this.#shapes.find(held.shape.id)) return null;
    const { shape, before, isSaid } = held;
    if (before) {
      this.#shapes.put(before);
      if (isSaid) this.#exchange.replace(before, { existing: true });
    } else {
      this.#shapes.remove(shape.id);
      if (isSaid) this.#exchange.remove(shape);
    }
    this.#shapes.release(shape.id);
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
