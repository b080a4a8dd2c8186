/** Light or dark, or as the system is: a row of the menu. */

import { words } from '../words/words.js';
import { element, icon, make } from './elements.js';
import { RadioGroup } from './radioGroup.js';

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
