/** Panels: those that a button opens, and where one lies that belongs to something on the page. */

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

/**
 * @typedef {import('../canvas/placement.js').Size} Size
 * @typedef {{ left: number, top: number, width: number, height: number }} Box on the canvas, in pixels
 */

/** Around what is over the page, in pixels: the header and the tools. */
const EDGE = 8;
const TOP = 64;
const BOTTOM = 84;

/**
 * Where the panel of an upload lies: below its item, as far as that is seen, and upon no other panel.
 * @param {Box} item @param {Size} panel @param {Size} view @param {Box[]} taken by other panels
 * @returns {Box | null} null: the item is outside of the view, or there is no room
 */
export function panelPlace(item, { width, height }, view, taken) {
  const bottom = item.top + item.height;
  const isSeen = item.left < view.width && item.left + item.width > 0 && item.top < view.height - BOTTOM &&
    bottom > TOP;
  if (!isSeen) return null;
  const left = within(item.left + (item.width - width) / 2, EDGE, view.width - width - EDGE);
  // Below it; else upon its lower part.
  for (const wanted of [bottom + EDGE, bottom - height - EDGE]) {
    const box = { left, top: within(wanted, TOP, view.height - height - BOTTOM), width, height };
    if (!taken.some((other) => meet(box, other))) return box;
  }
  return null;
}

/** @param {Box} one @param {Box} other */
function meet(one, other) {
  return one.left < other.left + other.width && other.left < one.left + one.width &&
    one.top < other.top + other.height && other.top < one.top + one.height;
}

/** @param {number} value @param {number} least @param {number} most */
function within(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
