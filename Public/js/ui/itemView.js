/** The view of the pictures and files on the page. */

import { ItemPainter } from '../model/item.js';
import { errorText, strings } from '../i18n/i18n.js';
import { confirmed, toast } from './dialogs.js';
import { element } from './elements.js';

/**
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('./itemRow.js').ItemRow} ItemRow
 * @typedef {typeof import('./itemRow.js').ItemRow} ItemRowClass
 * @typedef {import('../model/camera.js').Camera} Camera
 *
 * @typedef {object} Parts
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../model/scene.js').Items} items
 * @property {Camera} camera
 * @property {import('../edit/selection.js').Selection} selection
 * @property {(item: Item) => void} choose
 * @property {MediaQueryList} reducedMotion matches if the person prefers pictures that do not move
 * @property {() => void} requestFrame
 */

/** The time without camera movement after which finer bitmaps are decoded. */
const CAMERA_REST_MS = 150;
/** Events within this time are reported in one message. */
const TOGETHER_MS = 400;

/** Pictures and files among the other elements of the page: their colors, bitmaps and rows. */
export class ItemView {
  /** Paints shapes and items in the colors of the page. */
  painter = new ItemPainter(pageColors());
  #parts;
  /** @type {import('../render/bitmaps.js').BitmapCache | null} null until it is loaded; until then, pictures are empty frames */
  #bitmaps = null;
  /** @type {import('../render/previews.js').PreviewCache | null} */
  #previews = null;
  /** @type {import('../render/animations.js').Animations | null} */
  #animations = null;
  #layer;
  #cameraVersion = 0;
  #cameraMovedAt = -Infinity;
  #isDirty = true;
  #wasLarge = false;
  /**
   * @type {Map<string, { names: string[], isShown: boolean }>} the current messages, by kind: the names of the files, and whether
   *   the message is shown
   */
  #announcements = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { itemStore, choose } = parts;
    const actions = {
      choose,
      remove: this.remove.bind(this),
      retryUpload: itemStore.retryUpload.bind(itemStore),
      retryLoad: itemStore.retryLoad.bind(itemStore),
      toggleMotion: this.#toggleMotion.bind(this),
    };
    this.#layer = new ItemLayer({ ...parts, actions });
    itemStore.addEventListener('change', () => this.#changed());
    itemStore.addEventListener('error', (event) => {
      const { item, error } = /** @type {CustomEvent} */ (event).detail;
      toast(errorText(error), { title: item.name, stays: true });
    });
    itemStore.addEventListener('itemadded', (event) => {
      const item = /** @type {CustomEvent<Item>} */ (event).detail;
      const by = item.by || strings.somebody;
      this.#announce(`added:${by}`, (what) => strings.adds(by, what), item.name);
    });
    itemStore.addEventListener(
      'itemremoved',
      (event) => this.#announce('removed', strings.removed, /** @type {CustomEvent<Item>} */ (event).detail.name),
    );
  }

  /** Creates rows for the items from now on. @param {ItemRowClass} Row */
  useRows(Row) {
    this.#layer.useRows(Row);
  }

