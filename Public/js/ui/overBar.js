/** What stands in place of the tools once the session has ended: the picture stays, to look at and to keep. */

import { words } from '../words/words.js';
import { element } from './elements.js';
import { announce } from './notices.js';

/**
 * @typedef {object} Parts
 * @property {import('../canvas/scene.js').Scene} scene
 * @property {() => void} save a copy
 * @property {() => void} start a new session
 */

export class OverBar {
  #scene;
  #copy = element('copy');

  /** @param {Parts} parts */
  constructor({ scene, save, start }) {
    this.#scene = scene;
    this.#copy.addEventListener('click', save);
    element('anew').addEventListener('click', start);
  }

  /** @param {boolean} isOver */
  show(isOver) {
    const { isEmpty } = this.#scene;
    const told = element('over-words');
    told.hidden = this.#copy.hidden = isEmpty;
    const { body } = document;
    if (isOver === body.hasAttribute('data-over')) return;
    body.toggleAttribute('data-over', isOver);
    if (isOver) announce(isEmpty ? words.overForLate : told.innerText);
  }
}
