/** Finds elements of the page and creates others, without markup in strings. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id @returns {T} the element of the page that has it
 */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return /** @type {T} */ (found);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, string>} [attributes] @param {(Node | string)[]} children text as text
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @param {string} tag @param {Record<string, string>} attributes @param {Node[]} children @returns {SVGElement} */
export function makeSVG(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @typedef {{ button: HTMLButtonElement, choose: () => void }} Choice */

const STEPS = new Map([['ArrowRight', 1], ['ArrowDown', 1], ['ArrowLeft', -1], ['ArrowUp', -1]]);

/** A row of buttons of which one is chosen: one stop for the tab key, arrows within. */
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
