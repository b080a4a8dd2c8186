/** As `en.js` beside it, in German. */

import { formatterOf } from '../format.js';

const { number, plural, counted } = formatterOf('de');
const PEOPLE = { one: 'Person', other: 'Personen' };

/** @type {import('./en.js').LaterStrings} */
const table = {
  together: 'Gemeinsam',
  react: 'Reagieren',
  reactions: ['Daumen hoch', 'Herz', 'Stern', 'Lachen', 'Staunen', 'Frage'],
  raiseHand: 'Hand heben',
  showPlace: 'Eine Stelle zeigen',
  gather: 'Alle hierher holen',
  list: 'Wer ist da …',

  raisedHand: (name) => `${name} hebt die Hand`,
  youRaisedHand: 'Deine Hand ist gehoben.',
  youLoweredHand: 'Deine Hand ist unten.',
  handPlace: (place) => `Hand gehoben, Nummer ${number(place)}`,
  hands: (count) => `${counted(count, { one: 'Hand', other: 'Hände' })} gehoben`,

  follow: 'Folgen',
  followPerson: (name) => `${name} folgen`,
  following: (name) => `Du folgst ${name}`,
  stop: 'Beenden',
  stopTitle: 'Nicht mehr folgen (Esc)',
  youFollow: (name) => `Du siehst, was ${name} sieht. Escape beendet das.`,
  youFollowNobody: 'Du folgst niemandem mehr.',
  followedIsGone: (name) => `${name} ist gegangen. Du folgst niemandem mehr.`,
  followsYou: 'folgt dir',
  beganToFollow: (name) => `${name} folgt dir.`,
  followers: (count) => `${counted(count, PEOPLE)} ${plural(count, { one: 'folgt', other: 'folgen' })} dir`,

  showsPlace: (name) => `${name} zeigt eine Stelle.`,
  showsPlaceOutside: (name) => `${name} zeigt eine Stelle außerhalb deiner Ansicht. Dorthin`,
  tapPlace: 'Tippe auf die Stelle.',
  youShowPlace: 'Die anderen sehen diese Stelle.',
  wantsYou: (name) => `${name} möchte dir etwas zeigen`,
  goThere: 'Dorthin',
  broughtYou: (name) => `${name} hat dich hierher geholt`,
  goBack: 'Zurück',
  askedToCome: (count) => `${counted(count, PEOPLE)} hierher gebeten.`,
  notSoOften: 'Das hast du gerade getan. Warte einen Moment.',

  keyPlace: 'Eine Stelle zeigen: den Zeiger oder die Auswahl',
};

export const de = Object.freeze(table);
