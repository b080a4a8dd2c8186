/** The list of pictures and files, each row where its item lies on the canvas; and the frame around the one that is chosen. */

import { words } from '../words/words.js';
import { element, icon, make } from './elements.js';
import { ItemRow } from './itemRow.js';

/**
 * @typedef {import('../canvas/camera.js').Camera} Camera
 * @typedef {import('../canvas/item.js').Item} Item
 *
 * @typedef {object} Parts
 * @property {import('../canvas/items.js').Items} items
 * @property {import('../tools/selector.js').Selector} selector
 * @property {Camera} camera
 * @property {import('./itemRow.js').Deeds} deeds
 * @property {() => void} ask for a frame
 */

/** Of the bar over what is chosen, in pixels. */
const BAR = Object.freeze({ width: 108, height: 52 });
const TOP = 64;

export class ItemLayer {
  #list = element('items');
  #frame = element('chosen');
  #bar = element('chosen-bar');
  #download = make('a', { class: 'tool', title: words.download });
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
    parts.selector.addEventListener('change', () => this.changed());
    this.#list.addEventListener('focusin', ({ target }) => this.#reveal(/** @type {Node} */ (target)));
    this.#download.append(icon('download'));
    const remove = make('button', {
      type: 'button',
      class: 'tool',
      'aria-label': words.remove,
      title: words.removeTitle,
    });
    remove.append(icon('remove'));
    remove.addEventListener('click', () => {
      element('canvas').focus();
      const { chosen } = parts.selector;
      if (chosen) parts.deeds.remove(chosen);
    });
    this.#bar.append(this.#download, remove);
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
    const { selector, camera } = this.#parts;
    if (this.#isNew) {
      this.#isNew = false;
      for (const [item, row] of this.#rows) if (row.show(item === selector.chosen, now)) this.#isNew = true;
    }
    this.#cameraVersion = camera.version;
    if (width !== this.#width || height !== this.#height) this.#away = new WeakSet();
    [this.#width, this.#height] = [width, height];
    /** @type {import('./panelPlace.js').Box[]} */
    const panels = [];
    // The panel of what is chosen has room first, then those of what lies above.
    for (const item of new Set([selector.chosen, ...this.#parts.items.all.toReversed()])) {
      const row = item && this.#rows.get(item);
      if (row) this.#place(item, row, panels);
    }
    this.#showChosen(selector.chosen);
    return this.#isNew;
  }

  /** @param {Item} item @param {ItemRow} row @param {import('./panelPlace.js').Box[]} panels that are seen already */
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

  /** @param {Item | null} item */
  #showChosen(item) {
    this.#frame.hidden = this.#bar.hidden = item === null;
    if (!item) return;
    const { left, top, width, height } = this.#box(item);
    this.#frame.toggleAttribute('data-fixed', !item.isPicture);
    this.#frame.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    this.#frame.style.width = `${width.toFixed(1)}px`;
    this.#frame.style.height = `${height.toFixed(1)}px`;
    const x = Math.max(8, Math.min(this.#width - BAR.width - 8, left + (width - BAR.width) / 2));
    const y = Math.max(TOP, Math.min(this.#height - BAR.height - TOP, top - BAR.height - 14));
    this.#bar.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    const { source, name } = item;
    this.#download.hidden = source === null;
    if (!source) return;
    this.#download.href = source.url;
    this.#download.download = name;
    this.#download.setAttribute('aria-label', words.downloadOf(name));
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
