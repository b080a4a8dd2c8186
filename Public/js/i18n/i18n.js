/** The strings of the page's language. They are chosen before any module that uses them is loaded, and stay as long as the page. */

import { en } from './en.js';
import { sizesApart } from './format.js';

/** @typedef {import('./en.js').Strings} Strings */

/** The other languages, each loaded only when it is used. @type {Record<string, () => Promise<Strings>>} */
const OTHERS = {
  de: async () => (await import('./de.js')).de,
};

/** @type {Readonly<Strings>} */
export let strings = en;

/** @param {string} language of the page @returns {Promise<boolean>} whether that is spoken now; else it is English */
export async function speak(language) {
  try {
    strings = await OTHERS[language]?.() ?? en;
  } catch {
    // The language cannot be loaded: English is better than nothing.
    strings = en;
  }
  return strings !== en;
}

/** The code whose detail is for the gateway's operator. */
const FOR_OPERATORS = 'storage-full';

/** @param {unknown} error @returns {string} the sentence for people */
export function errorText(error) {
  if (!(error instanceof Error)) return String(error);
  const { code, detail, file, limit, actual } =
    /** @type {Error & { code?: unknown, detail?: unknown, file?: string, limit?: number, actual?: number }} */ (error);
  if (code === 'attachment-too-large' && limit && actual) {
    return strings.tooLarge(...sizesApart(actual, limit, strings));
  }
  if (file && typeof code === 'string' && Object.hasOwn(strings.fileErrors, code)) {
    return strings.fileErrors[code](file);
  }
  // An error of the session has the gateway's sentence as its detail; its message is for the console.
  const told = typeof detail === 'string' ? detail : error.message;
  return textFor(strings.codes, code, code === FOR_OPERATORS ? '' : told) || error.message;
}

/** @param {unknown} code @param {unknown} detail the gateway's sentence @returns {string} the text of a notice to all participants */
export function noticeText(code, detail) {
  return textFor(strings.notices, code, typeof detail === 'string' ? detail : '');
}

/** @param {Record<string, string>} table by code @param {unknown} code @param {string} told in English */
function textFor(table, code, told) {
  const own = typeof code === 'string' && Object.hasOwn(table, code) ? table[code] : '';
  // Ours have no numbers in them: who reads the gateway's language is told more by its own.
  const isTold = told !== '' && told !== code;
  return own !== '' && !(strings.speaksAsGateway && isTold) ? own : told;
}

/** What names a word, and the attribute that says it; '' is the text. */
const PLACES = Object.freeze([
  ['data-text', ''],
  ['data-label', 'aria-label'],
  ['data-title', 'title'],
  ['data-content', 'content'],
]);

/** Sets the strings of the markup in the page's language: texts and names are there in English already, titles are not. @param {ParentNode} page */
export function translate(page) {
  const table = /** @type {Record<string, unknown>} */ (strings);
  for (const [name, attribute] of PLACES) {
    for (const element of page.querySelectorAll(`[${name}]`)) {
      const text = String(table[element.getAttribute(name) ?? '']);
      if (attribute) element.setAttribute(attribute, text);
      else if (element.textContent !== text) element.textContent = text;
    }
  }
}
