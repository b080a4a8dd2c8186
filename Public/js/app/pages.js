/** The list of pages; the title and the address of the shown page; and its undo history over reloads. */

import { sheetOf } from '../model/sheets.js';
import { Title } from '../protocol/titleSync.js';
import { PageList } from '../persist/pageList.js';
import { thumbnailOf } from '../render/export/thumbnail.js';
import { onWhitePaper } from '../ui/exportDialog.js';
import { PagesDialog } from '../ui/pagesDialog.js';
import { showTitle } from '../ui/pageTitle.js';
import { Address, addressOf } from './address.js';
import { whenIdle } from './offline.js';
import { PageRecorder } from './pageRecorder.js';
import { UndoStore } from './undoStore.js';

/**
 * @typedef {import('./undoStore.js').Parts & Pick<import('./pageRecorder.js').Parts, 'scene' | 'profile'> & {
 *   newPage: () => void }} Parts
 */

/** The delay between a change and a new thumbnail. */
const RECORD_AFTER_MS = 10_000;

/** @param {Parts} parts @returns {PagesDialog} */
export function startPages(parts) {
  const { sharing, newPage } = parts;
  const title = sharing.title ??= new Title();
  new Address(sharing);
  const list = new PageList({ leases: sharing.leases });
  const paint = (/** @type {readonly import('../model/scene.js').Drawable[]} */ all) => {
    const { paint, paper } = onWhitePaper();
    const { sheet } = parts.scene;
    // The shown sheet; if it is empty, the sheet of the lowest object.
    const drawables = sheet.isEmpty
      ? all.filter(({ bounds }) => sheetOf(bounds) === sheetOf(all[0].bounds))
      : [...sheet.all];
    return thumbnailOf(drawables, paint, paper);
  };
  const later = (/** @type {() => void} */ run) => setTimeout(() => whenIdle(run), RECORD_AFTER_MS);
  const recorder = new PageRecorder({ ...parts, title, list, paint, later });
  const undoStore = new UndoStore(parts);
  showTitle(title, sharing);
  addEventListener('pagehide', () => {
    undoStore.save();
    recorder.save();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) return;
    undoStore.save();
    recorder.save();
  });
  whenIdle(() => list.prune(sharing.pageId));
  return new PagesDialog({
    list,
    title,
    newPage,
    addressOf,
    shown: () => sharing.pageId,
    record: () => recorder.save(),
  });
}
