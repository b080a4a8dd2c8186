/** What is chosen: the box around it, with its corners; the bar beside it; and the box that is drawn to choose. */

import { movedBounds } from '../canvas/motion.js';
import { words } from '../words/words.js';
import { element, icon, make } from './elements.js';
import { announce } from './dialogs.js';

/**
 * @typedef {import('../canvas/stroke.js').Bounds} Bounds
 *
 * @typedef {object} Parts
 * @property {import('../canvas/selection.js').Selection} selection
 * @property {import('../tools/selector.js').Selector} selector
 * @property {import('../canvas/arranger.js').Arranger} arranger
 * @property {import('../canvas/camera.js').Camera} camera
 * @property {{ duplicate: () => void, bringToFront: () => void, remove: () => void }} deeds
 * @property {() => void} ask for a frame
 */

/** Between what is chosen and the bar, and around the bar, in pixels; above and below are other bars. */
const GAP = 14;
const SIDE = 8;
const TOP = 64;
const BOTTOM = 84;

export class SelectionView {
  #frame = element('chosen');
  #bar = element('chosen-bar');
  #box = element('marquee');
  #download = make('a', { class: 'tool', title: words.download });
  #parts;
  #shown = '';

  /** @param {Parts} parts */
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
