/** A row of the list of objects. */

import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { cssColor, make } from './elements.js';
import { icon } from './icons.js';

export class ObjectRow {
  #dot = make('span', { class: 'dot', 'aria-hidden': 'true' });
  #name = make('span', { class: 'name' });
  #choose = make('button', { type: 'button', class: 'object' }, this.#dot, this.#name);
  #remove = make('button', { type: 'button', class: 'small', title: strings.remove });
  /** The list item with the buttons of the row. */
  element = make('li', {}, this.#choose, this.#remove);
  key;

  /** @param {string} key of its entry @param {{ choose: () => void, remove: () => void }} actions */
  constructor(key, { choose, remove }) {
    this.key = key;
    this.#remove.append(icon('remove'));
    this.#choose.addEventListener('click', choose);
    this.#remove.addEventListener('click', remove);
    this.isCurrent = false;
  }

  /** @param {import('./objectsDialog.js').Entry} entry @param {boolean} canRemove */
  show({ group: { members: [first] }, name, isSelected }, canRemove) {
    // An unchanged text is not set again, because a screen reader might read it again.
    if (this.#name.textContent !== name) {
      this.#name.textContent = name;
      this.#remove.setAttribute('aria-label', laterStrings.removeObject(name));
    }
    this.#choose.toggleAttribute('data-selected', isSelected);
    if (isSelected) this.#choose.setAttribute('aria-current', 'true');
    else this.#choose.removeAttribute('aria-current');
    this.#remove.hidden = !canRemove;
    this.#dot.style.setProperty('--own', 'rgb' in first ? cssColor(first.rgb) : 'transparent');
  }

  /** True if the tab key reaches the row. */
  get isCurrent() {
    return this.#choose.tabIndex === 0;
  }

  set isCurrent(isCurrent) {
    for (const button of [this.#choose, this.#remove]) button.tabIndex = isCurrent ? 0 : -1;
  }

  get hasFocus() {
    return this.element.contains(document.activeElement);
  }

  focus() {
    this.#choose.focus();
  }
}
