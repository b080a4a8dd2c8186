/**
 * The slider over a history. Behind it are columns in the participants' colors. The height of a column shows how many entries the
 * session got at that time.
 */

import { laterStrings } from '../i18n/later.js';
import { make } from './elements.js';
import { pastTime } from './pastTime.js';

/** @typedef {import('../model/timeline.js').Timeline} Timeline */

/** The number of steps of the slider: an arrow key moves it by one. */
const STEPS = 1000;
/** The width of a column, and the height of the drawing, in pixels. */
const COLUMN = 3;
const HEIGHT = 36;
/** The minimum height of a column with entries. */
const MIN_HEIGHT = 3;
/** The color of a participant who is not known any more. */
export const UNKNOWN_COLOR = '#888888';

/** Event: `move` (detail: the position on the axis that the person chose). */
export class PastSlider extends EventTarget {
  #canvas = make('canvas', { class: 'past-density', 'aria-hidden': 'true' });
  #range = make('input', {
    type: 'range',
    id: 'past-slider',
    min: '0',
    max: String(STEPS),
    step: '1',
    'aria-label': laterStrings.pastMoment,
  });
  #ends = [make('span'), make('span')];
  element = make(
    'div',
    { class: 'past-track' },
    this.#canvas,
    this.#range,
    make('div', { class: 'past-ends', 'aria-hidden': 'true' }, ...this.#ends),
  );
  /** @type {Timeline | null} */
  #timeline = null;
  /** @type {(sender: number) => string} */
  #colorOf = () => UNKNOWN_COLOR;

  constructor() {
    super();
    this.#range.addEventListener('input', () => {
      const detail = Number(this.#range.value) / STEPS * (this.#timeline?.length ?? 0);
      this.dispatchEvent(new CustomEvent('move', { detail }));
    });
    new ResizeObserver(() => this.#paint()).observe(this.#canvas);
  }

  /**
   * @param {Timeline | null} timeline null: there is no history @param {number[]} ends the sequences at both ends
   * @param {(sender: number) => string} colorOf returns the color of a participant
   */
  open(timeline, ends, colorOf) {
    this.#timeline = timeline;
    this.#colorOf = colorOf;
    this.#range.disabled = timeline === null;
    ends.forEach((sequence, at) => {
      const time = timeline?.timeOf(sequence) ?? null;
      this.#ends[at].textContent = time === null ? '' : pastTime(time);
    });
    this.#paint();
  }

  /** @param {number} position on the axis */
  place(position) {
    const value = String(Math.round(position / (this.#timeline?.length ?? 1) * STEPS));
    // While the person drags the slider, it already has this value.
    if (this.#range.value !== value) this.#range.value = value;
  }

  /** @param {string} text the moment in words */
  describe(text) {
    this.#range.setAttribute('aria-valuetext', text);
  }

  focus() {
    this.#range.focus();
  }

  #paint() {
    const width = this.#canvas.clientWidth;
    const context = this.#canvas.getContext('2d');
    if (width === 0 || !context) return;
    this.#canvas.width = width * devicePixelRatio;
    this.#canvas.height = HEIGHT * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    const columns = this.#timeline?.columns(Math.max(1, Math.floor(width / COLUMN))) ?? [];
    columns.forEach(({ height, shares }, at) => {
      let bottom = HEIGHT;
      const whole = height > 0 ? Math.max(MIN_HEIGHT, height * HEIGHT) : 0;
      for (const [sender, share] of shares) {
        context.fillStyle = this.#colorOf(sender);
        context.fillRect(at * COLUMN, bottom - share * whole, COLUMN - 1, share * whole);
        bottom -= share * whole;
      }
    });
  }
}
