/**
 * The texts of parts that are loaded after the first stroke can be drawn, in English. Another language is another such file with
 * the same keys, listed in `i18n/later.js`.
 */

/** @typedef {typeof table} LaterStrings */

const table = {
  // Rotation and snapping.
  snapToObjects: 'Snap to objects',
  keyTurn: 'Rotate the selection; with Shift by 1°',
  keyNoSnapping: 'Move and resize without snapping',
};

export const en = Object.freeze(table);
