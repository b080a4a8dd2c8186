/** The pictures of reactions. The emoji of fonts look different on each device, and some devices have none. */

import { REACTIONS } from '../protocol/moments.js';
import { makeSVG } from './elements.js';

const FACE = 'M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16zM9.2 10h.01M14.8 10h.01';
/** In the order of `REACTIONS`. */
const PATHS = Object.freeze([
  'M7.5 11v8.5H5a1 1 0 0 1-1-1V12a1 1 0 0 1 1-1zM7.5 11l3.5-6.5a1.9 1.9 0 0 1 3.5 1.4l-.8 3.6h4.6a1.8 1.8 0 0 1 1.8 2.1l-1 6a2.2 2.2 0 0 1-2.2 1.9H7.5',
  'M12 19.5C7.5 16.5 4.5 13.5 4.5 9.8A3.9 3.9 0 0 1 12 8.2 3.9 3.9 0 0 1 19.5 9.8C19.5 13.5 16.5 16.5 12 19.5z',
  'M12 4.2l2.4 4.9 5.4.8-3.9 3.8.9 5.4-4.8-2.6-4.8 2.6.9-5.4-3.9-3.8 5.4-.8z',
  `${FACE}M8.2 13.5h7.6a3.8 3.8 0 0 1-7.6 0z`,
  `${FACE}M12 13.2a1.7 1.9 0 1 0 0 3.8a1.7 1.9 0 1 0 0-3.8z`,
  'M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16zM9.8 9.8a2.3 2.3 0 1 1 3.3 2.1c-.8.4-1.1.9-1.1 1.7M12 16.5h.01',
]);

/** @param {string} emoji one of `REACTIONS` @returns {SVGElement} hidden from screen readers */
export function reactionGlyph(emoji) {
  const path = makeSVG('path', { d: PATHS[REACTIONS.indexOf(emoji)] ?? FACE });
  return makeSVG('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, path);
}
