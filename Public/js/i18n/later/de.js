/** As `en.js` beside it, in German. */

/** @type {import('./en.js').LaterStrings} */
const table = {
  // Drehen und einrasten.
  snapToObjects: 'An Objekten einrasten',
  keyTurn: 'Auswahl drehen; mit Umschalt um 1°',
  keyNoSnapping: 'Verschieben und vergrößern, ohne einzurasten',
};

export const de = Object.freeze(table);
