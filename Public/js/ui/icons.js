/** Icons of the sprite in the markup. */

import { makeSVG } from './elements.js';

/** @param {string} name of a symbol in the sprite @returns {SVGElement} hidden from screen readers */
export function icon(name) {
  return makeSVG('svg', { class: 'icon', 'aria-hidden': 'true' }, makeSVG('use', { href: `#icon-${name}` }));
}
