/** The undo history of the shown page, over reloads. */

import { UndoStore } from './undoStore.js';

/** @param {import('./undoStore.js').Parts} parts */
export function startPages(parts) {
  const undoStore = new UndoStore(parts);
  addEventListener('pagehide', () => undoStore.save());
  document.addEventListener('visibilitychange', () => document.hidden && undoStore.save());
}
