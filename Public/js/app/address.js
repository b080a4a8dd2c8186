/** The address of the page, and its entry in the browser's history. */

import { boardIn, sessionIn } from './startPage.js';

/** @param {{ id: string, isShared: boolean }} page @returns {string} the address that opens it */
export function addressOf({ id, isShared }) {
  return isShared ? `/s/${id}` : `/?page=${encodeURIComponent(id)}`;
}

/**
 * Keeps the address up to date. Another session or board gets an entry of its own in the browser's history; if the picture moves
 * between a board and a session, the entry stays. Back and Forward load the page of their entry again. At that time everything is
 * stored, and strokes that are drawn before the page closes belong to the old session.
 */
export class Address {
  #sharing;
  #browser;
  /** The page that the address names; null: none yet. @type {{ id: string, isShared: boolean, isOver: boolean } | null} */
  #shown = null;
  #isLeaving = false;

  /**
   * @param {EventTarget & Pick<import('./sharing.js').Sharing, 'pageId' | 'isShared' | 'over'>} sharing
   * @param {Pick<Window, 'location' | 'history' | 'addEventListener'>} [browser]
   */
  constructor(sharing, browser = globalThis.window) {
    this.#sharing = sharing;
    this.#browser = browser;
    for (const event of ['session', 'opened']) sharing.addEventListener(event, () => this.#update());
    browser.addEventListener('popstate', () => this.#moved());
    this.#update();
  }

  #update() {
    const { pageId: id, isShared, over } = this.#sharing;
    if (!id || this.#isLeaving) return;
    const { location, history } = this.#browser;
    const before = this.#shown;
    this.#shown = { id, isShared, isOver: over !== null };
    const path = isShared ? `/s/${id}` : '/';
    const state = !isShared ? { board: id } : location.pathname === path ? history.state : null;
    const isOther = before !== null && before.id !== id && (before.isShared === isShared || before.isOver);
    if (isOther) return history.pushState(state, '', path);
    const isNamed = location.pathname === path && boardIn(location.search, history.state) === boardIn('', state);
    if (!isNamed || boardIn(location.search, null)) history.replaceState(state, '', path + location.hash);
  }

  /** Handles that the person went to another entry of the browser's history. */
  #moved() {
    const { location, history } = this.#browser;
    const shown = this.#shown;
    const id = sessionIn(location.pathname) ?? boardIn('', history.state);
    // A new entry without a board, such as that of a link within the page, shows the same page. So does a return to it from a
    // later entry.
    if (!id && shown && !shown.isShared) {
      history.replaceState({ board: shown.id }, '', location.pathname + location.hash);
    }
    if (!id || id === shown?.id) return;
    this.#isLeaving = true;
    location.reload();
  }
}
