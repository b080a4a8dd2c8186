/**
 * The English texts of parts that are loaded after the first stroke can be drawn. For another language, add such a file with the
 * same keys, and list it in `i18n/later.js`.
 */

import { formatterOf } from '../format.js';

/** @typedef {typeof table} LaterStrings */

const { number, plural, counted, list, moment } = formatterOf('en');
const PAGES = { one: 'page', other: 'pages' };
const STROKES = { one: 'stroke', other: 'strokes' };
const PICTURES = { one: 'picture', other: 'pictures' };
const FILES = { one: 'file', other: 'files' };
const TEXTS = { one: 'text', other: 'texts' };
const ARE = { one: 'is', other: 'are' };
const PEOPLE = { one: 'person', other: 'people' };
const SHEETS = { one: 'sheet', other: 'sheets' };
const OBJECTS = { one: 'object', other: 'objects' };
const DAMAGED_OBJECTS = { one: 'damaged object', other: 'damaged objects' };

const table = {
  // The keyboard on the canvas.
  helpPlacing: 'Enter places it in the middle. Arrow keys show a cross to draw it with.',
  helpNote: 'Enter places a note in the middle, to write on it. Arrow keys show a cross to draw it with.',
  helpText: 'Enter begins a text in the middle. Arrow keys show a cross to choose another place.',
  helpCross: 'Arrow keys move a cross. Enter begins and ends.',
  helpSelect: 'Comma and period step through all objects. U opens their list.',
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
  /** The parts of the view, row by row. */
  places: ['top left', 'top', 'top right', 'left', 'middle', 'right', 'bottom left', 'bottom', 'bottom right'],
  /** The directions in which an object is outside of the view, in the same order. The middle is never used. */
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
  /** @param {string} text its content */
  noteObject: (text) => `Note “${text}”`,
  lockedObject: 'locked',
  lockedStays: 'It is locked. Unlock it first.',
  /** @param {string} name */
  drawnBy: (name) => `by ${name}`,
  drawnByYou: 'by you',
  blackInk: 'black',
  whiteInk: 'white',

  // Who is who.
  /** @param {string} name */
  youAreCalled: (name) => `You are ${name}`,
  change: 'Change',
  authors: { you: 'You', former: 'Someone who left' },
  editors: { you: 'changed by you', former: 'changed by someone who left' },
  /** @param {string} name */
  changedBy: (name) => `changed by ${name}`,

  // The list of keys.
  keyEnter: 'Place a shape or text in the middle; begin and end a stroke',
  keyCross: 'Without a selection, move the cross or the page; in larger or smaller steps',
  // The panel.
  together: 'Together',
  react: 'React',
  /** In the order of the emoji. */
  reactions: ['Thumbs up', 'Heart', 'Star', 'Laughing', 'Surprised', 'Question'],
  raiseHand: 'Raise your hand',
  showPlace: 'Show a place',
  gather: 'Bring everyone here',
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
  youFollow: (name) => `You see what ${name} sees. Press Escape to stop.`,
  youFollowNobody: 'You no longer follow anyone.',
  /** @param {string} name */
  followedIsGone: (name) => `${name} has left. You no longer follow anyone.`,
  followsYou: 'follows you',
  /** @param {string} name */
  beganToFollow: (name) => `${name} follows you.`,
  /** @param {number} count */
  followers: (count) => `${counted(count, PEOPLE)} ${plural(count, { one: 'follows', other: 'follow' })} you`,

  // Pointing.
  /** @param {string} name */
  showsPlace: (name) => `${name} shows a place.`,
  /** @param {string} name @param {string} sheet */
  showsPlaceOn: (name, sheet) => `${name} shows a place on ${sheet}.`,
  /** @param {string} name */
  showsPlaceOutside: (name) => `${name} shows a place outside your view. Go there`,
  tapPlace: 'Tap the place to show.',
  youShowPlace: 'The others see this place.',
  /** @param {string} name */
  wantsYou: (name) => `${name} wants to show you something`,
  goThere: 'Go there',
  /** @param {string} name */
  broughtYou: (name) => `${name} brought you here`,
  goBack: 'Back',
  /** @param {number} count */
  askedToCome: (count) => `You asked ${counted(count, PEOPLE)} to come here.`,
  notSoOften: 'You have just done that. Wait a moment.',

  // The list of keys.
  keyPlace: 'Show a place: the pointer, or the selection',

  /** In the order of the palette. */
  colors: ['Red', 'Orange', 'Yellow', 'Green', 'Mint', 'Teal', 'Cyan', 'Indigo', 'Purple', 'Pink', 'Brown'],
  adaptiveInk: 'Black, or white on dark paper',
  grays: ['Dark gray', 'Light gray'],
  widths: ['Fine', 'Medium', 'Broad'],
  fills: ['None', 'Tint', 'Full'],
  dashes: ['Solid', 'Dashed', 'Dotted'],
  font: 'Font',
  fonts: ['Handwriting', 'Print'],
  keyTools: 'Pen, highlighter, eraser, selection',
  keyEraser: 'Erase whole strokes or parts',
  keyShapes: 'Line, arrow, rectangle, ellipse',
  keyRegular: 'Equal sides or straight; from the center',
  keySize: 'Enlarge or reduce the selection',
  keyRemove: 'Remove the selection',
  keyAll: 'Select all',
  keyStep: 'Select the previous or next object',
  keyCopy: 'Copy, paste; also on other pages',
  keyWidth: 'Finer, broader',
  keyColors: 'Colors; C your own',
  keyHand: 'Move the page; also with two fingers or the wheel',
  keyZoom: 'Zoom in or out',
  keyActualSize: 'Actual size',
  keyList: 'This list',
  space: 'Space',
  drag: 'drag',
  copied: 'Copied',
  onlyThisDevice:
    'Only this device can open this link. To draw with others, open the page at the address that this machine has in your network.',
  inNetwork: 'Devices in the same network can open this link.',
  inNetworkWithWarning:
    'Devices in the same network can open this link. Their browsers may warn at first, because they do not know the certificate of this machine.',
  damagedLink: 'This link is damaged',
  damagedLinkText:
    'It is incomplete, or something else is wrong with it, so it leads to no session. Ask for the link again. Until then, you can draw alone.',
  drawAlone: 'Draw alone',
  you: 'you',
  /** The states of a person. */
  presence: { drawing: 'drawing now', here: 'here', away: 'away' },
  /** @param {number} minutes */
  idleFor: (minutes) => `idle for ${number(minutes)} min`,
  /** @param {number} count */
  tabs: (count) => `${number(count)} tabs`,
  pageTitle: 'Title of this page',
  searchPages: 'Search',
  pagesHere: 'Only this device has this list.',
  /** @param {number} count */
  pagesFound: (count) => `${counted(count, PAGES)} found.`,
  untitled: 'Untitled',
  shownPage: 'this page',
  /** @param {string} names */
  withPeople: (names) => `with ${names}`,
  pageEnded: 'ended',
  onlyHere: 'only on this device',
  unsent: 'not sent yet',
  someOpenElsewhere: 'Pages that are open in other tabs stay.',
  openElsewhere: 'This page is open in another tab.',
  /** @param {string} name */
  removePage: (name) => `Remove ${name} from the list`,
  removeEntry: 'It is removed from this list. Its link still works for you and for everyone else.',
  removeLastCopy: 'This device may have the only copy. It cannot be brought back.',
  removeAllPages: 'Remove all…',
  /** @param {number} count */
  removePages: (count) => `Remove ${counted(count, PAGES)}?`,
  /** @param {number} count */
  removeLastCopies: (count) =>
    `This device may have the only copy of ${counted(count, PAGES)}. ${
      plural(count, { one: 'It', other: 'They' })
    } cannot be brought back.`,
  /** @param {string} name @param {string} title */
  titleChanged: (name, title) => `${name} named this page ${title}`,
  /** @param {string} name */
  titleRemoved: (name) => `${name} removed the title of this page`,
  moment,
  /** @param {number} count */
  pastedAs: (count) => `The pasted text is long: it became ${counted(count, TEXTS)}.`,
  /** @param {number} limit @param {number} count */
  pastedPart: (limit, count) =>
    `The pasted text is too long: only its first ${number(limit)} characters are here, as ${counted(count, TEXTS)}.`,
  pause: 'Pause',
  pauseAnimation: 'Pause the animation',
  playAnimation: 'Play the animation',
  resume: 'Resume',
  paused: 'paused',
  waiting: 'waiting',
  noConnection: 'no connection',
  loading: 'Loading…',
  /** @param {string} name */
  uploadOf: (name) => `Upload of ${name}`,
  /** @param {string} name */
  onPage: (name) => `${name} is on the page.`,
  /** @param {string} name @param {string} why */
  notUploaded: (name, why) => `${name} was not uploaded. ${why}`,
  /** @param {string} name */
  uploadPaused: (name) => `The upload of ${name} is paused.`,
  /** @param {string} name */
  uploading: (name) => `${name} is being uploaded.`,
  /** @param {string} name */
  uploaded: (name) => `${name} is uploaded.`,
  /** @param {string} name */
  picture: (name) => `Picture ${name}`,
  /** @param {string} name */
  file: (name) => `File ${name}`,
  /** @param {string} name */
  addedBy: (name) => `added by ${name}`,
  failed: 'not uploaded',
  /** @param {string} done */
  underWay: (done) => `uploading, ${done}`,
  unreadable: 'This file cannot be read.',
  /** @param {number} count */
  filesUnreadable: (count) => `${counted(count, FILES)} cannot be read.`,
  /** @param {number} count @param {string} limit */
  filesTooLarge: (count, limit) =>
    `${counted(count, FILES)} ${plural(count, ARE)} too large. The limit here is ${limit}.`,
  copyTooLarge: 'This browser cannot create such a large picture.',
  /** @param {number} count */
  savedWithout: (count) =>
    `Saved without ${count === 1 ? 'a picture' : counted(count, PICTURES)} that cannot be loaded.`,
  pictureCopied: 'The picture is on the clipboard.',
  /** @param {number} width @param {number} height */
  pixels: (width, height) => `PNG, ${number(width)} × ${number(height)} pixels.`,
  noLarger: 'Browsers cannot create a larger picture.',
  /** The uses of the other formats. @type {Record<string, string>} */
  formats: {
    svg: 'SVG: sharp at any size, in browsers and drawing programs.',
    drawing: 'A file with everything on the page. With “Open…” you can continue to draw on it.',
  },
  // The pages of a PDF.
  pdf: {
    opening: 'Opening…',
    choose: 'Choose the pages to add as pictures.',
    pages: 'Pages',
    /** @param {number} page */
    page: (page) => `Page ${page}`,
    /** @param {number} count */
    chosen: (count) => `${counted(count, PAGES)} selected.`,
    /** @param {number} limit */
    tooMany: (limit) => `At most ${number(limit)} pages can be added at a time.`,
    /** @param {number} limit */
    onlyFirst: (limit) => `The first ${number(limit)} pages can be chosen here.`,
    all: 'Select all',
    none: 'Select none',
    asFile: 'Add the PDF as a file, too',
    add: 'Add',
    /** @param {number} page @param {number} count */
    adding: (page, count) => `Adding page ${number(page)} of ${number(count)}…`,
    /** @param {string} name @param {number} page */
    picture: (name, page) => `${name} p. ${page}`,
    /** @param {number} page */
    damagedPage: (page) => `Page ${page} is damaged.`,
    password: 'Password',
    locked: 'This PDF is protected. Enter its password to see the pages.',
    wrongPassword: 'That is not the password.',
    open: 'Open',
    unreadable: 'Its pages cannot be shown. The PDF was added as a file.',
    notHere: 'This server cannot show the pages of a PDF. The PDF was added as a file.',
  },
  /** @param {string} percent */
  beingMade: (percent) => `Creating the copy: ${percent}`,
  /** @param {number} count */
  openedWithout: (count) => `Opened without ${counted(count, DAMAGED_OBJECTS)}.`,
  noDrawing: 'This is not a drawing from Draw Together, or it is damaged.',
  drawingTooNew: 'This drawing was saved by a newer version. Load the page again.',
  /** @param {string} size @param {string} limit */
  drawingTooLarge: (size, limit) => `This drawing is ${size}. At most ${limit} can be opened.`,
  /** @param {number} count */
  shapesInFile: (count) => counted(count, STROKES),
  /** @param {string} what @param {number} limit */
  tooManyInDrawing: (what, limit) => `There are ${what} in this drawing. At most ${number(limit)} can be opened.`,
  /** @param {string} done @param {string} total */
  doneOf: (done, total) => `${done} of ${total}`,
  fewSecondsLeft: 'a few seconds left',
  /** @param {number} seconds */
  secondsLeft: (seconds) => `${number(seconds)} s left`,
  /** @param {number} minutes */
  minutesLeft: (minutes) => `${number(minutes)} min left`,
  /** @param {number} hours @param {number} minutes */
  hoursLeft: (hours, minutes) => `${number(hours)} h ${minutes > 0 ? `${number(minutes)} min ` : ''}left`,

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
  /** @param {string} name of a sheet */
  onSheet: (name) => `on ${name}`,
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
  removeSheetText: 'Others have drawn on this sheet. Anyone can bring it back from the list of sheets.',
  /** @param {string} names @param {number} count */
  removeSeenSheetText: (names, count) =>
    `${names} ${count === 1 ? 'is' : 'are'} on this sheet. Anyone can bring it back from the list of sheets.`,
  removedSheets: 'Removed',
  restoreSheet: 'Bring back',
  /** @param {string} name */
  restoreSheetOf: (name) => `Bring back ${name}`,
  /** @param {string} name */
  youRemovedSheet: (name) => `You removed ${name}. Undo brings it back.`,
  /** @param {string} person @param {string} name */
  removedSheetBy: (person, name) => `${person} removed ${name}. You can bring it back from the list of sheets.`,
  /** @param {string} name */
  changedRemovedSheet: (name) =>
    `That was on ${name}, which is removed. You can bring it back from the list of sheets.`,
  sheetGone: 'The sheet of this link no longer exists.',
  tooManySheets: 'This page has no room for another sheet.',
  allSheets: 'All sheets',
  /** @param {number} count */
  sheetsInArchive: (count) => `${counted(count, SHEETS)}, as pictures in a ZIP file`,
  /** @param {number} count */
  sheetsInDrawing: (count) => `${counted(count, SHEETS)} in one file`,
  keySheets: 'Previous or next sheet',

  // The time machine.
  timeMachine: 'Time machine',
  pastMoment: 'Moment',
  pastPage: 'The page at this moment',
  /** @param {string} when @param {string} who '' if unknown */
  momentBy: (when, who) => who ? `${when}, ${who}` : when,
  unknownTime: 'Time unknown',
  loadingHistory: 'Loading the history…',
  noHistory: 'This server keeps no history of this session.',
  emptyHistory: 'There is no history yet. Draw something, and look again in a moment.',
  unknownMoment: 'This link does not name a moment.',
  momentGone: 'This part of the history is no longer kept.',
  /** @type {Record<string, string>} by the code of the error */
  historyErrors: {
    damaged: 'This part of the history is damaged. Other moments may be all right.',
    'too-large': 'This moment is too large to be shown.',
    unavailable: 'The server does not answer. Try again in a moment.',
  },
  chooseInPast: 'To select objects, tap them or draw a box around them.',
  play: 'Play',
  playTitle: 'Play (Space)',
  pausePlayback: 'Pause',
  speed: 'Speed',
  /** @param {number} speed */
  times: (speed) => `${number(speed)}×`,
  previousChange: 'Previous change',
  nextChange: 'Next change',
  momentLink: 'Link to this moment',
  copyMomentLink: 'Copy link to this moment',
  bringMomentBack: 'Bring this moment back',
  /** @param {number} count */
  bringObjectsBack: (count) => plural(count, { one: 'Bring this back', other: `Bring ${number(count)} objects back` }),
  needsConnection: 'Objects can come back when this page is connected again.',
  /** @param {number} count */
  broughtBack: (count) =>
    `${counted(count, OBJECTS)} ${plural(count, ARE)} back. Undo removes ${
      plural(count, { one: 'it', other: 'them' })
    } again.`,
  /** @param {number} count */
  besidePresent: (count) =>
    `${counted(count, OBJECTS)} ${plural(count, { one: 'has', other: 'have' })} changed since: both are on the page.`,
  /** @param {number} count */
  goneForGood: (count) =>
    `${counted(count, { one: 'picture or file', other: 'pictures or files' })} cannot come back: ${
      plural(count, { one: 'its content is', other: 'their contents are' })
    } gone.`,
  nothingMissing: 'All of this is already on the page.',

  // The question before everything is removed.
  removeEverything: 'Remove everything for everyone?',
  othersWork: 'This includes the work of others.',
  canBeRestored: 'Anyone can bring it back with the time machine.',
  filesAreGone: 'Pictures and files cannot come back.',
};

export const en = Object.freeze(table);
