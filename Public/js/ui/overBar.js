/** What stands in place of the tools once the session has ended: the picture stays, to look at and to keep. */

import { copyOf } from '../canvas/copy.js';
import { errorWords, words } from '../words/words.js';
import { element, make } from './elements.js';
import { announce, toast } from './notices.js';

/** So long a browser may take to begin with a download. */
const KEPT_MS = 60_000;

/**
 * @typedef {object} Parts
 * @property {import('../canvas/scene.js').Scene} scene
 * @property {import('../canvas/layer.js').Paint} paint
 * @property {() => void} start a new session
 */

export class OverBar {
  #parts;
  #copy = /** @type {HTMLButtonElement} */ (element('copy'));

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#copy.addEventListener('click', () => this.save());
    element('anew').addEventListener('click', () => parts.start());
  }

  /** @param {boolean} isOver */
  show(isOver) {
    const { isEmpty } = this.#parts.scene;
    const told = element('over-words');
    told.hidden = this.#copy.hidden = isEmpty;
    const { body } = document;
    if (isOver === body.hasAttribute('data-over')) return;
    body.toggleAttribute('data-over', isOver);
    if (isOver) announce(isEmpty ? words.overForLate : told.innerText);
  }

  /** Gives the person the picture as a file. */
  async save() {
    const { scene, paint } = this.#parts;
    this.#copy.disabled = true;
    try {
      const { blob, missing } = await copyOf(scene, paint, getComputedStyle(document.body).backgroundColor);
      const href = URL.createObjectURL(blob);
      make('a', { href, download: `Draw Together ${new Date().toLocaleDateString('sv')}.png` }).click();
      setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
      if (missing > 0) {
        toast(words.savedWithout(missing));
      }
    } catch (error) {
      toast(errorWords(error));
    }
    this.#copy.disabled = false;
  }
}