  /**
   * Decodes and shows pictures from now on.
   * @param {typeof import('../render/bitmaps.js').BitmapCache} BitmapCache
   * @param {typeof import('../render/previews.js').PreviewCache} PreviewCache
   * @param {typeof import('../render/animations.js').Animations} Animations
   */
  showPictures(BitmapCache, PreviewCache, Animations) {
    const { itemStore: { placements }, items, reducedMotion } = this.#parts;
    this.#bitmaps = new BitmapCache(items, (item) => placements.pictureChanged(item));
    this.#previews = new PreviewCache(items, (item) => placements.pictureChanged(item));
    const animations = new Animations(items);
    this.#animations = animations;
    document.addEventListener('visibilitychange', () => document.hidden ? animations.stop() : this.#changed());
    reducedMotion.addEventListener('change', () => this.#changed());
    this.#changed();
  }

  /** Removes an item for everybody. Asks first if that cannot be undone. @param {Item} item */
  async remove(item) {
    const { itemStore, items } = this.#parts;
    const title = item.attachment ? strings.removeForAll(item.name) : strings.removeQuestion(item.name);
    const question = { title, text: strings.cannotComeBack, action: strings.remove, isDestructive: true };
    if (!item.blob && !await confirmed(question)) return;
    // Another participant may have removed the item while the dialog was open.
    if (items.find(item.id) !== item) return;
    itemStore.remove(item);
    toast(strings.youRemoved(item.name));
  }

  /** Calls a function after each change of the page's colors. @param {() => void} changed */
  watchColors(changed) {
    document.addEventListener('themechange', () => {
      this.painter.colors = pageColors();
      changed();
    });
  }

  /**
   * @param {number} now
   * @param {{ width: number, height: number, ratio: number, isLarge: boolean }} view the canvas, in pixels; `isLarge`: changes of the
   *   scene are expensive
   * @returns {boolean} true if another frame is needed
   */
  frame(now, { width, height, ratio, isLarge }) {
    const { camera, reducedMotion } = this.#parts;
    const needsFrame = this.#layer.frame(now, width, height);
    if (this.#cameraVersion !== camera.version) {
      this.#cameraVersion = camera.version;
      this.#cameraMovedAt = now;
      this.#isDirty = true;
    }
    if (this.#wasLarge !== isLarge) this.#isDirty = true;
    this.#wasLarge = isLarge;
    if (!this.#isDirty || !this.#bitmaps || this.#parts.items.size === 0) return needsFrame;
    if (now - this.#cameraMovedAt < CAMERA_REST_MS) return true;
    this.#isDirty = false;
    const seen = camera.seen(width, height);
    this.#bitmaps.update(seen, camera.scale * ratio);
    this.#previews?.update(seen);
    this.#animations?.update(seen, !isLarge && !reducedMotion.matches);
    return needsFrame;
  }

  /**
   * Shows one message for several files, including those that are added while it is shown.
   * @param {string} about the kind of event
   * @param {(what: string) => string} say returns the text
   * @param {string} name of the file
   */
  #announce(about, say, name) {
    const announcement = this.#announcements.get(about) ?? { names: [], isShown: true };
    this.#announcements.set(about, announcement);
    announcement.names.push(name);
    if (!announcement.isShown) return;
    announcement.isShown = false;
    setTimeout(() => {
      announcement.isShown = true;
      const { length } = announcement.names;
      const gone = () => this.#announcements.get(about) === announcement && this.#announcements.delete(about);
      toast(say(length > 1 ? strings.files(length) : announcement.names[0]), { about, gone });
    }, TOGETHER_MS);
  }

  /** @param {Item} item */
  #toggleMotion(item) {
    item.isPaused = !item.isPaused;
    this.#changed();
  }

  #changed() {
    this.#isDirty = true;
    this.#layer.changed();
    this.#parts.requestFrame();
  }
}

/** @returns {import('../model/item.js').Colors} */
export function pageColors() {
  const style = getComputedStyle(document.documentElement);
  const color = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    surface: color('surface'),
    raised: color('raised'),
    line: color('edge'),
    text: color('text'),
    soft: color('soft'),
    accent: color('accent'),
    font: style.fontFamily,
  };
}

/** The list of pictures and files. Each row lies over its item on the canvas. */
export class ItemLayer {
  #list = element('items');
  #parts;
  /** @type {ItemRowClass | null} null until it is loaded */
  #Row = null;
  /** @type {Map<Item, ItemRow>} */
  #rows = new Map();
  /** @type {WeakSet<ItemRow>} rows outside of the view */
  #away = new WeakSet();
  #cameraVersion = -1;
  #isDirty = true;
  #width = 0;
  #height = 0;

