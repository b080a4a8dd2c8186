/** Colors and widths to choose from. */

import { nearestColor, PALETTE, textOn } from '../canvas/colors.js';
import { words } from '../words/words.js';
import { element, make, makeSVG } from './elements.js';
import { RadioGroup } from './radioGroup.js';
import { WIDTHS } from './settings.js';

const OUTSIDE_OF_INKS = '#inks, #ink';

/** Event: `change`. */
export class Inks extends EventTarget {
  #settings;
  #colors;
  #widths;
  /** Of the palette; one more is one's own. */
  #chosen = PALETTE.length;
  #panel = element('inks');
  #button = element('ink');

  /** @param {import('./settings.js').Settings} settings */
  constructor(settings) {
    super();
    this.#settings = settings;
    this.#colors = new RadioGroup(
      element('colors'),
      [...PALETTE, settings.color].map((rgb, index) => ({
        button: swatch(words.colors[index] ?? words.ownColor, rgb, index),
        choose: () => this.chooseColor(index),
      })),
    );
    this.#widths = new RadioGroup(
      element('widths'),
      WIDTHS.map((width, index) => ({ button: widthButton(index), choose: () => this.chooseWidth(width) })),
    );
    this.#button.addEventListener('click', () => this.#open(!this.#isOpen));
    document.addEventListener('pointerdown', ({ target }) => this.#pointed(target), { capture: true });
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close());
    this.#show();
  }

  /** @returns {{ rgb: string, color: number, width: number }} */
  get look() {
    const rgb = PALETTE[this.#chosen] ?? this.#settings.color;
    return { rgb, color: PALETTE[this.#chosen] ? this.#chosen : nearestColor(rgb), width: this.#settings.width };
  }

  /** @param {number} index of the palette; its length is one's own color */
  chooseColor(index) {
    this.#chosen = index;
    this.#show();
    this.dispatchEvent(new Event('change'));
  }

  chooseOwn() {
    this.chooseColor(PALETTE.length);
  }

  /** @param {number} width one of `WIDTHS` */
  chooseWidth(width) {
    this.#settings.setWidth(width);
    this.#show();
    this.dispatchEvent(new Event('change'));
  }

  /** @param {1 | -1} step */
  stepWidth(step) {
    const index = WIDTHS.indexOf(this.#settings.width) + step;
    if (WIDTHS[index] !== undefined) this.chooseWidth(WIDTHS[index]);
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

  /** @param {EventTarget | null} target */
  #pointed(target) {
    if (this.#isOpen && target instanceof Element && !target.closest(OUTSIDE_OF_INKS)) this.#open(false);
  }

  #show() {
    this.#colors.show(this.#chosen);
    this.#widths.show(WIDTHS.indexOf(this.#settings.width));
    document.documentElement.style.setProperty('--ink', this.look.rgb);
    const size = 5 + 2.2 * Math.sqrt(this.#settings.width);
    this.#button.querySelector('circle')?.setAttribute('r', String(size));
  }
}

/** @param {string} name @param {string} rgb @param {number} index */
function swatch(name, rgb, index) {
  const isOwn = index === PALETTE.length;
  const key = index < 10 ? ` (${(index + 1) % 10})` : '';
  const button = make('button', { class: 'swatch', 'aria-label': name, title: name + key });
  button.style.setProperty('--own', rgb);
  button.style.setProperty('--on-own', textOn(rgb));
  const drawing = makeSVG('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' });
  drawing.append(
    makeSVG('circle', { class: 'ring', cx: '16', cy: '16', r: '14.5' }),
    makeSVG('circle', { cx: '16', cy: '16', r: '11', fill: rgb }),
  );
  const spark = 'M16 9.500l1.600 4.900 4.900 1.600-4.900 1.600-1.600 4.900-1.600-4.900-4.900-1.600 4.900-1.600z';
  if (isOwn) drawing.append(makeSVG('path', { class: 'spark', d: spark }));
  button.append(drawing);
  return button;
}

/** @param {number} index */
function widthButton(index) {
  const button = make('button', {
    class: 'width',
    'aria-label': words.widths[index],
    title: `${words.widths[index]} ([ ])`,
  });
  const dot = makeSVG('circle', { cx: '14', cy: '14', r: String([2.5, 4.5, 8][index]) });
  button.append(makeSVG('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, dot));
  return button;
}
