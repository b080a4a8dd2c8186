/**
 * The texts of parts that are loaded after the first stroke can be drawn, in English. Another language is another such file with
 * the same keys, listed in `i18n/later.js`.
 */

/** @typedef {typeof table} LaterStrings */

const table = {
  // Rotation, alignment and snapping.
  arrange: 'Align and distribute',
  /** In the order of the buttons. */
  arrangements: [
    'Align left',
    'Align horizontal centers',
    'Align right',
    'Align top',
    'Align vertical centers',
    'Align bottom',
    'Distribute horizontally',
    'Distribute vertically',
  ],
  snapToObjects: 'Snap to objects',
  keyTurn: 'Rotate the selection; with Shift by 1°',
  keyNoSnapping: 'Move and resize without snapping',
};

export const en = Object.freeze(table);
