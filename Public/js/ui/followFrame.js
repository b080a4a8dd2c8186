/** The frame around the page while it follows a person, and the bar with the button that stops following. */

import { textOn } from '../model/palette.js';
import { laterStrings } from '../i18n/later.js';
import { element, make } from './elements.js';

/** The frame in the color of the followed person. */
export class FollowFrame {
  #frame = make('div', { class: 'follow-frame', 'aria-hidden': 'true', hidden: '' });
  #name = make('span', { class: 'name' });
  #bar;

  /** @param {() => void} stop called when the person presses the button */
  constructor(stop) {
    const button = make('button', { type: 'button', class: 'quiet', title: laterStrings.stopTitle }, laterStrings.stop);
    button.addEventListener('click', stop);
    this.#bar = make('div', { class: 'follow-bar', role: 'region', hidden: '' }, this.#name, button);
    // The bar is before the tools, so that the tab key reaches its button first.
    element('tools').before(this.#frame, this.#bar);
  }

  /** @param {{ name: string, color: string } | null} person the followed person; null: none */
  show(person) {
    if (!person && this.#bar.contains(document.activeElement)) element('canvas').focus();
    this.#frame.hidden = this.#bar.hidden = person === null;
    document.documentElement.toggleAttribute('data-following', person !== null);
    if (!person) return;
    const label = laterStrings.following(person.name);
    this.#name.textContent = label;
    this.#bar.setAttribute('aria-label', label);
    for (const { style } of [this.#frame, this.#bar]) {
      style.setProperty('--own', person.color);
      style.setProperty('--on-own', textOn(person.color));
    }
  }
}
