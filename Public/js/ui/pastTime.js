/** The words for a moment of the past. */

import { laterStrings } from '../i18n/later.js';
import { momentText } from './authorText.js';

/**
 * @param {number | null} at in milliseconds since 1970; null: unknown @param {Date} [now]
 * @returns {string} the time to the second, with the day unless it is today's
 */
export function pastTime(at, now = new Date()) {
  if (at === null) return laterStrings.unknownTime;
  const date = new Date(at);
  // A time from the network may be outside the range of dates.
  if (Number.isNaN(date.getTime())) return laterStrings.unknownTime;
  return momentText(date, now, { second: '2-digit' });
}
