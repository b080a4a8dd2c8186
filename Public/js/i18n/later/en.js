/**
 * The texts of parts that are loaded after the first stroke can be drawn, in English. Another language is another such file with
 * the same keys, listed in `i18n/later.js`.
 */

import { formatterOf } from '../format.js';

/** @typedef {typeof table} LaterStrings */

const { number, counted, list } = formatterOf('en');
const TEXTS = { one: 'text', other: 'texts' };
const SHEETS = { one: 'sheet', other: 'sheets' };

const table = {
  // The link to a session.
  onlyThisDevice:
    'Only this device can open this link. To draw with others, open the page at the address that this machine has in your network.',
  inNetwork: 'Devices in the same network can open this link.',
  inNetworkWithWarning:
    'Devices in the same network can open this link. Their browsers may warn at first, because they do not know the certificate of this machine.',

  // Pasted text.
  /** @param {number} count */
  pastedAs: (count) => `The pasted text is long: it became ${counted(count, TEXTS)}.`,
  /** @param {number} limit @param {number} count */
  pastedPart: (limit, count) =>
    `The pasted text is too long: only its first ${number(limit)} characters are here, as ${counted(count, TEXTS)}.`,

  // Sheets.
  sheets: 'Sheets',
  /** @param {number} place among the sheets */
  sheet: (place) => `Sheet ${number(place)}`,
  /** @param {number} place @param {number} count */
  sheetOf: (place, count) => `${number(place)} / ${number(count)}`,
  /** @param {string} name of the sheet @param {number} place @param {number} count */
  sheetShown: (name, place, count) => `${name}, ${number(place)} of ${number(count)}`,
  /** @param {string} name @param {number} place @param {number} count */
  chooseSheet: (name, place, count) => `Choose a sheet. You see ${name}, ${number(place)} of ${number(count)}.`,
  /** @param {string} name of the sheet @param {string[]} people */
  sheetWith: (name, people) => `${name}, with ${list(people)}`,
  /** @param {string} person @param {string} name of the sheet */
  personOnSheet: (person, name) => `${person}, on ${name}`,
  addSheet: 'Add a sheet',
  editSheets: 'Edit',
  editedSheets: 'Back',
  /** @param {string} name */
  nameOfSheet: (name) => `Name of ${name}`,
  /** @param {string} name */
  sheetUp: (name) => `Move ${name} up`,
  /** @param {string} name */
  sheetDown: (name) => `Move ${name} down`,
  /** @param {string} name */
  removeSheet: (name) => `Remove ${name}`,
  /** @param {string} name */
  removeSheetQuestion: (name) => `Remove ${name}?`,
  removeSheetText: 'Others have drawn on this sheet. Everybody can bring it back from the list of sheets.',
  removedSheets: 'Removed',
  restoreSheet: 'Bring back',
  /** @param {string} name */
  restoreSheetOf: (name) => `Bring back ${name}`,
  /** @param {string} name */
  youRemovedSheet: (name) => `You removed ${name}. Undo brings it back.`,
  /** @param {string} person @param {string} name */
  removedSheetBy: (person, name) => `${person} removed ${name}. You can bring it back from the list of sheets.`,
  sheetGone: 'The sheet of this link no longer exists.',
  tooManySheets: 'This page has no room for another sheet.',
  allSheets: 'All sheets',
  /** @param {number} count */
  sheetsInArchive: (count) => `${counted(count, SHEETS)}, as pictures in a ZIP file`,
  /** @param {number} count */
  sheetsInDrawing: (count) => `${counted(count, SHEETS)} in one file`,
  keySheets: 'Previous sheet, next sheet',
};

/** @type {Readonly<LaterStrings>} */
export const en = Object.freeze(table);
