/** The scene: all shapes and items of the page in one drawing order. */

import { union } from './shapes.js';
import { isOn } from './hitTest.js';
import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./item.js').Item} Item
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./shapes.js').Shape} Shape
 * @typedef {Shape | Item} Drawable
 * @typedef {{ sender: number, before: Drawable | null, after: Drawable | null }} RemoteChange a change by the participant
 *   `sender`, with the displayed object before and after it
 * @typedef {object} Observer
 * @property {(one: Drawable) => void} shown
 * @property {(one: Drawable) => void} changed
 * @property {(one: Drawable) => void} hidden
 * @property {(one: Item) => void} [repainted] an animated picture shows another frame
 */

/** The pictures and files on the page, in the order of drawing. */
export class Items {
  /** @type {Map<string, Item>} */
  #items = new Map();
  /** @type {Item[]} */
  #order = [];
  /** @type {Set<Observer>} */
  #observers = new Set();

  /** @param {Observer} observer receives every change */
  observe(observer) {
    this.#observers.add(observer);
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

  /**
   * @param {number} x @param {number} y of the plane @param {number} [slack] points
   * @returns {Item | null} the topmost item at a point that is not locked
   */
  at(x, y, slack = 0) {
    const on = (/** @type {number} */ around) =>
      this.#order.findLast((item) => !item.isLocked && isOn(item, x, y, around));
    return on(0) ?? on(slack) ?? null;
  }

  /** @param {Item} item */
  add(item) {
    this.#items.set(item.id, item);
    this.#order.push(item);
    this.#order.sort(drawnBefore);
    this.#notify('shown', item);
  }

  /** Reports a changed appearance or placement. @param {Item} item */
  changed(item) {
    if (this.#items.get(item.id) !== item) return;
    item.version += 1;
    this.#order.sort(drawnBefore);
    this.#notify('changed', item);
  }

  /** Reports the next frame of an animated picture. Nothing else of the item has changed. @param {Item} item */
  repainted(item) {
    if (this.#items.get(item.id) !== item) return;
    item.version += 1;
    for (const { repainted } of this.#observers) repainted?.(item);
  }

  /** @param {Item} item */
  remove(item) {
    if (this.#items.get(item.id) !== item) return;
    this.#items.delete(item.id);
    this.#order.splice(this.#order.indexOf(item), 1);
    this.#notify('hidden', item);
  }

  /** @param {'shown' | 'changed' | 'hidden'} what @param {Item} item */
  #notify(what, item) {
    for (const observer of this.#observers) observer[what](item);
  }
}

/** The cost of painting a picture, in strokes. */
const STROKES_A_PICTURE = 20;

/** All shapes and items in one drawing order. */
export class Scene {
  #shapes;
  #items;
  /**
   * The content of the shown sheet; the scene itself if there is only one sheet.
   * @type {Pick<Scene, 'all' | 'bounds' | 'strokes' | 'pictures' | 'files' | 'isEmpty'>}
   */
  sheet = this;

  /** @param {import('./shapes.js').Shapes} shapes @param {Items} items */
  constructor(shapes, items) {
    this.#shapes = shapes;
    this.#items = items;
  }

  /** @param {Observer} observer receives every change */
  observe(observer) {
    this.#shapes.observe(observer);
    this.#items.observe(observer);
  }

  /** @returns {readonly Drawable[]} in the order of drawing */
  get all() {
    const items = this.#items.all;
    if (items.length === 0) return this.#shapes.all;
    /** @type {Drawable[]} */
    const all = [];
    let next = 0;
    for (const stroke of this.#shapes.all) {
      while (next < items.length && drawnBefore(items[next], stroke) < 0) all.push(items[next++]);
      all.push(stroke);
    }
    return [...all, ...items.slice(next)];
  }

  get strokes() {
    return this.#shapes.size;
  }

  get pictures() {
    return this.#items.all.filter(({ isPicture }) => isPicture).length;
  }

  get files() {
    return this.#items.size - this.pictures;
  }

  get isEmpty() {
    return this.#shapes.size + this.#items.size === 0;
  }

  /** The cost of painting the scene, in strokes. */
  get weight() {
    return this.#shapes.size + STROKES_A_PICTURE * this.#items.size;
  }

  /** @returns {Bounds | null} of everything displayed */
  get bounds() {
    return this.#items.all.reduce((all, { bounds }) => union(all, bounds), this.#shapes.bounds);
  }
}
