/** The contents of the sheets: the shapes and items of the scene by sheet. */

import { union } from './shapes.js';
import { sheetOf } from './sheets.js';

/**
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {import('./stroke.js').Bounds} Bounds
 */

/** The content of one sheet, with the properties of a scene. */
export class SheetContent {
  #scene;
  /** @type {Set<Drawable>} */
  #shapes = new Set();
  /** @type {Set<import('./item.js').Item>} */
  #items = new Set();
  /** @type {Bounds | null} valid if `#areBoundsRight` */
  #bounds = null;
  #areBoundsRight = true;

  /** @param {Pick<Scene, 'all'>} scene */
  constructor(scene) {
    this.#scene = scene;
  }

  /** @returns {readonly Drawable[]} in the order of drawing */
  get all() {
    return this.isEmpty ? [] : this.#scene.all.filter((one) => this.has(one));
  }

  get strokes() {
    return this.#shapes.size;
  }

  get pictures() {
    return [...this.#items].filter(({ isPicture }) => isPicture).length;
  }

  get files() {
    return this.#items.size - this.pictures;
  }

  get isEmpty() {
    return this.#shapes.size + this.#items.size === 0;
  }

  /** @returns {Bounds | null} */
  get bounds() {
    if (this.#areBoundsRight) return this.#bounds;
    this.#areBoundsRight = true;
    this.#bounds = null;
    for (const group of [this.#shapes, this.#items]) {
      for (const { bounds } of group) this.#bounds = union(this.#bounds, bounds);
    }
    return this.#bounds;
  }

  /** @param {Drawable} one */
  has(one) {
    return 'place' in one ? this.#items.has(one) : this.#shapes.has(one);
  }

  /** Adds an object, or applies its larger bounds. @param {Drawable} one */
  add(one) {
    if ('place' in one) {
      // An item is moved without being replaced.
      if (this.#items.has(one)) this.#areBoundsRight = false;
      this.#items.add(one);
    } else this.#shapes.add(one);
    if (this.#areBoundsRight) this.#bounds = union(this.#bounds, one.bounds);
  }

  /** @param {Drawable} one */
  remove(one) {
    if ('place' in one) this.#items.delete(one);
    else this.#shapes.delete(one);
    this.#areBoundsRight = false;
  }
}

/** The contents of all sheets. They are known from the first access on: a page with one sheet does not need them. */
export class SheetContents {
  #scene;
  /** The sheet of each object; null before the first access. @type {Map<Drawable, number> | null} */
  #sheets = null;
  /** @type {Map<number, SheetContent>} by the number of the sheet */
  #contents = new Map();

  /** @param {Pick<Scene, 'all' | 'observe'>} scene */
  constructor(scene) {
    this.#scene = scene;
  }

  /** @param {number} number @returns {SheetContent} */
  of(number) {
    this.#begin();
    return this.#content(number);
  }

  /** @returns {number[]} the sheets that are not empty */
  get filled() {
    this.#begin();
    return [...this.#contents].filter(([, content]) => !content.isEmpty).map(([number]) => number);
  }

  #begin() {
    if (this.#sheets) return;
    this.#sheets = new Map();
    for (const one of this.#scene.all) this.#put(one);
    const put = (/** @type {Drawable} */ one) => this.#put(one);
    this.#scene.observe({ shown: put, changed: put, hidden: (one) => this.#remove(one) });
  }

  /** @param {Drawable} one */
  #put(one) {
    const number = sheetOf(one.bounds);
    if ((this.#sheets?.get(one) ?? number) !== number) this.#remove(one);
    this.#sheets?.set(one, number);
    this.#content(number).add(one);
  }

  /** @param {Drawable} one */
  #remove(one) {
    const number = this.#sheets?.get(one);
    if (number === undefined) return;
    this.#sheets?.delete(one);
    this.#content(number).remove(one);
  }

  /** @param {number} number */
  #content(number) {
    let content = this.#contents.get(number);
    if (!content) this.#contents.set(number, content = new SheetContent(this.#scene));
    return content;
  }
}
