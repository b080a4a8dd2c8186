/** Pictures and files among the other elements of the page: their colors, bitmaps and rows. */

import { Bitmaps } from '../canvas/bitmaps.js';
import { ItemPainter } from '../canvas/itemPainter.js';
import { errorWords, words } from '../words/words.js';
import { confirmed, toast } from './dialogs.js';
import { ItemLayer } from './itemLayer.js';

/**
 * @typedef {import('../canvas/item.js').Item} Item
 *
 * @typedef {object} Parts
 * @property {import('../canvas/album.js').Album} album
 * @property {import('../canvas/scene.js').Items} items
 * @property {import('../canvas/camera.js').Camera} camera
 * @property {import('../canvas/selection.js').Selection} selection
 * @property {(item: Item) => void} choose
 * @property {() => void} ask for a frame
 */

/** Until the camera rests this long, no finer bitmaps are made. */
const CAMERA_REST_MS = 150;
/** What happens within this time is said in one. */
const TOGETHER_MS = 400;

export class ItemView {
  /** Paints what is drawn, in the colors of the page. */
  painter = new ItemPainter(pageColors());
  #parts;
  #bitmaps;
  #layer;
  #cameraVersion = 0;
  #cameraMovedAt = -Infinity;
  #isNew = true;
  /** @type {Map<string, { names: string[], isSaid: boolean }>} what is being said: what happened, and to which files */
  #told = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { album, items, choose } = parts;
    this.#bitmaps = new Bitmaps(items, (item) => album.improved(item));
    const deeds = {
      choose,
      remove: this.remove.bind(this),
      addAgain: album.addAgain.bind(album),
      loadAgain: album.tryAgain.bind(album),
    };
    this.#layer = new ItemLayer({ ...parts, deeds });
    album.addEventListener('change', () => this.#changed());
    album.addEventListener('error', (event) => {
      const { item, error } = /** @type {CustomEvent} */ (event).detail;
      toast(errorWords(error), { title: item.name, stays: true });
    });
    album.addEventListener('appeared', (event) => {
      const item = /** @type {CustomEvent<Item>} */ (event).detail;
      const by = item.by || words.somebody;
      this.#tell(`added:${by}`, (what) => words.adds(by, what), item.name);
    });
    album.addEventListener(
      'vanished',
      (event) => this.#tell('removed', words.removed, /** @type {CustomEvent<Item>} */ (event).detail.name),
    );
  }

  /** Takes it away, for everybody; asks first where that cannot be undone. @param {Item} item */
  async remove(item) {
    const { album, items } = this.#parts;
    const title = item.attachment ? words.removeForAll(item.name) : words.removeQuestion(item.name);
    const question = { title, text: words.cannotComeBack, action: words.remove };
    if (!item.blob && !await confirmed(question)) return;
    // Somebody may have been quicker.
    if (items.find(item.id) !== item) return;
    album.remove(item);
    toast(words.youRemoved(item.name));
  }

  /** Calls back when the page has other colors. @param {() => void} changed */
  watchColors(changed) {
    document.addEventListener('themechange', () => {
      this.painter.colors = pageColors();
      changed();
    });
  }

  /** @param {number} now @param {{ width: number, height: number, ratio: number }} view the canvas, in pixels @returns {boolean} whether another frame is needed */
  frame(now, { width, height, ratio }) {
    const { camera } = this.#parts;
    const isBehind = this.#layer.frame(now, width, height);
    if (this.#cameraVersion !== camera.version) {
      this.#cameraVersion = camera.version;
      this.#cameraMovedAt = now;
      this.#isNew = true;
    }
    if (!this.#isNew || this.#parts.items.size === 0) return isBehind;
    if (now - this.#cameraMovedAt < CAMERA_REST_MS) return true;
    this.#isNew = false;
    this.#bitmaps.show(camera.seen(width, height), camera.scale * ratio);
    return isBehind;
  }

  /**
   * Says it of several at once, also of those that come while it is said.
   * @param {string} about what is alike @param {(what: string) => string} say what happened @param {string} name to what
   */
  #tell(about, say, name) {
    const told = this.#told.get(about) ?? { names: [], isSaid: true };
    this.#told.set(about, told);
    told.names.push(name);
    if (!told.isSaid) return;
    told.isSaid = false;
    setTimeout(() => {
      told.isSaid = true;
      const { length } = told.names;
      const gone = () => this.#told.get(about) === told && this.#told.delete(about);
      toast(say(length > 1 ? words.files(length) : told.names[0]), { about, gone });
    }, TOGETHER_MS);
  }

  #changed() {
    this.#isNew = true;
    this.#layer.changed();
    this.#parts.ask();
  }
}

/** @returns {import('../canvas/itemPainter.js').Colors} */
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
