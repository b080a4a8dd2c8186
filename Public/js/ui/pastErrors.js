/** The words for the errors of the time machine. */

import { errorText } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';

/** @param {unknown} error @param {string} gone the text if the gateway does not have what was requested @returns {string} */
export function pastErrorText(error, gone) {
  const { code = '' } = /** @type {{ code?: string }} */ (error);
  if (code === 'not-found') return gone;
  const { historyErrors } = laterStrings;
  return Object.hasOwn(historyErrors, code) ? historyErrors[code] : errorText(error);
}
