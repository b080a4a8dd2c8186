/** The selection: the ids of selected shapes and items. Removed and locked ones are deselected. */

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/shapes.js').Shape} Shape
 */

/** Event: `change`, of the selected ids. */
export class Selection extends EventTarget {
  #shapes;
  #items;
  /** @type {Set<string>} */
  #ids = new Set();
  /** @type {Bounds | null} null: to be computed */
  #bounds = null;
  #mayBeGone = false;
  /** Counts changes of the selected ids, and of the shapes and items themselves. */
  version = 0;

  /** @param {import('../model/shapes.js').Shapes} shapes @param {import('../model/scene.js').Items} items */
  constructor(shapes, items) {
    super();
    this.#shapes = shapes;
    this.#items = items;
    const touched = (/** @type {Drawable} */ { id, isLocked }) => this.#touched(id, isLocked);
    const observer = {
      shown: touched,
      changed: touched,
      hidden: (/** @type {Drawable} */ one) => this.#touched(one.id, true),
    };
    shapes.observe(observer);
    items.observe(observer);
  }

  /** @returns {ReadonlySet<string>} */
  get ids() {
    this.#settle();
    return this.#ids;
  }

  get size() {
    return this.ids.size;
  }

  /** @param {string} id */
  has(id) {
    return this.#ids.has(id);
  }

  /** @returns {Shape[]} the selected shapes, as displayed */
  get shapes() {
    return [...this.ids].map((id) => this.#shapes.find(id)).filter((shape) => shape !== null);
  }

  /** @returns {Item[]} */
  get items() {
    return [...this.ids].map((id) => this.#items.find(id)).filter((item) => item !== null);
  }

  /** @returns {Drawable | null} the selected shape or item; null if none or several are selected */
  get sole() {
    const [id] = this.ids;
    return this.#ids.size === 1 ? this.#items.find(id) ?? this.#shapes.find(id) : null;
  }

  /** @returns {Item | null} the selected picture or file, if nothing else is selected */
  get soleItem() {
    const { sole } = this;
    return sole && 'place' in sole ? sole : null;
  }

  /** @returns {Bounds | null} of the whole selection */
  get bounds() {
    if (this.size === 0) return null;
    if (this.#bounds) return this.#bounds;
    const { bounds, size } = this.#shapes;
    // If everything is selected, the bounds of all shapes are already known.
    const shapes = bounds && this.size === size + this.#items.size ? [{ bounds }] : this.shapes;
    this.#bounds = around([...shapes, ...this.items]);
    return this.#bounds;
  }

  /** Replaces the selection. Locked shapes and items are left out. @param {Iterable<string>} ids */
  choose(ids) {
    const chosen = new Set([...ids].filter((id) => !(this.#shapes.find(id) ?? this.#items.find(id))?.isLocked));
    if (chosen.size === this.#ids.size && [...chosen].every((id) => this.#ids.has(id))) return;
    this.#ids = chosen;
    this.#changed();
  }

  /** Adds an id to the selection, or removes it. @param {string} id */
  toggle(id) {
    if (!this.#ids.delete(id)) this.#ids.add(id);
    this.#changed();
  }

  /** @param {string} id @param {boolean} [mayBeGone] */
  #touched(id, mayBeGone = false) {
    if (!this.#ids.has(id)) return;
    this.#bounds = null;
    this.version += 1;
    // A change hides the old version first, so a hidden shape may still exist. `#settle` checks this at the next access.
    this.#mayBeGone ||= mayBeGone;
  }

  #settle() {
    if (!this.#mayBeGone) return;
    this.#mayBeGone = false;
    const there = [...this.#ids].filter((id) => (this.#shapes.find(id) ?? this.#items.find(id))?.isLocked === false);
    if (there.length === this.#ids.size) return;
    this.#ids = new Set(there);
    this.#changed();
  }

  #changed() {
    this.#bounds = null;
    this.version += 1;
    this.dispatchEvent(new Event('change'));
  }
}

/** @param {{ bounds: Bounds }[]} things at least one @returns {Bounds} */
function around(things) {
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { bounds: { left, top, right, bottom } } of things) {
    all.left = Math.min(all.left, left);
    all.top = Math.min(all.top, top);
    all.right = Math.max(all.right, right);
    all.bottom = Math.max(all.bottom, bottom);
  }
  return all;
}
