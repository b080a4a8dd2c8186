/** Popovers of the toolbar. The browser opens them by their buttons, and closes them at Escape or a press outside. */

/** @returns {HTMLElement | null} the open popover: there is one at most */
export function openPopover() {
  return document.querySelector(':popover-open');
}

/** Closes the open popover. Its button gets the focus back if the popover has it. */
export function closePopover() {
  openPopover()?.hidePopover();
}
