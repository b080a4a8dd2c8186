/** Creates the components that must follow a session from its beginning, and connects them with the others. */

import { EarlyMessages } from '../protocol/earlyMessages.js';
import { Title } from '../protocol/titleSync.js';
import { SharedCursors } from '../ui/sharedCursors.js';
import { showSheet } from './shownSheet.js';

/** @typedef {ReturnType<typeof createSessionParts>} SessionParts */

/**
 * Creates the parts before the page enters a session.
 * @param {import('./deferredParts.js').Page} page
 */
export function createSessionParts(page) {
  const { camera, reducedMotion, requestFrame, sharing } = page;
  const cursors = new SharedCursors(camera, { glides: () => !reducedMotion.matches, requestFrame });
  const earlyMessages = new EarlyMessages();
  sharing.addEventListener('session', () => {
    cursors.follow(sharing.session);
    earlyMessages.follow(sharing.session);
  });
  return {
    cursors,
    earlyMessages,
    title: sharing.title ??= new Title(),
    shownSheet: showSheet({ ...page, canvas: page.renderer }),
  };
}
