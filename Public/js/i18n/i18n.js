/**
 * The strings of the page's language. They are set before any module that uses them is loaded. After that, only the names of keys
 * change, on a Mac (`appleKeys.js`).
 */

import { en } from './en.js';
import { sizesApart } from './format.js';

/** @typedef {import('./en.js').Strings} Strings */

/** The other languages, each loaded only when it is used. @type {Record<string, () => Promise<Record<string, Strings>>>} */
const OTHERS = {
  ar: () => import('./ar.js'),
  de: () => import('./de.js'),
  es: () => import('./es.js'),
  fr: () => import('./fr.js'),
  it: () => import('./it.js'),
  ja: () => import('./ja.js'),
  pl: () => import('./pl.js'),
  pt: () => import('./pt.js'),
  uk: () => import('./uk.js'),
};

/** @type {Readonly<Strings>} */
export let strings = en;

/**
 * @param {string} language of the page
 * @returns {Promise<boolean>} true if the strings are in that language; false: they are in English
 */
export async function speak(language) {
  try {
    strings = (await OTHERS[language]?.())?.[language] ?? en;
  } catch {
    // The language could not be loaded, so the page uses English.
    strings = en;
  }
  return strings !== en;
}

/** Changes the strings, for all later uses. @param {(table: Readonly<Strings>) => Readonly<Strings>} change */
export function changeStrings(change) {
  strings = change(strings);
}

/** The code whose detail is for the gateway's operator. */
const FOR_OPERATORS = 'storage-full';

/** @param {unknown} error @returns {string} the text for the user */
export function errorText(error) {
  if (!(error instanceof Error)) return String(error);
  const { code, detail, file, limit, actual } =
    /** @type {Error & { code?: unknown, detail?: unknown, file?: string, limit?: number, actual?: number }} */ (error);
  if (code === 'attachment-too-large' && limit && actual) {
    return strings.tooLarge(...sizesApart(actual, limit, strings));
  }
  // With a limit, there is no space. Otherwise the disk may fail, or not answer.
  if (code === FOR_OPERATORS && !limit) return strings.troubles[code];
  if (file && typeof code === 'string' && Object.hasOwn(strings.fileErrors, code)) {
    return strings.fileErrors[code](file);
  }
  // An error of the session has the gateway's sentence as its detail; its message is for the console.
  const sentence = typeof detail === 'string' ? detail : error.message;
  return textFor(strings.codes, code, code === FOR_OPERATORS ? '' : sentence) || error.message;
}

/**
 * @param {unknown} code @param {unknown} detail the gateway's sentence @returns {string} the text of a notice to all participants
 */
export function noticeText(code, detail) {
  return textFor(strings.notices, code, typeof detail === 'string' ? detail : '');
}

/** @param {Record<string, string>} table by code @param {unknown} code @param {string} sentence in English */
function textFor(table, code, sentence) {
  const own = typeof code === 'string' && Object.hasOwn(table, code) ? table[code] : '';
  // The gateway's sentences contain numbers, and these texts do not. So the sentence is preferred if it is in the page's
  // language.
  const isSentence = sentence !== '' && sentence !== code;
  return own !== '' && !(strings.speaksAsGateway && isSentence) ? own : sentence;
}

/** The attributes that name a string, and the attributes that receive it; '': the text of the element. */
const PLACES = Object.freeze([
  ['data-text', ''],
  ['data-label', 'aria-label'],
  ['data-title', 'title'],
  ['data-content', 'content'],
]);

/**
 * Sets the strings of the markup in the page's language. The markup contains English texts and labels, but no titles.
 * @param {ParentNode} page
 */
export function translate(page) {
  const table = /** @type {Record<string, unknown>} */ (strings);
  for (const [name, attribute] of PLACES) {
    for (const element of page.querySelectorAll(`[${name}]`)) {
      const text = table[element.getAttribute(name) ?? ''];
      // The markup's own texts are not in the English table.
      if (typeof text !== 'string') continue;
      if (attribute) element.setAttribute(attribute, text);
      else if (element.textContent !== text) element.textContent = text;
    }
  }
}
