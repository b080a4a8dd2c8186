/** Offers the time machine: in the menu, by links to a moment, and in the question before everything is removed. */

import { copyOfSheets, returning, returnSheets } from '../edit/returning.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { toast } from '../ui/dialogs.js';
import { element, make } from '../ui/elements.js';
import { pastErrorText } from '../ui/pastErrors.js';
import { clockIcon } from '../ui/pastIcons.js';
import { closePopover } from '../ui/popovers.js';
import { TimeMachine } from '../ui/timeMachine.js';
import { isOwn } from './sheets.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../ui/timeMachine.js').Moment} Moment
 *
 * @typedef {object} Parts
 * @property {URL} base the address of the gateway
 * @property {import('./sharing.js').Sharing} sharing
 * @property {import('../model/camera.js').Camera} camera
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../ui/itemView.js').ItemView} itemView
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../ui/selectionController.js').SelectionController} selectionController
 * @property {import('../ui/toolbar.js').Toolbar} toolbar
 * @property {import('../model/scheduling.js').FrameQueue} frameQueue
 * @property {import('./frameScheduler.js').FrameScheduler} frames
 * @property {MediaQueryList} reducedMotion
 * @property {Pick<ReturnType<typeof import('./shownSheet.js').showSheet>, 'sheets' | 'view'>} shownSheet
 * @property {typeof import('./session.js')} sessionModule
 */

/** The member of the address with a moment. */
const NAME = 'at';
/** The minimum number of objects for the question. A single object is removed without it, as by the eraser. */
const MIN_EVERYTHING = 2;

/** @param {Parts} parts */
export function offerTimeMachine(parts) {
  const { sharing, frames, selectionController, sessionModule: { members } } = parts;
  /** @type {TimeMachine | null} null until it is opened for the first time */
  let machine = null;
  const open = (/** @type {Moment | null} */ moment = null) => {
    const { session } = sharing;
    if (!session) return;
    machine ??= create(parts);
    machine.open(session, moment);
  };

  const label = make('span', {}, laterStrings.timeMachine);
  const entry = make('button', { type: 'button', id: 'show-past' }, clockIcon(), label);
  entry.addEventListener('click', () => {
    closePopover();
    open();
  });
  element('pages').after(entry);
  const update = () => (entry.hidden = !hasHistory(sharing));
  const followSession = () => {
    machine?.close();
    update();
    sharing.session?.addEventListener('connectionchange', update);
  };
  sharing.addEventListener('session', followSession);
  followSession();

  const goToNamed = () => {
    const text = members().get(NAME);
    if (text === null) return;
    const moment = momentIn(text);
    if (moment) return open(moment);
    toast(laterStrings.unknownMoment);
    nameNoMoment(parts);
  };
  addEventListener('hashchange', goToNamed);
  sharing.addEventListener('session', goToNamed);
  // A drawing without a session has no history.
  sharing.addEventListener('opened', () => sharing.session || nameNoMoment(parts));
  goToNamed();

  selectionController.questionOf = (isForGood) => removalQuestion(parts, isForGood);
  frames.run((now) => machine?.frame(now) ?? false);
}

/** @param {Parts} parts @returns {TimeMachine} */
function create(parts) {
  const { sharing, shownSheet, itemView, frames, sessionModule: { members, SHEET_MEMBER } } = parts;
  return new TimeMachine({
    ...parts,
    painter: itemView.painter,
    // The sheet of a link is shown as soon as the sheets are known.
    sheet: () => Number(members().get(SHEET_MEMBER)) || shownSheet.view.current,
    requestFrame: () => frames.request(),
    bringBack: (chosen, isAll, past, signal) => bringBack(parts, chosen, isAll, past, signal),
    linkTo: (sequence, sheet) => {
      const named = new URLSearchParams({ [NAME]: String(sequence) });
      if (sheet > 1) named.set(SHEET_MEMBER, String(sheet));
      return new URL(`/s/${sharing.session?.id}#${named}`, location.href).href;
    },
    closed: () => nameNoMoment(parts),
  });
}

/**
 * Brings objects of a past moment back.
 * @param {Pick<Parts, 'frameQueue' | 'selectionController' | 'toolbar' | 'shownSheet' | 'shapes' | 'itemStore'>} parts
 * @param {readonly Drawable[]} chosen @param {boolean} isAll true: the whole moment
 * @param {{ sheets: Pick<import('../protocol/sheetSync.js').Sheets, 'find'> }} past
 * @param {AbortSignal} signal aborted when the time machine is closed: then nothing comes back
 * @returns {Promise<string>} '' if something has come back; otherwise the reason why nothing has
 */
export async function bringBack(parts, chosen, isAll, past, signal) {
  const { frameQueue, selectionController, toolbar, shownSheet } = parts;
  // All received entries must be on the page before the objects are compared with it.
  const update = () => frameQueue.flush();
  update();
  const [first] = chosen;
  const sheetsThen = copyOfSheets(chosen, past.sheets);
  const { shapes, placed, copies, lost, problem } = await returning(chosen, { ...parts, update });
  // The page may show another session by now.
  if (signal.aborted) return '';
  const count = shapes.length + placed.length;
  const texts = count > 0 ? [laterStrings.broughtBack(count)] : [];
  if (copies > 0) texts.push(laterStrings.besidePresent(copies));
  if (lost > 0) texts.push(laterStrings.goneForGood(lost));
  if (problem) texts.push(pastErrorText(problem, laterStrings.historyErrors.unavailable));
  if (count === 0) return texts.join(' ') || laterStrings.nothingMissing;
  returnSheets(chosen, sheetsThen, shownSheet.sheets);
  const returned = selectionController.insert(shapes, placed);
  toast(texts.join(' '));
  if (isAll) return '';
  // A sheet that came back is known only after the change of the sheets was reported.
  queueMicrotask(() => shownSheet.view.showAt(first.bounds));
  returned.then((ids) => {
    toolbar.choose('select');
    selectionController.selectTool.select(ids);
  });
  return '';
}

/**
 * @param {Pick<Parts, 'scene' | 'selection' | 'sharing'>} parts
 * @param {boolean} isForGood true if a part of the selection cannot come back
 * @returns {import('../ui/dialogs.js').Question | null} the question to ask before the selection is removed, if the selection is
 *   everything on the sheet and includes the work of others
 */
export function removalQuestion({ scene, selection, sharing }, isForGood) {
  if (!sharing.session) return null;
  const rest = scene.sheet.all.filter(({ isLocked }) => !isLocked);
  if (rest.length < MIN_EVERYTHING || !rest.every(({ id }) => selection.has(id))) return null;
  if (rest.every((one) => isOwn(one, sharing))) return null;
  const texts = [laterStrings.othersWork];
  if (hasHistory(sharing)) texts.push(laterStrings.canBeRestored);
  if (isForGood) texts.push(laterStrings.filesAreGone);
  return { title: laterStrings.removeEverything, text: texts.join(' '), action: strings.remove, isDestructive: true };
}

/** @param {Pick<Parts['sharing'], 'session'>} sharing */
function hasHistory({ session }) {
  return (session?.limits.historyBytes ?? 0) > 0;
}

/** @param {string} text of an address @returns {Moment | null} null: it is no moment */
export function momentIn(text) {
  if (/^\d{1,16}$/.test(text)) return Number.isSafeInteger(Number(text)) ? { sequence: Number(text) } : null;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? null : { time };
}

/** Removes the moment from the address. @param {Parts} parts */
function nameNoMoment({ sessionModule: { members, setMember } }) {
  if (members().has(NAME)) setMember(NAME, null);
}
