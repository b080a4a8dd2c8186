/** Where somebody draws with a pen, fingers move the page: a hand that rests on it draws nothing. */

import { words } from '../words/words.js';
import { element } from './elements.js';
import { toast } from './notices.js';

export class Fingers {
  #settings;
  #button = element('fingers');
  #isPenSeen = false;
  #isTold = false;

  /** @param {import('./settings.js').Settings} settings */
  constructor(settings) {
    this.#settings = settings;
    this.#button.addEventListener('click', () => {
      settings.setFingersDraw(!settings.fingersDraw);
      this.#show();
    });
  }

  penSeen() {
    if (this.#isPenSeen) return;
    this.#isPenSeen = true;
    this.#button.hidden = false;
    this.#show();
  }

  /** One came down where a tool would draw. @returns {boolean} whether it moves the page instead */
  move() {
    if (!this.#isPenSeen || this.#settings.fingersDraw) return false;
    if (!this.#isTold && this.#settings.fingersDraw === null) toast(words.fingersMove);
    this.#isTold = true;
    return true;
  }

  #show() {
    this.#button.setAttribute('aria-pressed', String(this.#settings.fingersDraw === true));
  }
}
