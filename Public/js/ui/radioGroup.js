/** Groups of native radio buttons that show drawings. The browser handles the tab and arrow keys. */

import { make } from './elements.js';

/**
 * Creates a label with a drawing, and a transparent radio button over it.
 * @param {string} kind its class
 * @param {{ label: string, title?: string }} names for screen readers and as a hint
 * @param {SVGElement} drawing
 * @returns {HTMLLabelElement}
 */
export function radioButton(kind, { label, title = label }, drawing) {
  const button = make('label', {}, make('input', { type: 'radio', 'aria-label': label, title }), drawing);
  button.classList.add('radio', kind);
  return button;
}

/** A group of radio buttons. The page decides which one is checked. */
export class RadioGroup {
  /** @type {HTMLInputElement[]} */
  #inputs;

  /**
   * @param {HTMLElement} parent gets the buttons after its other children; its id names their group
   * @param {HTMLLabelElement[]} buttons
   * @param {(index: number) => void} choose called for each button that is pressed or reached by an arrow key
   */
  constructor(parent, buttons, choose) {
    this.#inputs = buttons.map(({ control }) => /** @type {HTMLInputElement} */ (control));
    for (const input of this.#inputs) input.name = parent.id;
    parent.append(...buttons);
    // Not `change`: a press on the checked button chooses it again, for another tool or another selection.
    this.#inputs.forEach((input, index) => {
      input.addEventListener('click', () => choose(index));
      input.addEventListener('keydown', (event) => {
        // On a checked button, these keys cause no click.
        if (!input.checked || !['Enter', ' '].includes(event.key)) return;
        event.preventDefault();
        if (!event.repeat) choose(index);
      });
    });
  }

  /** Checks one of the buttons. @param {number} chosen its index; an index outside of the group checks none */
  show(chosen) {
    this.#inputs.forEach((input, index) => input.checked = index === chosen);
  }
}
