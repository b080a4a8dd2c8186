/** What a person chooses in the menu for this device: language, colors, and what fingers do. */

import { words } from '../words/words.js';
import { showDialog, toast } from './dialogs.js';
import { element, icon, make, RadioGroup } from './elements.js';

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

/** As the system is, light, or dark. */
const THEMES = ['', 'light', 'dark'];

/** @param {import('./settings.js').Settings} settings */
export function offerThemes(settings) {
  const [system, light, dark] = [icon('system'), icon('light'), icon('dark')];
  const buttons = [system, light, dark].map((shape, index) => {
    const name = words.themes[index];
    const button = make('button', { 'aria-label': name, title: name });
    button.append(shape);
    return button;
  });
  const choices = buttons.map((button, index) => ({ button, choose: () => choose(index) }));
  const group = new RadioGroup(element('themes'), choices);
  group.show(THEMES.indexOf(settings.theme));

  /** @param {number} index */
  function choose(index) {
    settings.setTheme(THEMES[index]);
    group.show(index);
  }
}

/** Where somebody draws with a pen, fingers move the page: a hand that rests on it draws nothing. */
export class Fingers {
  #settings;
  #button = element('fingers');
  #isPenSeen = false;
  #isTold = false;

  /** @param {import('./settings.js').Settings} settings */
  constructor(settings) {
    this.#settings = settings;
    this.#button.addEventListener('click', () => {
      settings.setFingersDraw(!settings.fingersDraw);
      this.#show();
    });
  }

  penSeen() {
    if (this.#isPenSeen) return;
    this.#isPenSeen = true;
    this.#button.hidden = false;
    this.#show();
  }

  /** One came down where a tool would draw. @returns {boolean} whether it moves the page instead */
  move() {
    if (!this.#isPenSeen || this.#settings.fingersDraw) return false;
    if (!this.#isTold && this.#settings.fingersDraw === null) toast(words.fingersMove);
    this.#isTold = true;
    return true;
  }

  #show() {
    this.#button.setAttribute('aria-pressed', String(this.#settings.fingersDraw === true));
  }
}
