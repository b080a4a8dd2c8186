/** The language of the page, to choose. */

import { words } from '../words/words.js';
import { showDialog } from './dialogs.js';
import { element } from './elements.js';
import { toast } from './notices.js';

/**
 * @param {import('./settings.js').Settings} settings
 * @param {() => boolean} canReload whether nothing is lost when the page is loaded again
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
  else toast(words.languageLater);
}
