/** The page that an address opens. */

import { isKey } from '../sync/key.js';

const SESSION_PATH = /^\/s\/([\w-]{22})\/?$/;

/** @param {string} path @returns {string | null} the id of the session at a path */
export function sessionIn(path) {
  return SESSION_PATH.exec(path)?.[1] ?? null;
}

/**
 * @param {string} search the query of an address such as `/?page=…` @param {unknown} state of an entry of the browser's history
 * @returns {string | null} the id of the board that one of them names
 */
export function boardIn(search, state) {
  const board = new URLSearchParams(search).get('page') ?? /** @type {{ board?: unknown } | null} */ (state)?.board;
  return isKey(board) ? board : null;
}
