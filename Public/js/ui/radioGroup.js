/** A row of buttons of which one is chosen: one stop for the tab key, arrows within. */

/** @typedef {{ button: HTMLButtonElement, choose: () => void }} Choice */

const STEPS = new Map([['ArrowRight', 1], ['ArrowDown', 1], ['ArrowLeft', -1], ['ArrowUp', -1]]);

export class RadioGroup {
  /** @type {Choice[]} */
  #choices;

  /** @param {HTMLElement} group @param {Choice[]} choices */
  constructor(group, choices) {
    this.#choices = choices;
    for (const { button, choose } of choices) {
      button.type = 'button';
      button.setAttribute('role', 'radio');
      button.addEventListener('click', choose);
    }
    group.replaceChildren(...choices.map(({ button }) => button));
    group.addEventListener('keydown', (event) => this.#key(event));
  }

  /** @param {number} chosen */
  show(chosen) {
    this.#choices.forEach(({ button }, index) => {
      button.setAttribute('aria-checked', String(index === chosen));
      button.tabIndex = index === Math.max(0, chosen) ? 0 : -1;
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = STEPS.get(event.key);
    const at = this.#choices.findIndex(({ button }) => button === event.target);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = this.#choices[(at + step + this.#choices.length) % this.#choices.length];
    next.button.focus();
    next.choose();
  }
}
