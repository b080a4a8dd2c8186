/** The undo history of this tab, which survives reloads and visits to other pages. */

import { readCommands, storeCommands } from '../edit/storedCommands.js';

/**
 * @typedef {import('../edit/storedCommands.js').StoredHistory & { page: string, version: number }} StoredPage
 *
 * @typedef {object} Parts
 * @property {import('./sharing.js').Sharing} sharing
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('../edit/undoHistory.js').UndoHistory} history
 * @property {import('../model/scheduling.js').ChunkedTasks} tasks
 * @property {import('../protocol/sheetSync.js').Sheets} sheets
 * @property {Pick<Storage, 'getItem' | 'setItem'>} storage that lives as long as the tab
 */

const NAME = 'drawtogether:undo';
/** The version of the stored form. Others are ignored. */
const VERSION = 1;
/** The maximum length for all pages of the tab, in characters. */
const MAX_LENGTH = 256 * 1024;

/**
 * Stores the undo history when the page is hidden or replaced, and restores it once the picture is displayed: any earlier, its
 * shapes would count as removed.
 */
export class UndoStore {
  #parts;
  /** The page whose history is not restored yet; null: none. @type {string | null} */
  #waiting = null;
  /** The page whose history was restored last. @type {string | null} */
  #restored = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { sharing, drawing } = parts;
    sharing.addEventListener('leave', () => this.save());
    sharing.addEventListener('session', () => (this.#waiting = sharing.session && sharing.pageId));
    sharing.addEventListener('opened', () => this.#restore(sharing.pageId));
    drawing.addEventListener('caughtup', () => this.#waiting && this.#restore(this.#waiting));
    // A board may have been opened before this part of the page was loaded.
    if (sharing.session && !sharing.session.isConnected) this.#waiting = sharing.pageId;
    else this.#restore(sharing.pageId);
  }

  /** Stores the history of the shown page, and those of other pages of this tab as far as there is room. */
  save() {
    const { sharing, history, storage } = this.#parts;
    const page = sharing.pageId;
    // A history that is not restored yet is still stored.
    if (!page || this.#waiting === page) return;
    const pages = [{ page, version: VERSION, ...storeCommands(history, this.#parts, MAX_LENGTH) }];
    let length = JSON.stringify(pages[0]).length;
    for (const other of this.#read()) {
      length += JSON.stringify(other).length;
      if (other.page !== page && length <= MAX_LENGTH) pages.push(other);
    }
    try {
      storage.setItem(NAME, JSON.stringify(pages));
    } catch {
      // The storage is full or switched off: the history ends with the page.
    }
  }

  /** @param {string | null} page that is displayed */
  #restore(page) {
    this.#waiting = null;
    if (page === this.#restored) return;
    this.#restored = page;
    const stored = this.#read().find((one) => one.page === page);
    if (!stored) return;
    const { history, drawing } = this.#parts;
    try {
      const { done, undone } = readCommands(stored, this.#parts);
      history.restore(done, undone);
    } catch {
      // The stored history is damaged. The page starts with an empty one.
      return;
    }
    // Reports the change.
    drawing.update([]);
  }

  /** @returns {StoredPage[]} newest first */
  #read() {
    try {
      const pages = JSON.parse(this.#parts.storage.getItem(NAME) ?? '[]');
      return pages.filter((/** @type {StoredPage} */ { version }) => version === VERSION);
    } catch {
      return [];
    }
  }
}
