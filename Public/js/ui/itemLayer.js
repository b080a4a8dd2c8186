/** The list of pictures and files, each row where its item lies on the canvas. */

import { element } from './elements.js';
import { ItemRow } from './itemRow.js';

/**
 * @typedef {import('../canvas/camera.js').Camera} Camera
 * @typedef {import('../canvas/item.js').Item} Item
 *
 * @typedef {object} Parts
 * @property {import('../canvas/scene.js').Items} items
 * @property {import('../canvas/selection.js').Selection} selection
 * @property {Camera} camera
 * @property {import('./itemRow.js').Deeds} deeds
 * @property {() => void} ask for a frame
 */

export class ItemLayer {
  #list = element('items');
  #parts;
  /** @type {Map<Item, ItemRow>} */
  #rows = new Map();
  /** @type {WeakSet<ItemRow>} those that are outside of the view */
  #away = new WeakSet();
  #cameraVersion = -1;
  #isNew = true;
  #width = 0;
  #height = 0;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.items.watch({
      shown: (item) => this.#add(item),
      changed: () => this.changed(),
      hidden: (item) => this.#take(item),
    });
    parts.selection.addEventListener('change', () => this.changed());
    this.#list.addEventListener('focusin', ({ target }) => this.#reveal(/** @type {Node} */ (target)));
  }

  /** Something about an item is different. */
  changed() {
    this.#isNew = true;
  }

  /** @param {number} now milliseconds @param {number} width @param {number} height of the canvas @returns {boolean} whether another frame is needed */
  frame(now, width, height) {
    const isElsewhere = this.#cameraVersion !== this.#parts.camera.version || width !== this.#width ||
      height !== this.#height;
    if (!this.#isNew && !isElsewhere) return false;
    const { selection, camera } = this.#parts;
    if (this.#isNew) {
      this.#isNew = false;
      for (const [item, row] of this.#rows) if (row.show(selection.has(item.id), now)) this.#isNew = true;
    }
    this.#cameraVersion = camera.version;
    if (width !== this.#width || height !== this.#height) this.#away = new WeakSet();
    [this.#width, this.#height] = [width, height];
    /** @type {import('./panels.js').Box[]} */
    const panels = [];
    // The panel of what is chosen has room first, then those of what lies above.
    for (const item of new Set([selection.soleItem, ...this.#parts.items.all.toReversed()])) {
      const row = item && this.#rows.get(item);
      if (row) this.#place(item, row, panels);
    }
    return this.#isNew;
  }

  /** @param {Item} item @param {ItemRow} row @param {import('./panels.js').Box[]} panels that are seen already */
  #place(item, row, panels) {
    const box = this.#box(item);
    const isAway = box.left > this.#width || box.top > this.#height || box.left + box.width < 0 ||
      box.top + box.height < 0;
    // One that goes away is moved there once; where exactly it is then, nobody sees.
    if (isAway && this.#away.has(row)) return;
    if (isAway) this.#away.add(row);
    else this.#away.delete(row);
    const view = { width: this.#width, height: this.#height };
    const panel = row.place(box, view, panels, row.hasWords && this.#isCovered(item));
    if (panel) panels.push(panel);
  }

  /** What gets the focus outside of the view comes to its middle. @param {Node} focused */
  #reveal(focused) {
    const { camera, ask } = this.#parts;
    for (const [item, row] of this.#rows) {
      if (!this.#away.has(row) || !row.element.contains(focused)) continue;
      const { left, top, width, height } = this.#box(item);
      camera.pan((this.#width - width) / 2 - left, (this.#height - height) / 2 - top);
      ask();
    }
  }

  /** @param {Item} item @returns {boolean} whether another lies where its words and its link are */
  #isCovered(item) {
    const { x, y, width } = item.place;
    return this.#parts.items.at(item.isPicture ? x : x + 0.4 * width, y) !== item;
  }

  /** @param {Item} item @returns {{ left: number, top: number, width: number, height: number }} on the canvas */
  #box({ bounds, place }) {
    const [left, top] = this.#parts.camera.toCanvas(bounds.left, bounds.top);
    const { scale } = this.#parts.camera;
    return { left, top, width: place.width * scale, height: place.height * scale };
  }

  /** @param {Item} item */
  #add(item) {
    const row = new ItemRow(item, this.#parts.deeds);
    this.#rows.set(item, row);
    this.#list.append(row.element);
    this.changed();
  }

  /** @param {Item} item */
  #take(item) {
    this.#rows.get(item)?.element.remove();
    this.#rows.delete(item);
    this.changed();
  }
}
