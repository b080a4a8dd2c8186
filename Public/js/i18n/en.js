/**
 * The English texts that the markup does not contain. For another language, add such a file, which also has the texts of the
 * markup, and a file in `later`. Add the language to the lists in `app/early.js`, `i18n.js`, `later.js` and `languages.js`.
 */

import { formatterOf } from './format.js';

/**
 * The keys of the texts and labels that only the markup uses. The markup contains them in English.
 * @typedef {'description' | 'skip' | 'items' | 'chosen' | 'drop' | 'toAdd' | 'whoIsHere' | 'share' | 'messages' | 'notEncrypted'
 *   | 'zoom' | 'closer' | 'farther' | 'save' | 'tools' | 'tool' | 'color' | 'width' | 'fill' | 'dash' | 'opacity' | 'history'
 *   | 'undo' | 'redo' | 'keys' | 'language' | 'fingersDraw' | 'theme' | 'shareTitle' | 'shareText'
 *   | 'link' | 'send' | 'code' | 'scan' | 'address' | 'yourName' | 'nameText' | 'over' | 'startAnew' | 'tryNow' | 'copyAs'
 *   | 'asPicture' | 'asVectors' | 'size' | 'paper' | 'asPage' | 'white' | 'noPaper' | 'onlyChosen' | 'copyPicture'
 *   | 'print' | 'open' | 'languageText' | 'ofBrowser'} MarkupKey
 */

/** @typedef {typeof table & Record<MarkupKey, string>} Strings */

const { number, plural, counted, list } = formatterOf('en');
const STROKES = { one: 'stroke', other: 'strokes' };
const PICTURES = { one: 'picture', other: 'pictures' };
const FILES = { one: 'file', other: 'files' };
const OBJECTS = { one: 'object', other: 'objects' };
const PEOPLE = { one: 'person', other: 'people' };
const ARE = { one: 'is', other: 'are' };

