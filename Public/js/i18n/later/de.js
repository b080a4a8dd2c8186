/** As `en.js` beside it, in German. */

/** @type {import('./en.js').LaterStrings} */
const table = {
  // Drehen, ausrichten und einrasten.
  arrange: 'Ausrichten und verteilen',
  arrangements: [
    'Links ausrichten',
    'Waagerecht zentrieren',
    'Rechts ausrichten',
    'Oben ausrichten',
    'Senkrecht zentrieren',
    'Unten ausrichten',
    'Waagerecht verteilen',
    'Senkrecht verteilen',
  ],
  snapToObjects: 'An Objekten einrasten',
  keyTurn: 'Auswahl drehen; mit Umschalt um 1°',
  keyNoSnapping: 'Verschieben und vergrößern, ohne einzurasten',
};

export const de = Object.freeze(table);
