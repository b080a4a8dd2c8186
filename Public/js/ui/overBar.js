/** What stands in place of the tools once the session has ended: the picture stays, to look at and to keep. */

import { copyOf } from '../canvas/copy.js';
import { element, make } from './elements.js';
import { announce, toast } from './notices.js';

/** So long a browser may take to begin with a download. */
const KEPT_MS = 60_000;
/** What whoever comes too late finds. */
export const OVER = 'This session has ended. Its picture stays with those who were in it.';

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
    const words = element('over-words');
    words.hidden = this.#copy.hidden = isEmpty;
    const { body } = document;
    if (isOver === body.hasAttribute('data-over')) return;
    body.toggleAttribute('data-over', isOver);
    if (isOver) announce(isEmpty ? OVER : words.innerText);
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
        toast(`Saved without ${missing === 1 ? 'a picture' : `${missing} pictures`} that cannot be loaded.`);
      }
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
    this.#copy.disabled = false;
  }
}
