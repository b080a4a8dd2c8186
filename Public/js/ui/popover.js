/** A panel that a button opens; the next touch outside of both closes it, and so does Escape. */
export class Popover {
  #button;
  #panel;

  /** @param {HTMLElement} button @param {HTMLElement} panel */
  constructor(button, panel) {
    this.#button = button;
    this.#panel = panel;
    button.addEventListener('click', () => this.#open(!this.#isOpen));
    document.addEventListener('pointerdown', ({ target }) => {
      if (target instanceof Node && !panel.contains(target) && !button.contains(target)) this.#open(false);
    }, { capture: true });
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close());
  }

  close() {
    if (!this.#isOpen) return;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#open(false);
    if (hadFocus) this.#button.focus();
  }

  get #isOpen() {
    return this.#panel.hasAttribute('data-open');
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#panel.toggleAttribute('data-open', isOpen);
    this.#button.setAttribute('aria-expanded', String(isOpen));
  }
}
