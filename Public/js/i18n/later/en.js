/**
 * The texts of parts that are loaded after the first stroke can be drawn, in English. Another language is another such file with
 * the same keys, listed in `i18n/later.js`.
 */

import { formatterOf } from '../format.js';

/** @typedef {typeof table} LaterStrings */

const { number, plural, counted } = formatterOf('en');
const PEOPLE = { one: 'person', other: 'people' };

const table = {
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
