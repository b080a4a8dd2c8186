/** The sheet that the page shows: the one that its address names, or else the first one. */

import { isSheet } from '../model/sheets.js';
import { SheetContents } from '../model/sheetContents.js';
import { Sheets } from '../protocol/sheetSync.js';
import { SheetView } from '../ui/sheetView.js';
import { members, setMember, SHEET_MEMBER } from './addressMembers.js';
import { keepOnBoard } from './boardSheets.js';
import { sessionIn } from './startPage.js';

/**
 * @typedef {object} Parts
 * @property {import('./sharing.js').Sharing} sharing
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} canvas in pixels
 * @property {import('../ui/canvasView.js').CanvasView} view
 * @property {import('../protocol/presence.js').Presence} presence
 * @property {import('./frameScheduler.js').FrameScheduler} frames
 * @property {() => boolean} isWorking returns true while this person draws or writes
 * @property {() => void} finish ends everything that is in progress on the shown sheet
 */

/** The delay before the others learn which sheet this page shows: a person may step through many sheets by keys. */
const REPORT_AFTER_MS = 300;

/** Shows the sheets of the page one at a time. @param {Parts} parts */
export function showSheet(parts) {
  const { sharing, scene, shapes, items, drawing, presence, frames } = parts;
  const sheets = sharing.sheets ??= new Sheets();
  const contents = new SheetContents(scene);
  const view = new SheetView({
    ...parts,
    sheets,
    contents,
    find: (id) => shapes.find(id) ?? items.find(id),
    requestFrame: () => frames.request(),
  });
  // The pages of other participants assume that a page shows the first sheet until it reports another one.
  let reported = 1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const report = () => {
    const { current } = view;
    if (current === reported) return;
    reported = current;
    // The address may still name the sheet that the page waits for.
    if (!view.isWaiting) nameInAddress(current);
    clearTimeout(timer);
    timer = setTimeout(() => presence.see(current), REPORT_AFTER_MS);
  };
  view.addEventListener('change', report);
  keepOnBoard(sheets, drawing, sharing);
  frames.run(() => view.frame());
  addEventListener('resize', () => view.resized());
  let isGone = false;
  view.addEventListener('gone', () => {
    nameInAddress(view.current);
    isGone = true;
  });
  const goToNamed = () => {
    const number = numberInAddress();
    if (number > 0) view.expect(number);
    // The page may have been shown before this part of it was loaded. Strokes that are drawn until the page enters the session of
    // its address are on a board, which does not know the sheets.
    const isShown = sharing.pageId !== null && (sharing.over !== null || !sessionIn(location.pathname));
    if (sharing.session?.isConnected ?? isShown) view.stopWaiting();
  };
  addEventListener('hashchange', goToNamed);
  goToNamed();
  // Another sheet may have been shown before this listener was added.
  report();
  drawing.addEventListener('caughtup', () => view.stopWaiting());
  for (const event of ['opened', 'session']) {
    sharing.addEventListener(event, () => sharing.session || view.stopWaiting());
  }
  return {
    sheets,
    contents,
    view,
    /** True if the sheet that the address named was not there. */
    get isGone() {
      return isGone;
    },
    /** The shown sheet as a part of a link; '' for the first one. */
    get hash() {
      return view.current === 1 ? '' : `#${SHEET_MEMBER}=${view.current}`;
    },
  };
}

/** @returns {number} the sheet that the address names; 0: none */
function numberInAddress() {
  const number = Number(members().get(SHEET_MEMBER));
  return isSheet(number) ? number : 0;
}

/** @param {number} number of the shown sheet */
function nameInAddress(number) {
  setMember(SHEET_MEMBER, number === 1 ? null : String(number));
}
