/** The dialog in which a person chooses the language of the page. */

import { strings } from '../i18n/i18n.js';
import { LANGUAGES } from '../i18n/languages.js';
import { showDialog, toast } from './dialogs.js';
import { element, make } from './elements.js';

/**
 * @param {import('./settings.js').Settings} settings
 * @param {() => boolean} canReload returns true if a reload of the page loses nothing
 */
export async function chooseLanguage(settings, canReload) {
  const before = settings.language || 'system';
  const [ofBrowser] = element('languages').children;
  const buttons = [ofBrowser, ...LANGUAGES.map(languageButton)];
  for (const button of buttons) {
    button.setAttribute('aria-pressed', String(button.getAttribute('value') === before));
  }
  element('languages').replaceChildren(...buttons);
  const chosen = await showDialog('language-dialog');
  if (chosen === '' || chosen === before) return;
  settings.setLanguage(chosen === 'system' ? '' : chosen);
  if (canReload()) location.reload();
  else toast(strings.languageLater);
}

/** @param {import('../i18n/languages.js').Language} language @returns {Element} */
function languageButton({ code, name, note }) {
  const button = make('button', { value: code, lang: code }, name);
  if (note) button.append(make('small', {}, note));
  return button;
}
