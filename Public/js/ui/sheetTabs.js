/** The tabs of the sheets, and the control that stands for them on a small screen. */

import { laterStrings } from '../i18n/later.js';
import { make } from './elements.js';
import { icon } from './icons.js';
import { isPageFromRight, readingKey } from './pageDirection.js';

/**
 * @typedef {object} Parts
 * @property {import('./sheetView.js').SheetView} view
 * @property {import('./sheetPeople.js').SheetPeople} people
 * @property {import('../edit/sheetCommands.js').SheetCommands} commands
 * @property {() => void} add adds a sheet and shows it
 * @property {(number: number) => void} remove
 * @property {(number?: number) => void} open opens the list of sheets; with a number, to edit that sheet
 * @property {() => boolean} isEnded returns true if the session has ended
 * @property {() => boolean} hasSelection returns true if objects are selected: then the Delete key removes them, and not the sheet
 */

/** The maximum number of dots of people on a tab. */
const MAX_DOTS = 3;
/** The minimum distance of a drag, in pixels. A shorter movement is a click. */
const SLOP = 6;

export class SheetTabs {
  #parts;
  #tabs = make('div', { class: 'tabs', role: 'tablist', 'aria-label': laterStrings.sheets });
  #add = make('button', {
    type: 'button',
    id: 'add-sheet',
    'aria-label': laterStrings.addSheet,
    title: laterStrings.addSheet,
  });
  #count = make('button', { type: 'button', id: 'sheet-count', class: 'sheet-count', 'aria-haspopup': 'dialog' });
  /** The strip, for a wide screen. */
  element = make('div', { id: 'sheets', class: 'sheets' }, this.#tabs, this.#add);
  /** The control for a small screen. */
  compact = this.#count;
  #shown = '';
  /**
   * The pressed tab, and where it was pressed, until the click that follows. A finger scrolls the strip, so only a mouse or a pen
   * moves the tab.
   * @type {{ tab: HTMLElement, x: number, canMove: boolean, isMoved: boolean, isOver: boolean } | null}
   */
  #drag = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#add.append(icon('plus'));
    this.#add.addEventListener('click', () => parts.add());
    this.#count.addEventListener('click', () => parts.open());
    this.#tabs.addEventListener('click', ({ target }) => this.#choose(numberAt(target)));
    this.#tabs.addEventListener('keydown', (event) => this.#key(event));
    this.#tabs.addEventListener('pointerdown', (event) => this.#take(event));
    // The pointer may leave the strip.
    addEventListener('pointermove', ({ clientX, buttons }) => {
      // The mouse may have been released outside of the window.
      if (buttons === 0) this.#drop(false);
      else this.#move(clientX);
    });
    addEventListener('pointerup', () => this.#drop(true));
    addEventListener('pointercancel', () => this.#drop(false));
  }

  /**
   * Shows the sheets and the people on them. While a tab is pressed, nothing is changed, because the tab would miss its click.
   */
  show() {
    if (this.#drag) return;
    const { view: { list, current }, people, isEnded } = this.#parts;
    this.#add.hidden = isEnded();
    const { bySheet } = people;
    const sheets = list.map((number) => {
      const there = bySheet.get(number) ?? [];
      const label = people.labelOf(number, there);
      const colors = there.slice(0, MAX_DOTS).map(({ color }) => color);
      return { number, name: people.nameOf(number), label, colors };
    });
    const shown = JSON.stringify([sheets, current]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const isFocused = this.#tabs.contains(document.activeElement);
    const focused = numberAt(document.activeElement);
    this.#tabs.hidden = list.length < 2;
    this.#tabs.replaceChildren(...sheets.map((sheet) => tabOf(sheet, sheet.number === current)));
    if (isFocused && list.length < 2) this.#add.focus();
    else if (isFocused) this.#focus(list.includes(focused) ? focused : current);
    this.#tabs.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const place = list.indexOf(current) + 1;
    this.#count.hidden = list.length < 2;
    this.#count.textContent = laterStrings.sheetOf(place, list.length);
    this.#count.setAttribute('aria-label', laterStrings.chooseSheet(people.nameOf(current), place, list.length));
  }

  /** @param {number} number */
  #choose(number) {
    if (number === 0 || this.#drag?.isMoved) return;
    const { view, open, isEnded } = this.#parts;
    if (number !== view.current) view.go(number);
    else if (!isEnded()) open(number);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { view: { list }, open, remove, isEnded, hasSelection } = this.#parts;
    const number = numberAt(event.target);
    const at = list.indexOf(number);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: list.length - 1 }[readingKey(event.key)];
    if (event.key === 'F2' && !isEnded()) open(number);
    else if (event.key === 'Delete' && !isEnded() && !hasSelection()) remove(number);
    else if (to === undefined) return;
    else if (list[to]) this.#focus(list[to]);
    event.preventDefault();
  }

  /** @param {number} number */
  #focus(number) {
    for (const tab of /** @type {NodeListOf<HTMLElement>} */ (this.#tabs.querySelectorAll('[role=tab]'))) {
      const isIt = numberAt(tab) === number;
      tab.tabIndex = isIt ? 0 : -1;
      if (isIt) tab.focus();
    }
  }

  /** @param {PointerEvent} event */
  #take({ target, clientX, pointerType, button }) {
    const tab = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[role=tab]')) : null;
    if (!tab || button !== 0 || this.#drag) return;
    const canMove = pointerType !== 'touch' && !this.#parts.isEnded();
    this.#drag = { tab, x: clientX, canMove, isMoved: false, isOver: false };
  }

  /** @param {number} x */
  #move(x) {
    const drag = this.#drag;
    if (!drag?.canMove || drag.isOver || !drag.isMoved && Math.abs(x - drag.x) < SLOP) return;
    drag.isMoved = true;
    drag.tab.toggleAttribute('data-dragged', true);
    const others = [...this.#tabs.children].filter((one) => one !== drag.tab);
    const next = others.find((one) => {
      const { left, width } = one.getBoundingClientRect();
      const middle = left + width / 2;
      return isPageFromRight() ? x > middle : x < middle;
    });
    if (drag.tab.nextElementSibling !== (next ?? null)) this.#tabs.insertBefore(drag.tab, next ?? null);
  }

  /** Ends a drag. @param {boolean} isWanted false: the tab goes back */
  #drop(isWanted) {
    const drag = this.#drag;
    if (!drag || drag.isOver) return;
    drag.isOver = true;
    // The click that follows still belongs to this press.
    setTimeout(() => {
      this.#drag = null;
      this.show();
    });
    if (!drag.isMoved) return;
    drag.tab.removeAttribute('data-dragged');
    this.#shown = '';
    const { view: { list }, commands } = this.#parts;
    const number = numberAt(drag.tab);
    const to = [...this.#tabs.children].indexOf(drag.tab);
    // Another participant may have removed the sheet during the drag.
    if (isWanted && list.includes(number) && list[to] !== number) commands.move(number, to);
  }
}

/** @param {{ number: number, name: string, label: string, colors: string[] }} sheet @param {boolean} isCurrent */
function tabOf({ number, name, label, colors }, isCurrent) {
  const tab = make(
    'button',
    {
      type: 'button',
      role: 'tab',
      'data-number': String(number),
      'aria-label': label,
      'aria-selected': String(isCurrent),
    },
    make('span', { class: 'name' }, name),
  );
  tab.tabIndex = isCurrent ? 0 : -1;
  tab.title = label;
  for (const color of colors) {
    const dot = make('span', { class: 'dot', 'aria-hidden': 'true' });
    dot.style.setProperty('--own', color);
    tab.append(dot);
  }
  return tab;
}

/** @param {EventTarget | null} target @returns {number} the number of the sheet of a tab; 0: the target is not in a tab */
function numberAt(target) {
  const tab = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[data-number]')) : null;
  return Number(tab?.dataset.number ?? 0);
}
