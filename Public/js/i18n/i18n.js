/** The words in use. They are chosen before any module is loaded that says something, and stay as long as the page. */

import { en } from './en.js';
import { sizesApart } from './format.js';

/** @typedef {import('./en.js').Words} Words */

/** What is not English, and loaded only where it is spoken. @type {Record<string, () => Promise<Words>>} */
const OTHERS = {
  de: async () => (await import('./de.js')).de,
};

/** @type {Readonly<Words>} */
export let words = en;

/** @param {string} language of the page @returns {Promise<boolean>} whether that is spoken now; else it is English */
export async function speak(language) {
  try {
    words = await OTHERS[language]?.() ?? en;
  } catch {
    // It cannot be loaded: better in English than not at all.
    words = en;
  }
  return words !== en;
}

/** The code whose detail is for the gateway's operator. */
const FOR_OPERATORS = 'storage-full';

/** @param {unknown} error @returns {string} the sentence for people */
export function errorWords(error) {
  if (!(error instanceof Error)) return String(error);
  const { code, detail, file, limit, actual } =
    /** @type {Error & { code?: unknown, detail?: unknown, file?: string, limit?: number, actual?: number }} */ (error);
  if (code === 'attachment-too-large' && limit && actual) return words.tooLarge(...sizesApart(actual, limit, words));
  if (file && typeof code === 'string' && Object.hasOwn(words.fileErrors, code)) return words.fileErrors[code](file);
  // An error of the session has the gateway's sentence as its detail; its message is for the console.
  const told = typeof detail === 'string' ? detail : error.message;
  return wordsOf(words.codes, code, code === FOR_OPERATORS ? '' : told) || error.message;
}

/** @param {unknown} code @param {unknown} detail the gateway's words @returns {string} what it tells all of them */
export function noticeWords(code, detail) {
  return wordsOf(words.notices, code, typeof detail === 'string' ? detail : '');
}

/** @param {Record<string, string>} table by code @param {unknown} code @param {string} told in English */
function wordsOf(table, code, told) {
  const own = typeof code === 'string' && Object.hasOwn(table, code) ? table[code] : '';
  // Ours have no numbers in them: who reads the gateway's language is told more by its own.
  const isTold = told !== '' && told !== code;
  return own !== '' && !(words.speaksAsGateway && isTold) ? own : told;
}

/** What names a word, and the attribute that says it; '' is the text. */
const PLACES = Object.freeze([
  ['data-text', ''],
  ['data-label', 'aria-label'],
  ['data-title', 'title'],
  ['data-content', 'content'],
]);

/** Says all of them in the words in use: texts and names stand there in English already, titles do not. @param {ParentNode} page */
export function translate(page) {
  const table = /** @type {Record<string, unknown>} */ (words);
  for (const [name, attribute] of PLACES) {
    for (const element of page.querySelectorAll(`[${name}]`)) {
      const text = String(table[element.getAttribute(name) ?? '']);
      if (attribute) element.setAttribute(attribute, text);
      else if (element.textContent !== text) element.textContent = text;
    }
  }
}
