/** Popovers of the toolbar. The browser opens them by their buttons, and closes them at Escape or a press outside. */

/** @returns {HTMLElement | null} the open popover: there is one at most */
export function openPopover() {
  // `:is` ignores an unknown pseudo-class. In a browser without popovers, the page sets the class (`popoverFallback.js`).
  return document.querySelector(':is(:popover-open,.popover-open)');
}

/** Closes the open popover. Its button gets the focus back if the popover has it. */
export function closePopover() {
  const open = openPopover();
  if (open?.hidePopover) open.hidePopover();
  else open?.classList.remove('popover-open');
}
