/** Choosing, wired: what is chosen and in hand, what is done to it, and what is seen of that. */

import { Arranger } from '../canvas/arranger.js';
import { MotionExchange, Motions } from '../canvas/motion.js';
import { drawnBefore, overlap } from '../canvas/stroke.js';
import { Text } from '../canvas/text.js';
import { Selector } from '../tools/selector.js';
import { errorWords, words } from '../words/words.js';
import { announce, confirmed, toast } from './dialogs.js';
import { SelectionView } from './selectionView.js';

/**
 * @typedef {import('../canvas/marks.js').Mark} Mark
 *
 * @typedef {object} Parts
 * @property {import('../canvas/marks.js').Marks} marks
 * @property {import('../canvas/scene.js').Items} items
 * @property {import('../canvas/markIndex.js').MarkIndex} index
 * @property {import('../canvas/drawing.js').Drawing} drawing
 * @property {import('../canvas/album.js').Album} album
 * @property {import('../canvas/history.js').History} history
 * @property {import('../canvas/camera.js').Camera} camera
 * @property {import('../canvas/selection.js').Selection} selection
 * @property {import('./itemView.js').ItemView} itemView
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => void} ask for a frame
 */

/** How far what was duplicated lies from what it was, in pixels. */
const BESIDE = 20;

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

  /** @param {import('../session/groupSession.js').GroupSession | null} session from now on */
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

/** @param {import('../canvas/scene.js').Drawable} one @returns {string} for those who do not see it */
function nameOf(one) {
  if (one instanceof Text) return `${words.text}: ${one.text}`;
  if ('place' in one) return one.isPicture ? words.picture(one.name) : words.file(one.name);
  // Others may call theirs whatever they like.
  const name = { ...words }[/** @type {'pen'} */ (one.tool)];
  return typeof name === 'string' ? name : words.pen;
}
