/** The address of the shown page, and its undo history over reloads. */

import { Address } from './address.js';
import { UndoStore } from './undoStore.js';

/** @param {import('./undoStore.js').Parts} parts */
export function startPages(parts) {
  new Address(parts.sharing);
  const undoStore = new UndoStore(parts);
  addEventListener('pagehide', () => undoStore.save());
  document.addEventListener('visibilitychange', () => document.hidden && undoStore.save());
}
