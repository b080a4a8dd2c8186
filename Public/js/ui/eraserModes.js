/** The choice between erasing whole strokes and erasing parts of them. */

import { strings } from '../i18n/i18n.js';
import { announce } from './dialogs.js';
import { element } from './elements.js';
import { storageOr } from './settings.js';

const ERASER = 'drawtogether:eraser';

/** Shows the choice while the eraser is chosen. */
export class EraserModes {
  #storage = storageOr(() => localStorage);
  #use;
  #group = element('eraser-modes');
  /** Whole strokes, and parts. @type {HTMLInputElement[]} */
  #inputs;

  /** @param {(erasesParts: boolean) => void} use receives each choice */
  constructor(use) {
    this.#use = use;
    this.#inputs = [...this.#group.querySelectorAll('input')];
    this.#group.addEventListener('change', () => this.#choose(this.#inputs[1].checked));
    this.#choose(this.#storage.getItem(ERASER) === 'parts');
  }

  /** @param {string} tool */
  showFor(tool) {
    this.#group.hidden = tool !== 'eraser';
  }

  /** Switches to the other mode. */
  toggle() {
    const erasesParts = !this.#inputs[1].checked;
    this.#choose(erasesParts);
    announce(`${strings.erases}: ${erasesParts ? strings.partsOfStrokes : strings.wholeStrokes}`);
  }

  /** @param {boolean} erasesParts */
  #choose(erasesParts) {
    this.#inputs[Number(erasesParts)].checked = true;
    this.#use(erasesParts);
    try {
      this.#storage.setItem(ERASER, erasesParts ? 'parts' : 'strokes');
    } catch {
      // Storage is full: the choice lasts until the page is closed.
    }
  }
}
