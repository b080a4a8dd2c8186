/** Names of sheets, and titles: a single line, typed by this person or received from another participant. */

import { cleanText } from './text.js';

/**
 * @param {string} typed @param {number} length the maximum number of characters
 * @returns {string} one line without unsafe characters, within the maximum length; '' if nothing in it is visible
 */
export function cleanLine(typed, length) {
  // Only the beginning is cleaned, because texts of others may have any length.
  const line = cleanText(typed.slice(0, 16 * length)).replace(/\s+/g, ' ').trim();
  const text = [...line].slice(0, length).join('').trim();
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text : '';
}
