/** The count of the shapes that an eraser removes. */

/** Counts the shapes that are removed from the page while it is active. */
export class ErasedCount {
  #isActive = false;
  /** The ids of the shapes that appeared and disappeared. */
  #shown = new Set();
  #hidden = new Set();

  /** @param {Pick<import('../model/shapes.js').Shapes, 'observe'>} shapes */
  constructor(shapes) {
    shapes.observe({
      // A changed shape is reported as hidden, and then as shown again.
      shown: ({ id }) => this.#isActive && !this.#hidden.delete(id) && this.#shown.add(id),
      changed: () => {},
      hidden: ({ id }) => this.#isActive && !this.#shown.delete(id) && this.#hidden.add(id),
    });
  }

  begin() {
    this.#isActive = true;
    this.#shown.clear();
    this.#hidden.clear();
  }

  /** @returns {number} the number of shapes that existed at the beginning and no longer exist */
  end() {
    this.#isActive = false;
    return this.#hidden.size;
  }
}
