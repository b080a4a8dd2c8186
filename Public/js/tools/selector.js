/** Takes hold of pictures and files: chooses one, moves it, and makes it larger or smaller by its corners. */

import { cornerAt, movedBy, pulled, scaled } from '../canvas/grip.js';

/**
 * @typedef {import('../canvas/album.js').Album} Album
 * @typedef {import('../canvas/grip.js').Corner} Corner
 * @typedef {import('../canvas/item.js').Item} Item
 * @typedef {import('../canvas/items.js').Items} Items
 * @typedef {import('../canvas/placement.js').Place} Place
 * @typedef {import('./pen.js').Sample} Sample
 */

/** Half the size of a target, in pixels. */
const REACH = 22;
/** Less than this is a tap, in pixels. */
const SLOP = 4;

/** Event: `change`, of what is chosen. */
export class Selector extends EventTarget {
  #album;
  #items;
  #scale;
  /** @type {Item | null} */
  #chosen = null;
  /** @type {{ item: Item, from: Place, corner: Corner | null, x: number, y: number, to: Place | null } | null} */
  #pull = null;
  /** What the keys did to it since it lay still. @type {{ item: Item, from: Place, to: Place } | null} */
  #push = null;

  /** @param {Album} album @param {Items} items @param {() => number} scale pixels a point */
  constructor(album, items, scale) {
    super();
    this.#album = album;
    this.#items = items;
    this.#scale = scale;
    items.watch({ shown: () => {}, changed: () => {}, hidden: (item) => this.#gone(item) });
  }

  /** @returns {Item | null} */
  get chosen() {
    return this.#chosen;
  }

  /** @param {Item | null} item */
  choose(item) {
    if (this.#chosen === item) return;
    this.settle();
    this.#chosen = item;
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Sample} sample */
  begin({ x, y }) {
    this.settle();
    const reach = REACH / this.#scale();
    const corner = this.#chosen?.isPicture ? cornerAt(this.#chosen.place, x, y, reach) : null;
    const item = corner ? this.#chosen : this.#items.at(x, y, reach / 2);
    this.choose(item);
    if (item) this.#pull = { item, from: item.place, corner, x, y, to: null };
  }

  /** @param {Sample[]} samples */
  move(samples) {
    const pull = this.#pull;
    const last = samples.at(-1);
    if (!pull || !last) return;
    const [dx, dy] = [last.x - pull.x, last.y - pull.y];
    if (!pull.to && Math.hypot(dx, dy) * this.#scale() < SLOP) return;
    pull.to = pull.corner ? pulled(pull.from, pull.corner, dx, dy) : movedBy(pull.from, dx, dy);
    this.#album.hold(pull.item, pull.to);
  }

  end() {
    const pull = this.#pull;
    this.#pull = null;
    if (pull?.to) this.#album.put(pull.item, pull.from, pull.to);
  }

  cancel() {
    const pull = this.#pull;
    this.#pull = null;
    if (pull?.to) this.#album.release(pull.item);
  }

  /** By a key that is held down. @param {number} dx @param {number} dy pixels @returns {boolean} whether anything is chosen */
  push(dx, dy) {
    return this.#pushTo((place) => movedBy(place, dx / this.#scale(), dy / this.#scale()));
  }

  /** By a key. @param {number} times as large @returns {boolean} whether anything is chosen that has a size of its own */
  grow(times) {
    if (!this.#chosen?.isPicture) return false;
    return this.#pushTo((place) => scaled(place, times));
  }

  /** The key is up: what it did is one deed. */
  settle() {
    const push = this.#push;
    this.#push = null;
    if (push) this.#album.put(push.item, push.from, push.to);
  }

  /** @param {(place: Place) => Place} change */
  #pushTo(change) {
    const item = this.#chosen;
    if (!item || this.#pull) return false;
    const push = this.#push ?? { item, from: item.place, to: item.place };
    push.to = change(push.to);
    this.#push = push;
    this.#album.hold(item, push.to);
    return true;
  }

  /** @param {Item} item */
  #gone(item) {
    if (this.#pull?.item === item) this.#pull = null;
    if (this.#push?.item === item) this.#push = null;
    if (this.#chosen === item) this.choose(null);
  }
}
