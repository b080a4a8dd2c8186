/** The words that stand in the page's markup, in English there. */

import { words } from './words.js';

/** What names a word, and the attribute that says it; '' is the text. */
const PLACES = Object.freeze([
  ['data-text', ''],
  ['data-label', 'aria-label'],
  ['data-title', 'title'],
  ['data-content', 'content'],
]);

/** Says all of them in the words in use. @param {ParentNode} page */
export function translate(page) {
  const table = /** @type {Record<string, unknown>} */ (words);
  for (const [name, attribute] of PLACES) {
    for (const element of page.querySelectorAll(`[${name}]`)) {
      const text = String(table[element.getAttribute(name) ?? '']);
      if (attribute) element.setAttribute(attribute, text);
      else element.textContent = text;
    }
  }
}
