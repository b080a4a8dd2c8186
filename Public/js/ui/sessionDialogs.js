/** The dialogs for the name of this person, and for the end of a session. */

import { strings } from '../i18n/i18n.js';
import { showDialog } from './dialogs.js';
import { element } from './elements.js';

/** @param {string} name @returns {Promise<string | null>} the new name; null: cancelled */
export async function askName(name) {
  const input = /** @type {HTMLInputElement} */ (element('name'));
  input.value = name;
  const answer = showDialog('name-dialog');
  input.select();
  return await answer === 'ok' ? input.value : null;
}

/**
 * @param {{ title: string, text: string, canRetry: boolean, hasPicture: boolean }} words
 * @returns {Promise<string>} `start`, `retry` or `stay`
 */
export async function showEndedDialog({ title, text, canRetry, hasPicture }) {
  element('ended-title').textContent = title;
  element('ended-text').textContent = text;
  element('ended-retry').hidden = !canRetry;
  element('ended-stay').textContent = hasPicture ? strings.look : strings.close;
  element('ended-start').textContent = hasPicture ? strings.startWithPicture : strings.startSession;
  return await showDialog('ended-dialog') || 'stay';
}
