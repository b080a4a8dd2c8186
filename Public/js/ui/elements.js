/** The page’s own elements: found, made without markup in strings, opened and placed; and when they show what is new. */

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

/** @param {string} name of a symbol in the sprite @returns {SVGElement} */
export function icon(name) {
  return makeSVG('svg', { class: 'icon', 'aria-hidden': 'true' }, makeSVG('use', { href: `#icon-${name}` }));
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

/** Runs what is to be shown once a frame, and only while there is something to show. */
export class Frames {
  /** @type {((now: number) => boolean)[]} */
  #tasks = [];
  #isAsked = false;

  /** @param {((now: number) => boolean)[]} tasks in order; each says whether it needs another frame */
  run(...tasks) {
    this.#tasks.push(...tasks);
    this.requestFrame();
  }

  /** There is something new to show. */
  requestFrame() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame((now) => {
      this.#isAsked = false;
      const needs = this.#tasks.map((task) => task(now));
      if (needs.includes(true)) this.requestFrame();
    });
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

/**
 * @typedef {import('../model/placement.js').Size} Size
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
