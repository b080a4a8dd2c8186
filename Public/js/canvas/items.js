/** The pictures and files on the page, in the order of drawing. */

import { contains } from './grip.js';
import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./item.js').Item} Item
 * @typedef {{ shown: (item: Item) => void, changed: (item: Item) => void, hidden: (item: Item) => void }} Viewer
 */

export class Items {
  /** @type {Map<string, Item>} */
  #items = new Map();
  /** @type {Item[]} */
  #order = [];
  /** @type {Set<Viewer>} */
  #viewers = new Set();

  /** @param {Viewer} viewer is told of every change of what is to be seen */
  watch(viewer) {
    this.#viewers.add(viewer);
  }

  /** @returns {readonly Item[]} in the order of drawing */
  get all() {
    return this.#order;
  }

  get size() {
    return this.#order.length;
  }

  /** @param {string} id @returns {Item | null} */
  find(id) {
    return this.#items.get(id) ?? null;
  }

  /** @param {number} x @param {number} y of the plane @param {number} [slack] points @returns {Item | null} the topmost there */
  at(x, y, slack = 0) {
    const on = (/** @type {number} */ around) => this.#order.findLast(({ bounds }) => contains(bounds, x, y, around));
    return on(0) ?? on(slack) ?? null;
  }

  /** @param {Item} item */
  add(item) {
    this.#items.set(item.id, item);
    this.#order.push(item);
    this.#order.sort(drawnBefore);
    this.#tell('shown', item);
  }

  /** It looks different, or lies elsewhere. @param {Item} item */
  changed(item) {
    if (this.#items.get(item.id) !== item) return;
    item.version += 1;
    this.#order.sort(drawnBefore);
    this.#tell('changed', item);
  }

  /** @param {Item} item */
  remove(item) {
    if (this.#items.get(item.id) !== item) return;
    this.#items.delete(item.id);
    this.#order.splice(this.#order.indexOf(item), 1);
    this.#tell('hidden', item);
  }

  /** @param {keyof Viewer} what @param {Item} item */
  #tell(what, item) {
    for (const viewer of this.#viewers) viewer[what](item);
  }
}