const table = {
  // Around the page.
  page: 'The page that everyone draws on',
  hintAlone: 'Draw. Then invite someone.',
  hintTogether: 'Draw. Everyone here sees it.',
  showEverything: 'Show everything',
  notEncryptedText:
    'Others in this network can read everything, and the picture can be saved but not copied. If this server has an https:// address, open the page there.',
  closerTitle: 'Zoom in (+)',
  fartherTitle: 'Zoom out (−)',
  zoomTitle: '100 % (Shift 0)',
  close: 'Close',
  done: 'Done',
  cancel: 'Cancel',

  // The tools.
  select: 'Select',
  selectTitle: 'Select, move and resize (V)',
  pen: 'Pen',
  penTitle: 'Pen (P)',
  eraser: 'Eraser',
  eraserTitle: 'Eraser (E)',
  moreTools: 'More tools',
  highlighter: 'Highlighter',
  highlighterTitle: 'Highlighter (M)',
  line: 'Line',
  lineTitle: 'Line (L)',
  arrow: 'Arrow',
  arrowTitle: 'Arrow (A)',
  rectangle: 'Rectangle',
  rectangleTitle: 'Rectangle (R)',
  ellipse: 'Ellipse',
  ellipseTitle: 'Ellipse (O)',
  text: 'Text',
  textTitle: 'Text (T)',
  note: 'Sticky note',
  noteTitle: 'Sticky note (N)',
  hand: 'Move the page',
  handTitle: 'Move the page (H)',
  laser: 'Laser pointer',
  laserTitle: 'Laser pointer (K)',
  add: 'Add pictures or files',
  addTitle: 'Add pictures or files (I)',
  ink: 'Color and width',
  ownColor: 'Your own color (press again to change it)',
  moreStyles: 'More colors and styles',
  erases: 'The eraser removes',
  wholeStrokes: 'Whole strokes',
  partsOfStrokes: 'Parts',
  undoTitle: 'Undo (Ctrl Z)',
  redoTitle: 'Redo (Ctrl Shift Z)',
  more: 'More',
  newPage: 'New page',
  saveCopy: 'Save a copy',
  /** In the order of the choice. */
  themes: ['System', 'Light', 'Dark'],
  leave: 'Leave',
  end: 'End for everyone',
  /** @param {number} count */
  endFor: (count) => `End for all ${counted(count, PEOPLE)}…`,

  fingersMove: 'The pen draws, and fingers move the page. You can change this in the menu.',

  // What is drawn.
  nothingDrawn: 'Nothing is drawn yet.',
  /** @param {number} count */
  strokesDrawn: (count) => `${counted(count, STROKES)} ${plural(count, ARE)} drawn.`,
  /** @param {number} pictures @param {number} files */
  itemsOnPage: (pictures, files) => {
    const parts = [pictures && counted(pictures, PICTURES), files && counted(files, FILES)].filter(Boolean);
    return `${parts.join(' and ')} ${plural(pictures + files, ARE)} on the page.`;
  },

  // The list of keys.
  keyMove: 'Move the selection; with Shift in larger steps',
  keyUndo: 'Undo; with Shift redo',
  ctrl: 'Ctrl',
  shift: 'Shift',
  delete: 'Delete',
  pageUp: 'Page ↑',

  // Sharing.
  copy: 'Copy',
  copyByHand: 'The link is selected. Copy it with Ctrl C, or touch and hold it.',

  // People.
  changeName: 'Change my name',
  /** @param {string} name */
  tookAway: (name) => `${name} removed this`,
  /** @param {string} name */
  youAre: (name) => `You, ${name}. Change your name`,
  /** @param {number} count */
  morePeople: (count) => `${number(count)} more`,
  /** @param {number} count */
  people: (count) => counted(count, PEOPLE),
  /** @param {string[]} names */
  names: (names) => list(names),
  /** @param {string} names @param {number} count */
  areHere: (names, count) => `${names} ${plural(count, ARE)} here.`,
  /** @param {string} names @param {number} _count */
  joined: (names, _count) => `${names} joined`,
  /** @param {string} names @param {number} _count */
  left: (names, _count) => `${names} left`,
  /** The first and the second words of random names. */
  firstNames: [
    'Amber',
    'Azure',
    'Coral',
    'Crimson',
    'Golden',
    'Jade',
    'Lilac',
    'Olive',
    'Rosy',
    'Russet',
    'Silver',
    'Violet',
  ],
  secondNames: [
    'Badger',
    'Finch',
    'Fox',
    'Gecko',
    'Hare',
    'Heron',
    'Lynx',
    'Magpie',
    'Newt',
    'Otter',
    'Robin',
    'Swift',
  ],

  // The list of pages.
  myPages: 'My pages',
  pagesTitle: 'My pages, and the title of this page',

  // A session's beginning and end.
  newPageTitle: 'Start a new page?',
  /** @param {number} count */
  newPageForAll: (count) => `Start a new page for all ${counted(count, PEOPLE)}?`,
  oldPageStays: 'The old one stays as it is, under its own link.',
  oldPageKept: 'The old one stays on this device, under “My pages”.',
  oldPageGoes: 'Your drawing will be lost.',
  aNewPage: 'A new page.',
  /** @param {string} name */
  startedNewPage: (name) => `${name} started a new page.`,
  seeOldPage: 'See the old one',
  leaveTitle: 'Leave this session?',
  leaveText: 'The picture stays here with you.',
  leaveOthers: 'The others continue to draw. The picture stays here with you.',
  endTitle: 'End this session?',
  /** @param {number} count */
  endForAll: (count) => `End it for all ${counted(count, PEOPLE)}?`,
  endText: 'Everyone keeps the picture, but you can no longer draw on it together.',
  youLeft: 'You left. The picture is yours alone now.',
  pictureStays: 'The picture is still here.',
  overForLate: 'This session has ended. Only those who were in it still have its picture.',
  look: 'Look at the picture',
  tryAgain: 'Try again',
  startSession: 'Start a new session',
  startWithPicture: 'Start a new session with this picture',
  goneTitle: 'This session no longer exists',
  goneText: 'The server does not have it any more.',
  /** By the kind of the end. */
  overTitles: {
    left: 'You left',
    ended: 'This session has ended',
    unknown: 'There is no such session',
    full: 'This session is full',
    version: 'This page is too old',
    refused: 'The server refused this page',
  },

  // The connection.
  reconnecting: 'Reconnecting…',
  connecting: 'Connecting…',
  offline: 'Offline. This is the picture as this device last saw it.',
  offlinePart: 'Offline. This is a part of the picture as this device last saw it.',
  tryingAgain: 'Trying again…',
  drawOn: 'Keep drawing. Nothing is lost.',
  /** @param {number} strokes @param {number} pictures @param {number} files */
  areSafe: (strokes, pictures, files) => {
    const parts = [
      strokes && counted(strokes, STROKES),
      pictures && counted(pictures, PICTURES),
      files && counted(files, FILES),
    ];
    return `${list(parts.filter(Boolean).map(String))} ${plural(strokes + pictures + files, ARE)} safe on this device.`;
  },
  /** @param {number} count */
  willBeSent: (count) => `${counted(count, STROKES)} will be sent.`,
  back: 'Back.',
  /** @param {number} count */
  sending: (count) => `Back. Sending ${counted(count, STROKES)}…`,
  /** @param {number} count */
  sent: (count) => `Back. ${counted(count, STROKES)} sent.`,
  notLoaded: 'A part of the page could not be loaded. Load the page again.',
  notKept: 'This browser stores nothing. Your drawing is lost when you close or reload this page.',
  keepOpen: 'Keep this page open.',
  notSaved: 'Not saved at the moment. Keep this page open.',
  noRoom: 'The server has no space at the moment. Your changes will be sent later.',
  slowDisk: 'The server is slow to save at the moment. Your changes will be sent later.',
  /** The reasons for which the gateway refuses connections, by its code. */
  troubles: {
    'storage-full': 'The server cannot save anything now.',
    'session-full': 'This session is full.',
    internal: 'The server cannot open this session.',
  },

  // What is chosen.
  duplicate: 'Duplicate',
  duplicateTitle: 'Duplicate (Ctrl D)',
  bringToFront: 'Bring to front',
  bringToFrontTitle: 'Bring to front (Page ↑)',
  /** @param {number} count */
  thingsChosen: (count) => `${counted(count, OBJECTS)} selected.`,
  /** @param {number} count */
  removeThings: (count) => `Remove ${counted(count, OBJECTS)} for everyone?`,
  /** @param {number} count */
  thingsRemoved: (count) => `${counted(count, OBJECTS)} removed.`,

  /** @param {number} limit */
  textIsFull: (limit) =>
    `A text has at most ${number(limit)} characters. Paste a longer one beside it: it becomes several texts.`,

  // Pictures and files.
  download: 'Download',
  /** @param {string} name */
  downloadOf: (name) => `Download ${name}`,
  remove: 'Remove',
  removeTitle: 'Remove (Delete)',
  somebody: 'Someone',
  /** @param {string} name @param {string} what */
  adds: (name, what) => `${name} adds ${what}`,
  /** @param {string} what */
  removed: (what) => `Removed: ${what}`,
  /** @param {string} name */
  youRemoved: (name) => `Removed ${name}`,
  /** @param {number} count */
  files: (count) => counted(count, FILES),
  /** @param {string} name */
  removeQuestion: (name) => `Remove ${name}?`,
  /** @param {string} name */
  removeForAll: (name) => `Remove ${name} for everyone?`,
  cannotComeBack: 'This cannot be undone.',
  removedByOther: 'Someone else removed it.',
  /** @param {string} size @param {string} limit */
  tooLarge: (size, limit) => `This file is ${size}. The limit here is ${limit}.`,
  /** @param {string} name */
  notThere: (name) => `“${name}” is not available yet.`,
  /** @param {string} why */
  notBrought: (why) => `It could not be added to this session. ${why}`,
  noPicture: 'This is not a picture.',
  damaged: 'The picture is damaged.',
  cannotShow: 'This picture cannot be shown.',

  // Export and import.
  asDrawing: 'Drawing',

  // Numbers.
  number,
  /** The units of sizes, each 1,024 times the one before. The smallest is 1,024 bytes. */
  units: ['KB', 'MB', 'GB', 'TB'],
  /** @param {number} count */
  percent: (count) => `${number(count)} %`,
  /** @param {number} count */
  bytes: (count) => counted(count, { one: 'byte', other: 'bytes' }),

  // The choice of a language.
  languageLater: 'The language changes when you open the page again.',

  /** The gateway's notices to all participants, by code. */
  notices: {
    'session-quota': 'This session is nearly full.',
    saved: 'Everything is saved again.',
    damaged: 'A part of this session was lost: strokes may be missing, and deleted ones may be back.',
  },
  /** Errors about the content of a file, by their codes. @type {Record<string, (name: string) => string>} */
  fileErrors: {
    'not-ready': (name) => `“${name}” is still being uploaded.`,
    unavailable: (name) => `“${name}” could not be loaded.`,
    unreadable: (name) => `“${name}” was changed or can no longer be read.`,
  },
  /** True if the gateway's sentences about errors are in this language. */
  speaksAsGateway: true,
  /** The texts of errors without a text in this language, by their codes. */
  codes: {
    'bad-request': 'The server did not understand that.',
    'unsupported-version': 'The server speaks another version. Load the page again.',
    'not-found': 'It no longer exists.',
    ended: 'Someone ended it for everyone.',
    'session-full': 'This session is full.',
    'origin-refused': 'The server does not accept this from this page.',
    'token-needed': 'The server does not know you any more. Load the page again.',
    'not-joined': 'You are not in this session any more.',
    'message-too-large': 'That is too much at once.',
    'rate-limited': 'That was too much at once. Try again in a moment.',
    'sequence-gap': 'Something was lost on the way. Load the page again.',
    'bad-entry': 'The server did not understand that.',
    'unknown-participant': 'The person for whom this was meant is no longer here.',
    'session-quota': 'There is no room left in this session. Remove something first.',
    'attachment-too-large': 'This file is too large.',
    'storage-full': 'The server has no space at the moment. Try again later.',
    'offset-mismatch': 'The server has another part of the file. Try again.',
    'digest-mismatch': 'The file was damaged on the way. Try again.',
    damaged: 'The file is damaged on the server.',
    'not-ready': 'It is still being uploaded.',
    'too-many': 'There are too many requests at the moment. Try again later.',
    unavailable: 'The server cannot be reached.',
    internal: 'An error occurred on the server.',
    unreadable: 'The file was changed or can no longer be read.',
    cancelled: 'The upload was cancelled.',
    left: 'You left the session.',
    unknown: 'The link may be wrong, or the session ended long ago.',
    full: 'This session is full.',
    version: 'The server speaks a newer version. Load the page again.',
    refused: 'The server closed the connection.',
  },
};

/** Without the texts that the markup has. */
export const en = /** @type {Readonly<Strings>} */ (Object.freeze(table));
