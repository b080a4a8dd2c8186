/** The dialog in which a person chooses the language of the page. */

import { strings } from '../i18n/i18n.js';
import { showDialog, toast } from './dialogs.js';
import { element } from './elements.js';

/**
 * @param {import('./settings.js').Settings} settings
 * @param {() => boolean} canReload returns true if a reload of the page loses nothing
 */
export async function chooseLanguage(settings, canReload) {
  const before = settings.language || 'system';
  for (const button of element('language-dialog').querySelectorAll('button')) {
    if (button.value) button.setAttribute('aria-pressed', String(button.value === before));
  }
  const chosen = await showDialog('language-dialog');
  if (chosen === '' || chosen === before) return;
  settings.setLanguage(chosen === 'system' ? '' : chosen);
  if (canReload()) location.reload();
  else toast(strings.languageLater);
}
