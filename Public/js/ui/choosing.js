/** What is chosen: what a person can do with it, and how it is seen. */

import { Arranger } from '../edit/selectionCommands.js';
import { MotionExchange, Motions, movedBounds } from '../protocol/transformSync.js';
import { drawnBefore, overlap } from '../model/stroke.js';
import { Text } from '../model/text.js';
import { Selector } from '../tools/selector.js';
import { errorWords, words } from '../i18n/i18n.js';
import { announce, confirmed, toast } from './dialogs.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';

/**
 * @typedef {import('../model/shapes.js').Mark} Mark
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Marks} marks
 * @property {import('../model/scene.js').Items} items
 * @property {import('../model/spatialIndex.js').MarkIndex} index
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').Album} album
 * @property {import('../edit/undoHistory.js').History} history
 * @property {import('../model/camera.js').Camera} camera
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('./itemView.js').ItemView} itemView
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => void} ask for a frame
 */

/** How far what was duplicated lies from what it was, in pixels. */
const BESIDE = 20;

/** Choosing, wired: what is chosen and in hand, what is done to it, and what is seen of that. */
export class Choosing {
  #parts;
  #arranger;
  #exchange;
  #view;
  /** The tool. */
  selector;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { marks, album, camera, selection } = parts;
    const motions = new Motions(marks);
    this.#exchange = new MotionExchange(motions, (id, motion, by) => album.pull(id, motion, by));
    this.#arranger = new Arranger({ ...parts, motions, exchange: this.#exchange });
    this.selector = new Selector(parts, selection, this.#arranger, () => camera.scale);
    this.#view = new SelectionView({ ...parts, selector: this.selector, arranger: this.#arranger, deeds: this });
  }

  /** @param {import('../sync/groupSession.js').GroupSession | null} session from now on */
  follow(session) {
    this.selector.cancel();
    if (this.#parts.marks.size === 0) this.#arranger.forget();
    this.#exchange.follow(session);
  }

  /** They come from elsewhere. @param {Parameters<Arranger['bring']>} things @returns {string[]} their ids */
  bring(...things) {
    return this.#arranger.bring(...things);
  }

  /** @param {number} now @returns {boolean} whether another frame is needed */
  frame(now) {
    const { width, height } = this.#parts.view;
    const isBusy = this.#arranger.frame();
    this.#view.frame(width, height);
    return this.#exchange.frame(now) || isBusy;
  }

  async duplicate() {
    const { selection, camera } = this.#parts;
    this.selector.settle();
    try {
      selection.choose(await this.#arranger.duplicate(selection.ids, BESIDE / camera.scale));
    } catch (error) {
      toast(errorWords(error));
    }
  }

  bringToFront() {
    this.selector.settle();
    this.#arranger.bringToFront(this.#parts.selection.ids);
  }

  /** What is chosen gets another look. @param {(mark: Mark) => object} lookOf @returns {boolean} whether any mark is chosen */
  restyle(lookOf) {
    this.selector.settle();
    return this.#arranger.restyle(this.#parts.selection.ids, lookOf);
  }

  /** Chooses the next thing in the order of drawing, or the one before. @param {1 | -1} by */
  step(by) {
    const { marks, items, selection, camera, view } = this.#parts;
    const all = [...marks.all, ...items.all].sort(drawnBefore);
    if (all.length === 0) return;
    const { sole } = selection;
    const before = sole ? all.findIndex(({ id }) => id === sole.id) : by > 0 ? -1 : 0;
    const at = (before + by + all.length) % all.length;
    const one = all[at];
    this.selector.choose([one.id]);
    const { left, top, right, bottom } = one.bounds;
    if (!overlap(one.bounds, camera.seen(view.width, view.height))) {
      const [x, y] = camera.toCanvas((left + right) / 2, (top + bottom) / 2);
      camera.pan(view.width / 2 - x, view.height / 2 - y);
    }
    announce(`${nameOf(one)}, ${words.doneOf(words.number(at + 1), words.number(all.length))}`);
  }

  /** For everybody; asks first where that cannot be undone. */
  async remove() {
    const { selection, itemView } = this.#parts;
    this.selector.settle();
    const { soleItem, ids, size } = selection;
    if (size === 0) return;
    if (soleItem) return itemView.remove(soleItem);
    const isForGood = selection.items.some(({ blob }) => blob === null);
    const question = { title: words.removeThings(size), text: words.cannotComeBack, action: words.remove };
    if (isForGood && !await confirmed(question)) return;
    this.#arranger.remove(ids);
    announce(words.thingsRemoved(size));
  }
}

/** @param {import('../model/scene.js').Drawable} one @returns {string} for those who do not see it */
function nameOf(one) {
  if (one instanceof Text) return `${words.text}: ${one.text}`;
  if ('place' in one) return one.isPicture ? words.picture(one.name) : words.file(one.name);
  // Others may call theirs whatever they like.
  const name = { ...words }[/** @type {'pen'} */ (one.tool)];
  return typeof name === 'string' ? name : words.pen;
}

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 *
 * @typedef {object} ViewParts
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../tools/selector.js').Selector} selector
 * @property {import('../edit/selectionCommands.js').Arranger} arranger
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ duplicate: () => void, bringToFront: () => void, remove: () => void }} deeds
 * @property {() => void} ask for a frame
 */

