/** The icons of the time machine, which are loaded with it. */

import { makeSVG } from './elements.js';

const CLOCK = 'M4.6 10a7.5 7.5 0 1 1 .2 4.4M4.2 5.6v4.6h4.6M12 7.8V12l3 1.8';
const BACK = 'M14.5 6l-6 6 6 6';
const FORWARD = 'M9.5 6l6 6-6 6';

export function clockIcon() {
  return iconOf(CLOCK);
}

/** @param {1 | -1} by */
export function stepIcon(by) {
  return iconOf(by > 0 ? FORWARD : BACK);
}

/** @param {string} d @returns {SVGElement} hidden from screen readers */
function iconOf(d) {
  return makeSVG('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, makeSVG('path', { d }));
}
