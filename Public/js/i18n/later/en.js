/**
 * The texts of parts that are loaded after the first stroke can be drawn, in English. Another language is another such file with
 * the same keys, listed in `i18n/later.js`.
 */

import { formatterOf } from '../format.js';

/** @typedef {typeof table} LaterStrings */

const { number, plural, counted } = formatterOf('en');
const PEOPLE = { one: 'person', other: 'people' };

const table = {
  // The keyboard on the canvas.
  helpPlacing: 'Enter places it in the middle. Arrow keys show a cross to draw it with.',
  helpText: 'Enter begins a text in the middle. Arrow keys show a cross for another place.',
  helpCross: 'Arrow keys move a cross. Enter begins and ends.',
  helpSelect: 'Comma and period go through all objects. U opens their list.',
  helpHand: 'Arrow keys move the page.',
  /** @param {string} place */
  crossShown: (place) => `Cross: ${place}.`,
  crossGone: 'Cross hidden.',
  begun: 'Begun.',
  ended: 'Ended.',
  cancelled: 'Cancelled.',
  /** @param {string} what */
  placed: (what) => `Placed and selected: ${what}`,
  tooSmall: 'Too small: nothing was drawn.',
  nothingErased: 'Nothing was removed.',
  /** The places in the view, row by row. */
  places: ['top left', 'top', 'top right', 'left', 'middle', 'right', 'bottom left', 'bottom', 'bottom right'],
  /** The directions in which something is outside of the view, in the same order. The middle is never used. */
  beyond: [
    'outside the view, above left',
    'outside the view, above',
    'outside the view, above right',
    'outside the view, to the left',
    'outside the view',
    'outside the view, to the right',
    'outside the view, below left',
    'outside the view, below',
    'outside the view, below right',
  ],

  // The list of objects.
  objects: 'List of objects',
  searchObjects: 'Search in the objects',
  objectsHelp: 'Enter selects an object and shows it. Delete removes it.',
  noObjects: 'There are no objects.',
  /** @param {number} count of entries of the list */
  objectsListed: (count) => counted(count, { one: 'entry', other: 'entries' }),
  /** @param {number} count of further entries */
  moreObjects: (count) => `Show more (${number(count)})`,
  objectGone: 'This object was removed.',
  /** @param {string} what */
  objectSelected: (what) => `Selected: ${what}`,
  /** @param {string} what */
  objectShown: (what) => `Shown: ${what}`,
  /** @param {string} what */
  removeObject: (what) => `Remove: ${what}`,
  /** @param {number} count */
  strokes: (count) => counted(count, { one: 'stroke', other: 'strokes' }),
  /** @param {number} count */
  highlights: (count) => counted(count, { one: 'highlighter stroke', other: 'highlighter strokes' }),
  /** @param {string} text its content */
  textObject: (text) => `Text “${text}”`,
  /** @param {string} name */
  drawnBy: (name) => `by ${name}`,
  drawnByYou: 'by you',
  black: 'black',
  white: 'white',

  // The list of keys.
  keyEnter: 'Place a shape or text in the middle; begin and end a stroke',
  keyCross: 'Without a selection, move the cross or the page; in larger, smaller steps',
  // The panel.
  together: 'Together',
  react: 'React',
  /** In the order of the emoji. */
  reactions: ['Thumbs up', 'Heart', 'Star', 'Laughing', 'Surprised', 'Question'],
  raiseHand: 'Raise your hand',
  showPlace: 'Show a place',
  gather: 'Bring everybody here',
  list: 'Who is here…',

  // Raised hands.
  /** @param {string} name */
  raisedHand: (name) => `${name} raises a hand`,
  youRaisedHand: 'Your hand is raised.',
  youLoweredHand: 'Your hand is lowered.',
  /** @param {number} place */
  handPlace: (place) => `hand raised, number ${number(place)}`,
  /** @param {number} count */
  hands: (count) => `${counted(count, { one: 'hand', other: 'hands' })} raised`,

  // Following.
  follow: 'Follow',
  /** @param {string} name */
  followPerson: (name) => `Follow ${name}`,
  /** @param {string} name */
  following: (name) => `Following ${name}`,
  stop: 'Stop',
  stopTitle: 'Stop following (Esc)',
  /** @param {string} name */
  youFollow: (name) => `You see what ${name} sees. Escape ends this.`,
  youFollowNobody: 'You follow nobody now.',
  /** @param {string} name */
  followedIsGone: (name) => `${name} has left. You follow nobody now.`,
  followsYou: 'follows you',
  /** @param {string} name */
  beganToFollow: (name) => `${name} follows you.`,
  /** @param {number} count */
  followers: (count) => `${counted(count, PEOPLE)} ${plural(count, { one: 'follows', other: 'follow' })} you`,

  // Pointing.
  /** @param {string} name */
  showsPlace: (name) => `${name} shows a place.`,
  /** @param {string} name */
  showsPlaceOutside: (name) => `${name} shows a place outside of your view. Go there`,
  tapPlace: 'Tap the place to show.',
  youShowPlace: 'The others see this place.',
  /** @param {string} name */
  wantsYou: (name) => `${name} wants to show you something`,
  goThere: 'Go there',
  /** @param {string} name */
  broughtYou: (name) => `${name} brought you here`,
  goBack: 'Back',
  /** @param {number} count */
  askedToCome: (count) => `${counted(count, PEOPLE)} asked to come here.`,
  notSoOften: 'You have just done that. Wait a moment.',

  // The list of keys.
  keyPlace: 'Show a place: the pointer, or the selection',
};

export const en = Object.freeze(table);