  /** @param {Omit<Parts, 'itemStore' | 'choose'> & { actions: import('./itemRow.js').ItemActions }} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.items.observe({
      shown: (item) => this.#addRow(item),
      changed: () => this.changed(),
      hidden: (item) => this.#removeRow(item),
    });
    parts.selection.addEventListener('change', () => this.changed());
    this.#list.addEventListener('focusin', ({ target }) => this.#reveal(/** @type {Node} */ (target)));
  }

  /** @param {ItemRowClass} Row */
  useRows(Row) {
    this.#Row = Row;
    for (const item of this.#parts.items.all) this.#addRow(item);
    this.#parts.requestFrame();
  }

  /** Updates the rows in the next frame. */
  changed() {
    this.#isDirty = true;
  }

  /**
   * @param {number} now milliseconds @param {number} width @param {number} height of the canvas
   * @returns {boolean} true if another frame is needed
   */
  frame(now, width, height) {
    const isElsewhere = this.#cameraVersion !== this.#parts.camera.version || width !== this.#width ||
      height !== this.#height;
    if (!this.#isDirty && !isElsewhere) return false;
    const { selection, camera } = this.#parts;
    if (this.#isDirty) {
      this.#isDirty = false;
      for (const [item, row] of this.#rows) if (row.show(selection.has(item.id), now)) this.#isDirty = true;
    }
    this.#cameraVersion = camera.version;
    if (width !== this.#width || height !== this.#height) this.#away = new WeakSet();
    [this.#width, this.#height] = [width, height];
    /** @type {import('./panelPlacement.js').Box[]} */
    const panels = [];
    // The panel of the selected item is placed first, then the others from the topmost item down.
    for (const item of new Set([selection.soleItem, ...this.#parts.items.all.toReversed()])) {
      const row = item && this.#rows.get(item);
      if (row) this.#place(item, row, panels);
    }
    return this.#isDirty;
  }

  /** @param {Item} item @param {ItemRow} row @param {import('./panelPlacement.js').Box[]} panels already placed ones */
  #place(item, row, panels) {
    const box = this.#box(item);
    const isAway = box.left > this.#width || box.top > this.#height || box.left + box.width < 0 ||
      box.top + box.height < 0;
    // A row that leaves the view is moved once. Later moves would be invisible.
    if (isAway && this.#away.has(row)) return;
    if (isAway) this.#away.add(row);
    else this.#away.delete(row);
    const view = { width: this.#width, height: this.#height };
    const panel = row.place(box, view, panels, row.hasWords && this.#isCovered(item));
    if (panel) panels.push(panel);
  }

  /** Moves the camera to an item outside of the view that gets the focus. @param {Node} focused */
  #reveal(focused) {
    const { camera, requestFrame } = this.#parts;
    for (const [item, row] of this.#rows) {
      if (!this.#away.has(row) || !row.element.contains(focused)) continue;
      const { left, top, width, height } = this.#box(item);
      camera.pan((this.#width - width) / 2 - left, (this.#height - height) / 2 - top);
      requestFrame();
    }
  }

  /** @param {Item} item @returns {boolean} true if another item covers its text and its link */
  #isCovered(item) {
    const { x, y, width } = item.place;
    return this.#parts.items.at(item.isPicture ? x : x + 0.4 * width, y) !== item;
  }

  /** @param {Item} item @returns {{ left: number, top: number, width: number, height: number }} on the canvas */
  #box({ bounds: { left, top, right, bottom } }) {
    const { camera, camera: { scale } } = this.#parts;
    const [x, y] = camera.toCanvas(left, top);
    return { left: x, top: y, width: (right - left) * scale, height: (bottom - top) * scale };
  }

  /** @param {Item} item */
  #addRow(item) {
    if (!this.#Row) return;
    const row = new this.#Row(item, this.#parts.actions);
    this.#rows.set(item, row);
    this.#list.append(row.element);
    this.changed();
  }

  /** @param {Item} item */
  #removeRow(item) {
    this.#rows.get(item)?.element.remove();
    this.#rows.delete(item);
    this.changed();
  }
}