/** Between what is chosen and the bar, and around the bar, in pixels; above and below are other bars. */
const GAP = 14;
const SIDE = 8;
const TOP = 64;
const BOTTOM = 84;

/** What is chosen: the box around it, with its corners; the bar beside it; and the box that is drawn to choose. */
export class SelectionView {
  #frame = element('chosen');
  #bar = element('chosen-bar');
  #box = element('marquee');
  #download = make('a', { class: 'tool', title: words.download });
  #parts;
  #shown = '';

  /** @param {ViewParts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { selection, selector, deeds, ask } = parts;
    this.#download.append(icon('download'));
    this.#bar.append(
      this.#download,
      button(icon('duplicate'), words.duplicate, words.duplicateTitle, () => deeds.duplicate()),
      button(icon('front'), words.bringToFront, words.bringToFrontTitle, () => deeds.bringToFront()),
      button(icon('remove'), words.remove, words.removeTitle, () => {
        element('canvas').focus();
        deeds.remove();
      }),
    );
    selection.addEventListener('change', () => {
      if (selection.size > 1) announce(words.thingsChosen(selection.size));
      ask();
    });
    selector.addEventListener('box', ask);
  }

  /** @param {number} width @param {number} height of the canvas */
  frame(width, height) {
    const { selection, selector, arranger, camera } = this.#parts;
    const { size, version } = selection;
    const { unshown, isHolding, isBusy } = arranger;
    // What is still being moved is nowhere yet.
    if (isBusy) {
      this.#shown = '';
      this.#frame.hidden = this.#bar.hidden = true;
      return;
    }
    const now = [version, camera.version, width, height, size, isHolding, unshown?.x, unshown?.y, unshown?.factor]
      .join();
    this.#show(this.#box, selector.box);
    if (now === this.#shown) return;
    this.#shown = now;
    const bounds = selection.bounds;
    const box = bounds && unshown ? movedBounds(bounds, unshown) : bounds;
    this.#show(this.#frame, box);
    this.#bar.hidden = box === null;
    if (!box) return;
    const { soleItem } = selection;
    this.#frame.toggleAttribute('data-fixed', soleItem?.isPicture === false);
    this.#frame.toggleAttribute('data-unshown', unshown !== null);
    this.#bar.toggleAttribute('data-away', isHolding);
    const source = soleItem?.source ?? null;
    this.#download.hidden = source === null;
    if (source && soleItem) {
      this.#download.href = source.url;
      this.#download.download = soleItem.name;
      this.#download.setAttribute('aria-label', words.downloadOf(soleItem.name));
    }
    this.#placeBar(box, width, height);
  }

  /** Above what is chosen, else below, else where there is room. @param {Bounds} box @param {number} width @param {number} height */
  #placeBar(box, width, height) {
    const { left, top, right, bottom } = this.#onCanvas(box);
    const { offsetWidth, offsetHeight } = this.#bar;
    const x = Math.max(SIDE, Math.min(width - offsetWidth - SIDE, (left + right - offsetWidth) / 2));
    const above = top - offsetHeight - GAP;
    const below = bottom + GAP;
    const lowest = height - offsetHeight - BOTTOM;
    const y = above >= TOP ? above : below <= lowest ? below : TOP;
    this.#bar.style.transform = `translate(${x.toFixed(1)}px, ${Math.min(y, lowest).toFixed(1)}px)`;
  }

  /** @param {HTMLElement} shown @param {Bounds | null} bounds */
  #show(shown, bounds) {
    shown.hidden = bounds === null;
    if (!bounds) return;
    const { left, top, right, bottom } = this.#onCanvas(bounds);
    shown.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    shown.style.width = `${(right - left).toFixed(1)}px`;
    shown.style.height = `${(bottom - top).toFixed(1)}px`;
  }

  /** @param {Bounds} bounds @returns {Bounds} in pixels */
  #onCanvas({ left, top, right, bottom }) {
    const { camera } = this.#parts;
    const [x, y] = camera.toCanvas(left, top);
    return { left: x, top: y, right: x + (right - left) * camera.scale, bottom: y + (bottom - top) * camera.scale };
  }
}

/** @param {Node} icon @param {string} label @param {string} title @param {() => void} done */
function button(icon, label, title, done) {
  const made = make('button', { type: 'button', class: 'tool', 'aria-label': label, title });
  made.append(icon);
  made.addEventListener('click', done);
  return made;
}
