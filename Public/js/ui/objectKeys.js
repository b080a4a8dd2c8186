/** The keys and the button of the menu for finding objects. */

import { laterStrings } from '../i18n/later.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';
import { isBusy } from './keys.js';
import { closePopover } from './popovers.js';

const LIST = 'U';

/**
 * Adds a button to the menu, and listens to the keys.
 * @param {{ open: () => void, step: (by: 1 | -1) => void }} actions `open` opens the list of objects; `step` selects the next
 *   object or the previous one
 */
export function offerObjects({ open, step }) {
  const button = make('button', { type: 'button', id: 'objects' });
  button.append(icon('list'), make('span', {}, laterStrings.objects), make('kbd', { 'aria-hidden': 'true' }, LIST));
  const openList = () => {
    closePopover();
    open();
  };
  button.addEventListener('click', openList);
  element('keys').before(button);
  /** @type {Record<string, () => void>} */
  const actions = { [LIST]: openList, '.': () => step(1), ',': () => step(-1) };
  addEventListener('keydown', (event) => {
    const { key, target, defaultPrevented, altKey, ctrlKey, metaKey } = event;
    const action = actions[key.toUpperCase()];
    if (!action || defaultPrevented || altKey || ctrlKey || metaKey || isBusy(target)) return;
    event.preventDefault();
    action();
  });
}
