/** The button in the selection's bar that aligns and distributes, and its panel. */

import { MIN_ALIGNED, MIN_DISTRIBUTED } from '../edit/arrangement.js';
import { laterStrings } from '../i18n/later.js';
import { announce } from './dialogs.js';
import { element, make, makeSVG } from './elements.js';
import { closePopover } from './popovers.js';

/** @typedef {import('../model/alignment.js').Alignment | import('../model/alignment.js').Direction} Arrangement */

/** The icons: two boxes aligned at a line, or three boxes with equal gaps. @type {Record<Arrangement, string>} */
const ICONS = {
  left: 'M4.5 4v16M8 6.5h11v4H8zM8 13.5h7v4H8z',
  center: 'M12 4v2.5M12 10.5v3M12 17.5V20M6.5 6.5h11v4h-11zM8.5 13.5h7v4h-7z',
  right: 'M19.5 4v16M5 6.5h11v4H5zM9 13.5h7v4H9z',
  top: 'M4 4.5h16M6.5 8v11h4V8zM13.5 8v7h4V8z',
  middle: 'M4 12h2.5M10.5 12h3M17.5 12H20M6.5 6.5v11h4v-11zM13.5 8.5v7h4v-7z',
  bottom: 'M4 19.5h16M6.5 5v11h4V5zM13.5 9v7h4V9z',
  horizontal: 'M4.5 4v16M19.5 4v16M9.5 7.5h5v9h-5z',
  vertical: 'M4 4.5h16M4 19.5h16M7.5 9.5v5h9v-5z',
};
const ALL = /** @type {Arrangement[]} */ (Object.keys(ICONS));
/** The distance between the panel and its button, and its margin at the edges of the page, in pixels. */
const GAP = 10;
const EDGE = 8;

/** Offers to align two or more objects, and to distribute three or more. */
export class ArrangePanel {
  #selection;
  #button = make('button', {
    type: 'button',
    class: 'tool',
    'aria-label': laterStrings.arrange,
    title: laterStrings.arrange,
    popovertarget: 'arrange',
  }, drawing(ICONS.left));
  #panel = make('div', {
    id: 'arrange',
    class: 'arrange',
    role: 'group',
    'aria-label': laterStrings.arrange,
    popover: '',
  });
  /** @type {HTMLButtonElement[]} */
  #buttons;

  /** @param {import('../edit/selection.js').Selection} selection @param {(how: Arrangement) => boolean} arrange */
  constructor(selection, arrange) {
    this.#selection = selection;
    this.#buttons = ALL.map((how, index) => {
      const label = laterStrings.arrangements[index];
      const button = make(
        'button',
        { type: 'button', class: 'tool', 'aria-label': label, title: label },
        drawing(ICONS[how]),
      );
      button.addEventListener('click', () => arrange(how) && announce(label));
      return button;
    });
    this.#panel.append(...this.#buttons);
    element('chosen-bar').lastElementChild?.before(this.#button, this.#panel);
    // The size of the panel is known only once it is open, so it stays invisible until it is placed.
    this.#panel.addEventListener('beforetoggle', () => this.#panel.style.visibility = 'hidden');
    this.#panel.addEventListener('toggle', () => this.#place());
    if (!('popover' in HTMLElement.prototype)) this.#openByClass();
    selection.addEventListener('change', () => this.#follow());
    this.#follow();
  }

  #follow() {
    const { size } = this.#selection;
    this.#button.hidden = size < MIN_ALIGNED;
    ALL.forEach((how, index) => {
      const isDistribution = how === 'horizontal' || how === 'vertical';
      this.#buttons[index].disabled = isDistribution && size < MIN_DISTRIBUTED;
    });
    if (this.#button.hidden && this.#panel.matches(':is(:popover-open,.popover-open)')) closePopover();
  }

  /** Places the panel beside its button: above it if there is room, or else below. */
  #place() {
    const button = this.#button.getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = this.#panel;
    const above = button.top - offsetHeight - GAP;
    const left = button.left + (button.width - offsetWidth) / 2;
    style.left = `${Math.max(EDGE, Math.min(left, innerWidth - offsetWidth - EDGE))}px`;
    style.top = `${above >= EDGE ? above : button.bottom + GAP}px`;
    style.visibility = '';
  }

  /** Opens the panel by a class, in browsers without popovers. */
  #openByClass() {
    this.#button.addEventListener('click', () => {
      const { classList } = this.#panel;
      const wasOpen = classList.contains('popover-open');
      closePopover();
      classList.toggle('popover-open', !wasOpen);
    });
  }
}

/** @param {string} path @returns {SVGElement} */
function drawing(path) {
  return makeSVG('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, makeSVG('path', { d: path }));
}
