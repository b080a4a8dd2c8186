/** The pages of a PDF, to choose some of them. Their previews are painted one at a time, and only while they are in view. */

import { laterStrings } from '../i18n/later.js';
import { make } from './elements.js';
import { readingKey } from './pageDirection.js';

/** The maximum number of listed pages. */
export const MAX_LISTED_PAGES = 2000;
/** The maximum number of previews in memory: 20 MB. Those that have been out of view for the longest time are dropped. */
const MAX_PREVIEWS = 60;
/** The longer side of a preview, in CSS pixels. */
const SIDE = 160;
/** The distance from the view at which a preview is painted, in pixels. */
const MARGIN = '160px';
/**
 * The steps of the arrow keys between PDF pages, as a number of pages and a number of rows, if the interface is written from left
 * to right.
 * @type {Record<string, [number, number]>}
 */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @typedef {(number: number, side: number, signal: AbortSignal) => Promise<HTMLCanvasElement>} PaintPage
 * @typedef {{ input: HTMLInputElement, sheet: HTMLElement }} Cell
 */

export class PDFPageGrid {
  element = make('ul', { class: 'pdf-pages', 'aria-label': laterStrings.pdf.pages });
  #paint;
  #changed;
  /** @type {Cell[]} */
  #cells = [];
  /** The index of the page that the last click or key chose. With Shift, the choice extends from this page. */
  #anchor = 0;
  #visible = new Set();
  /** The previews by page, in the order of painting. @type {Map<number, HTMLCanvasElement>} */
  #previews = new Map();
  #lifetime = new AbortController();
  #isPainting = false;
  #observer;

  /** @param {number} count @param {PaintPage} paint @param {() => void} changed called after a change of the chosen pages */
  constructor(count, paint, changed) {
    this.#paint = paint;
    this.#changed = changed;
    this.#observer = new IntersectionObserver((entries) => this.#seen(entries), {
      root: this.element,
      rootMargin: MARGIN,
    });
    for (let at = 0; at < Math.min(count, MAX_LISTED_PAGES); at += 1) this.#addCell(at);
    if (count === 1) this.#cells[0].input.checked = true;
    this.element.addEventListener('click', (event) => this.#clicked(event));
    this.element.addEventListener('change', () => this.#changed());
    this.element.addEventListener('keydown', (event) => this.#step(event));
  }

  /** @returns {number[]} the numbers of the chosen pages, from 1 */
  get chosen() {
    return this.#cells.flatMap(({ input }, at) => input.checked ? [at + 1] : []);
  }

  /** True if all listed pages are chosen, except those that cannot be painted. */
  get isAllChosen() {
    return this.#cells.every(({ input }) => input.checked || input.disabled);
  }

  /** @param {boolean} isChosen */
  chooseAll(isChosen) {
    for (const { input } of this.#cells) input.checked = isChosen && !input.disabled;
    this.#changed();
  }

  focus() {
    this.#cells[this.#anchor]?.input.focus();
  }

  /** Stops painting, and frees the previews. */
  stop() {
    this.#lifetime.abort();
    this.#observer.disconnect();
    for (const at of [...this.#previews.keys()]) this.#drop(at);
  }

  /** @param {number} at */
  #addCell(at) {
    const label = laterStrings.pdf.page(at + 1);
    const input = make('input', { type: 'checkbox', 'aria-label': label, tabindex: at === 0 ? '0' : '-1' });
    const sheet = make('span', { class: 'sheet-preview', 'aria-hidden': 'true' });
    const number = make('span', { 'aria-hidden': 'true' }, String(at + 1));
    const item = make('li', {}, make('label', {}, input, sheet, number));
    input.value = String(at);
    item.dataset.at = String(at);
    this.#cells.push({ input, sheet });
    this.element.append(item);
    this.#observer.observe(item);
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const { target, shiftKey } = event;
    const input = target instanceof Element && target.closest('label')?.querySelector('input');
    if (!input || input.disabled) return;
    if (target !== input) {
      // The browser clicks the input next; Firefox does not if Shift is held.
      if (!shiftKey) return;
      event.preventDefault();
      input.checked = !input.checked;
    }
    const at = Number(input.value);
    if (shiftKey) {
      for (let other = Math.min(at, this.#anchor); other <= Math.max(at, this.#anchor); other += 1) {
        const one = this.#cells[other].input;
        if (!one.disabled) one.checked = input.checked;
      }
      this.#changed();
    }
    this.#moveTo(at);
  }

  /** Moves the focus by a key. @param {KeyboardEvent} event */
  #step(event) {
    const last = this.#cells.length - 1;
    const [columns, rows] = STEPS[readingKey(event.key)] ?? [0, 0];
    const aim = event.key === 'Home' ? 0 : event.key === 'End' ? last : this.#anchor + columns + rows * this.#columns;
    if (!(event.key in STEPS) && aim === this.#anchor) return;
    event.preventDefault();
    if (aim < 0 || aim > last) return;
    this.#moveTo(aim);
    this.focus();
  }

  /** @param {number} at the page that the tab key reaches from now on */
  #moveTo(at) {
    this.#cells[this.#anchor].input.tabIndex = -1;
    this.#cells[at].input.tabIndex = 0;
    this.#anchor = at;
  }

  /** The number of pages in a row. */
  get #columns() {
    const items = [...this.element.children].map((one) => /** @type {HTMLElement} */ (one));
    const next = items.findIndex(({ offsetTop }) => offsetTop !== items[0].offsetTop);
    return next < 0 ? items.length : next;
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const at = Number(/** @type {HTMLElement} */ (target).dataset.at);
      if (isIntersecting) this.#visible.add(at);
      else this.#visible.delete(at);
    }
    this.#paintVisible();
  }

  async #paintVisible() {
    if (this.#isPainting) return;
    this.#isPainting = true;
    const { signal } = this.#lifetime;
    while (!signal.aborted) {
      const at = [...this.#visible].find((one) => !this.#previews.has(one) && !this.#cells[one].input.disabled);
      if (at === undefined) break;
      await this.#paintCell(at, signal);
    }
    this.#isPainting = false;
  }

  /** @param {number} at @param {AbortSignal} signal */
  async #paintCell(at, signal) {
    const { input, sheet } = this.#cells[at];
    try {
      const canvas = await this.#paint(at + 1, SIDE * Math.min(2, devicePixelRatio), signal);
      this.#previews.set(at, canvas);
      sheet.replaceChildren(canvas);
    } catch {
      if (signal.aborted) return;
      input.disabled = true;
      input.checked = false;
      sheet.textContent = '×';
      input.setAttribute('aria-label', laterStrings.pdf.damagedPage(at + 1));
      this.#changed();
    }
    const away = [...this.#previews.keys()].filter((one) => !this.#visible.has(one));
    for (const one of away.slice(0, Math.max(0, this.#previews.size - MAX_PREVIEWS))) this.#drop(one);
  }

  /** @param {number} at */
  #drop(at) {
    const canvas = this.#previews.get(at);
    this.#previews.delete(at);
    // Some browsers keep the memory of a canvas for a long time otherwise.
    if (canvas) canvas.width = canvas.height = 0;
    canvas?.remove();
  }
}
