/**
 * The strings of parts that are loaded after the first stroke can be drawn. `i18n.js` has the others. They are set before these
 * parts are created, and never change after that.
 */

import { en } from './later/en.js';

/** @typedef {import('./later/en.js').LaterStrings} LaterStrings */

/** The other languages, each loaded only when it is used. @type {Record<string, () => Promise<LaterStrings>>} */
const OTHERS = {
  ar: async () => (await import('./later/ar.js')).ar,
  de: async () => (await import('./later/de.js')).de,
  es: async () => (await import('./later/es.js')).es,
  fr: async () => (await import('./later/fr.js')).fr,
  it: async () => (await import('./later/it.js')).it,
  ja: async () => (await import('./later/ja.js')).ja,
  pl: async () => (await import('./later/pl.js')).pl,
  pt: async () => (await import('./later/pt.js')).pt,
  uk: async () => (await import('./later/uk.js')).uk,
};

/** The separators of languages that do not use the Latin comma. @type {Record<string, string>} */
const SEPARATORS = { ar: '\u060c ', ja: '\u3001' };

/** @type {Readonly<LaterStrings>} */
export let laterStrings = en;
let separator = ', ';

/** Sets the strings. If a language cannot be loaded, they are in English. @param {string} language of the page */
export async function speakLater(language) {
  try {
    laterStrings = await OTHERS[language]?.() ?? en;
  } catch {
    laterStrings = en;
  }
  separator = laterStrings !== en && SEPARATORS[language] || ', ';
}

/** Joins the parts of a description. Empty parts are left out. @param {readonly string[]} parts @returns {string} */
export function joinParts(parts) {
  return parts.filter(Boolean).join(separator);
}
