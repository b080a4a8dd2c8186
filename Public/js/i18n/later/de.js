/** As `en.js` beside it, in German. */

import { formatterOf } from '../format.js';

const { number, counted } = formatterOf('de');

/** @type {import('./en.js').LaterStrings} */
const table = {
  helpPlacing: 'Die Eingabetaste setzt die Form in die Mitte. Mit den Pfeiltasten zeichnest du sie mit einem Kreuz.',
  helpText: 'Die Eingabetaste beginnt einen Text in der Mitte. Mit den Pfeiltasten wählst du eine andere Stelle.',
  helpCross: 'Die Pfeiltasten bewegen ein Kreuz. Die Eingabetaste beginnt und beendet den Zug.',
  helpSelect: 'Komma und Punkt gehen durch alle Objekte. U öffnet ihre Liste.',
  helpHand: 'Die Pfeiltasten verschieben die Seite.',
  crossShown: (place) => `Kreuz: ${place}.`,
  crossGone: 'Kreuz ausgeblendet.',
  begun: 'Begonnen.',
  ended: 'Beendet.',
  cancelled: 'Abgebrochen.',
  placed: (what) => `Eingefügt und ausgewählt: ${what}`,
  tooSmall: 'Zu klein: Es wurde nichts gezeichnet.',
  nothingErased: 'Es wurde nichts entfernt.',
  places: [
    'oben links',
    'oben',
    'oben rechts',
    'links',
    'in der Mitte',
    'rechts',
    'unten links',
    'unten',
    'unten rechts',
  ],
  beyond: [
    'außerhalb der Ansicht, links oben',
    'außerhalb der Ansicht, oben',
    'außerhalb der Ansicht, rechts oben',
    'außerhalb der Ansicht, links',
    'außerhalb der Ansicht',
    'außerhalb der Ansicht, rechts',
    'außerhalb der Ansicht, links unten',
    'außerhalb der Ansicht, unten',
    'außerhalb der Ansicht, rechts unten',
  ],

  objects: 'Liste der Objekte',
  searchObjects: 'In den Objekten suchen',
  objectsHelp: 'Die Eingabetaste wählt ein Objekt aus und zeigt es. Entf entfernt es.',
  noObjects: 'Es gibt keine Objekte.',
  objectsListed: (count) => counted(count, { one: 'Eintrag', other: 'Einträge' }),
  moreObjects: (count) => `Mehr anzeigen (${number(count)})`,
  objectGone: 'Dieses Objekt wurde entfernt.',
  objectSelected: (what) => `Ausgewählt: ${what}`,
  objectShown: (what) => `Gezeigt: ${what}`,
  removeObject: (what) => `Entfernen: ${what}`,
  strokes: (count) => counted(count, { one: 'Strich', other: 'Striche' }),
  highlights: (count) => counted(count, { one: 'Strich mit dem Textmarker', other: 'Striche mit dem Textmarker' }),
  textObject: (text) => `Text „${text}“`,
  drawnBy: (name) => `von ${name}`,
  drawnByYou: 'von dir',
  black: 'schwarz',
  white: 'weiß',

  keyEnter: 'Form oder Text in die Mitte setzen; Strich beginnen und beenden',
  keyCross: 'Ohne Auswahl das Kreuz oder die Seite bewegen; in größeren, kleineren Schritten',
};

export const de = Object.freeze(table);
