/** The shape that this person is drawing between two points, or the text that this person is typing. */

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {{ shape: Shape, before: Shape | null }} DraftResult `before`: the shape before the edit; null: it is new
 */

/**
 * A shape in progress: a shape that is being drawn between two points, or a text that is being typed. Each update sends the whole
 * shape, so the others see each step.
 */
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

  /** @returns {Shape | null} the current version */
  get shape() {
    return this.#current?.shape ?? null;
  }

  /**
   * Replaces the shape by a new version.
   * @param {Shape} shape @param {boolean} isDirty true if the others may see this version
   * @returns {boolean} false if another participant removed it
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

  /**
   * Sends the current version, at most once per interval.
   * @param {number} now @param {number} everyMs the interval @returns {boolean} true if it has to wait
   */
  flush(now, everyMs) {
    const current = this.#current;
    if (!current?.isDirty) return false;
    if (now - current.sentAt < everyMs) return true;
    this.#sync.replace(current.shape, { existing: current.isSent || current.before !== null });
    Object.assign(current, { isSent: true, isDirty: false, sentAt: now });
    return false;
  }

  /** Ends the edit and keeps the result. @returns {DraftResult | null} null: nothing has changed */
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

  /**
   * Ends the edit and restores the earlier version.
   * @returns {Shape | null} that version; null: the shape was new, and is removed
   */
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
