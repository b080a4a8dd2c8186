/** The words for a moment of the past. */

import { laterStrings } from '../i18n/later.js';
import { regionalLanguage } from './authorText.js';

/**
 * @param {number | null} at in milliseconds since 1970; null: unknown @param {Date} [now]
 * @returns {string} the time to the second, with the day unless it is today's
 */
export function pastTime(at, now = new Date()) {
  if (at === null) return laterStrings.unknownTime;
  const date = new Date(at);
  // A time from the network may be outside the range of dates.
  if (Number.isNaN(date.getTime())) return laterStrings.unknownTime;
  /** @type {Intl.DateTimeFormatOptions} */
  const options = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
  if (date.toDateString() !== now.toDateString()) Object.assign(options, { day: 'numeric', month: 'short' });
  if (date.getFullYear() !== now.getFullYear()) options.year = 'numeric';
  return new Intl.DateTimeFormat(regionalLanguage(), options).format(date);
}
