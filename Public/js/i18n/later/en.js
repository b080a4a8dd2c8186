/**
 * The texts of parts that are loaded after the first stroke can be drawn, in English. Another language is another such file with
 * the same keys, listed in `i18n/later.js`.
 */

import { formatterOf } from '../format.js';

/** @typedef {typeof table} LaterStrings */

const { counted, plural } = formatterOf('en');
const OBJECTS = { one: 'object', other: 'objects' };

const table = {
  // Sticky notes.
  noteColor: 'Color of the note',
  /** In the order of the choice. */
  noteColors: ['Yellow', 'Rose', 'Green', 'Blue', 'Lilac', 'Gray'],

  // The order of drawing, and locked objects.
  sendToBack: 'Send to back',
  lock: 'Lock as background',
  unlock: 'Unlock',
  locked: 'Locked objects',
  /** @param {number} count */
  lockedThings: (count) => plural(count, { one: 'Locked', other: `${counted(count, OBJECTS)} locked` }),
  /** @param {number} count */
  isLocked: (count) =>
    `Locked. To unlock ${plural(count, { one: 'it, tap it', other: 'one, tap it' })} with the selection tool.`,
  /** @param {number} count */
  isUnlocked: (count) => `${counted(count, OBJECTS)} unlocked.`,
  nothingLocked: 'Nothing here is locked.',

  // The list of keys.
  pageDown: 'Page ↓',
  shiftL: 'Shift L',
  keyLock: 'Lock the selection as background; without a selection, unlock',
};

export const en = Object.freeze(table);
