/** As `en.js` beside it, in German. */

import { formatterOf } from '../format.js';

const { number, counted, list } = formatterOf('de');
const TEXTS = { one: 'Text', other: 'Texte' };
const SHEETS = { one: 'Blatt', other: 'Blätter' };

/** @type {import('./en.js').LaterStrings} */
const table = {
  onlyThisDevice:
    'Diesen Link kann nur dieses Gerät öffnen. Damit andere mitzeichnen können, öffne die Seite unter der Adresse, die dieser Rechner in deinem Netz hat.',
  inNetwork: 'Geräte im selben Netz können diesen Link öffnen.',
  inNetworkWithWarning:
    'Geräte im selben Netz können diesen Link öffnen. Ihr Browser warnt vielleicht zuerst, weil er das Zertifikat dieses Rechners nicht kennt.',

  pastedAs: (count) => `Der eingefügte Text ist lang: Daraus sind ${counted(count, TEXTS)} geworden.`,
  pastedPart: (limit, count) =>
    `Der eingefügte Text ist zu lang: Hier sind nur seine ersten ${number(limit)} Zeichen, als ${
      counted(count, TEXTS)
    }.`,

  sheets: 'Blätter',
  sheet: (place) => `Blatt ${number(place)}`,
  sheetOf: (place, count) => `${number(place)} / ${number(count)}`,
  sheetShown: (name, place, count) => `${name}, ${number(place)} von ${number(count)}`,
  chooseSheet: (name, place, count) => `Ein Blatt wählen. Du siehst ${name}, ${number(place)} von ${number(count)}.`,
  sheetWith: (name, people) => `${name}, mit ${list(people)}`,
  personOnSheet: (person, name) => `${person}, auf ${name}`,
  addSheet: 'Blatt hinzufügen',
  editSheets: 'Bearbeiten',
  editedSheets: 'Zurück',
  nameOfSheet: (name) => `Name von ${name}`,
  sheetUp: (name) => `${name} nach oben`,
  sheetDown: (name) => `${name} nach unten`,
  removeSheet: (name) => `${name} entfernen`,
  removeSheetQuestion: (name) => `${name} entfernen?`,
  removeSheetText: 'Andere haben auf diesem Blatt gezeichnet. Alle können es aus der Liste der Blätter zurückholen.',
  removedSheets: 'Entfernt',
  restoreSheet: 'Zurückholen',
  restoreSheetOf: (name) => `${name} zurückholen`,
  youRemovedSheet: (name) => `Du hast ${name} entfernt. Rückgängig holt es zurück.`,
  removedSheetBy: (person, name) =>
    `${person} hat ${name} entfernt. In der Liste der Blätter kannst du es zurückholen.`,
  sheetGone: 'Das Blatt dieses Links gibt es nicht mehr.',
  tooManySheets: 'Auf dieser Seite ist kein Platz für ein weiteres Blatt.',
  allSheets: 'Alle Blätter',
  sheetsInArchive: (count) => `${counted(count, SHEETS)}, als Bilder in einer ZIP-Datei`,
  sheetsInDrawing: (count) => `${counted(count, SHEETS)} in einer Datei`,
  keySheets: 'Voriges Blatt, nächstes Blatt',
};

/** @type {Readonly<import('./en.js').LaterStrings>} */
export const de = Object.freeze(table);
