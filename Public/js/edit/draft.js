/** The shape that this person is drawing out or typing. */

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {{ shape: Shape, before: Shape | null }} DraftResult `before`: what it was; null: nothing
 */

/** A shape in progress that is sent as a whole: a shape that is drawn out, or a text that is typed. The others see each step. */
export class Draft {
  #shapes;
  #sync;
  /** @type {(DraftResult & { isSent: boolean, isDirty: boolean, sentAt: number }) | null} */
  #current = null;

  /** @param {import('../model/shapes.js').Shapes} shapes @param {import('../protocol/shapeSync.js').ShapeSync} sync */
  constructor(shapes, sync) {
    this.#shapes = shapes;
    this.#sync = sync;
  }

  /** @returns {Shape | null} as it is now */
  get shape() {
    return this.#current?.shape ?? null;
  }

  /**
   * It looks like that now.
   * @param {Shape} shape @param {boolean} isDirty whether the others may see it so
   * @returns {boolean} whether it is still there: somebody may have removed it
   */
  update(shape, isDirty) {
    if (this.#current && !this.#shapes.find(shape.id)) {
      this.#current = null;
      return false;
    }
    this.#current ??= {
      shape,
      before: this.#shapes.find(shape.id),
      isSent: false,
      isDirty,
      sentAt: -Infinity,
    };
    Object.assign(this.#current, { shape, isDirty });
    shape.isFinished = false;
    this.#shapes.set(shape, { isDraft: true });
    return true;
  }

  /** Tells the others how it looks. @param {number} now @param {number} everyMs at most so often @returns {boolean} whether it has to wait */
  flush(now, everyMs) {
    const current = this.#current;
    if (!current?.isDirty) return false;
    if (now - current.sentAt < everyMs) return true;
    this.#sync.replace(current.shape, { existing: current.isSent || current.before !== null });
    Object.assign(current, { isSent: true, isDirty: false, sentAt: now });
    return false;
  }

  /** It shall be as it is. @returns {DraftResult | null} null: nothing has changed */
  end() {
    const current = this.#current;
    this.#current = null;
    if (!current || !this.#shapes.find(current.shape.id)) return null;
    const { shape, before, isSent } = current;
    shape.finish();
    const isSame = before !== null && shape.looksLike(before);
    if (!isSame || isSent) this.#sync.replace(shape, { existing: isSent || before !== null });
    this.#shapes.extended(shape.id);
    this.#shapes.endDraft(shape.id);
    return isSame ? null : { shape, before };
  }

  /** It shall be as it was. @returns {Shape | null} that; null: nothing */
  cancel() {
    const current = this.#current;
    this.#current = null;
    if (!current || !this.#shapes.find(current.shape.id)) return null;
    const { shape, before, isSent } = current;
    if (before) {
      this.#shapes.set(before);
      if (isSent) this.#sync.replace(before, { existing: true });
    } else {
      this.#shapes.remove(shape.id);
      if (isSent) this.#sync.remove(shape);
    }
    this.#shapes.endDraft(shape.id);
    return before;
  }
}
