/** As `en.js` beside it, in German. */

import { formatterOf } from '../format.js';

const { counted, plural } = formatterOf('de');
const OBJECTS = { one: 'Element', other: 'Elemente' };

/** @type {import('./en.js').LaterStrings} */
const table = {
  noteColor: 'Farbe des Zettels',
  noteColors: ['Gelb', 'Rosa', 'Grün', 'Blau', 'Flieder', 'Grau'],
  sendToBack: 'In den Hintergrund',
  lock: 'Als Hintergrund sperren',
  unlock: 'Entsperren',
  locked: 'Gesperrte Elemente',
  lockedThings: (count) => plural(count, { one: 'Gesperrt', other: `${counted(count, OBJECTS)} gesperrt` }),
  isLocked: (count) =>
    `Gesperrt. Zum Entsperren tippe ${plural(count, { one: 'es', other: 'eins' })} mit dem Auswahlwerkzeug an.`,
  isUnlocked: (count) => `${counted(count, OBJECTS)} entsperrt.`,
  nothingLocked: 'Hier ist nichts gesperrt.',
  pageDown: 'Bild ↓',
  shiftL: 'Umschalt+L',
  keyLock: 'Die Auswahl als Hintergrund sperren; ohne Auswahl entsperren',
};

export const de = Object.freeze(table);
