/** Opens the toolbar's popovers by a class, in browsers without the Popover API: before Chrome 114, Firefox 125 and Safari 17. */

import { element } from './elements.js';
import { closePopover } from './popovers.js';

/** Opens and closes popovers by the class. Does nothing in browsers with the Popover API. */
export function openPopoversByClass() {
  if ('popover' in HTMLElement.prototype) return;
  for (const button of document.querySelectorAll('[popovertarget]')) {
    const { classList } = element(button.getAttribute('popovertarget') ?? '');
    button.addEventListener('click', () => {
      const wasOpen = classList.contains('popover-open');
      closePopover();
      classList.toggle('popover-open', !wasOpen);
    });
  }
  addEventListener('keydown', ({ key }) => key === 'Escape' && closePopover());
}
