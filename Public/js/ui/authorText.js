/** The words that tell who drew an object, and when. */

import { laterStrings } from '../i18n/later.js';
import { isolated } from './pageDirection.js';

/** @typedef {'you' | 'former' | { name: string }} Author `former`: a participant who left and whose name is no longer known */

/**
 * @param {{ author: Author | null, editor: Author | null, madeAt: number }} origin null: the text does not name the participant;
 *   `madeAt`: in seconds since 1970, 0: unknown
 * @param {Date} [now] @returns {string} such as `Ada · 10:42 · changed by Ben`; '' if nothing is known
 */
export function authorText({ author, editor, madeAt }, now = new Date()) {
  const by = author && (typeof author === 'string' ? laterStrings.authors[author] : isolated(author.name));
  const changed = editor &&
    (typeof editor === 'string' ? laterStrings.editors[editor] : laterStrings.changedBy(editor.name));
  return [by, madeAt > 0 && momentText(new Date(madeAt * 1000), now), changed].filter(Boolean).join(' · ');
}

/**
 * @param {Date} at @param {Date} now @param {Intl.DateTimeFormatOptions} [more] more parts of the time
 * @returns {string} the time, with the day unless it is today's
 */
export function momentText(at, now, more) {
  // The same digits as in the other numbers on the page.
  /** @type {Intl.DateTimeFormatOptions} */
  const options = { hour: 'numeric', minute: '2-digit', numberingSystem: 'latn', ...more };
  const isThisYear = at.getFullYear() === now.getFullYear();
  if (at.toDateString() !== now.toDateString()) Object.assign(options, { day: 'numeric', month: 'short' });
  if (!isThisYear) options.year = 'numeric';
  return new Intl.DateTimeFormat(regionalLanguage(), options).format(at);
}

/** Returns the language of the page, with the region of the browser's settings: it determines the form of times. */
function regionalLanguage() {
  const { lang } = document.documentElement;
  return navigator.languages.find((one) => one.split('-')[0] === lang) ?? (lang || 'en');
}
