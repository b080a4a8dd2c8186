/** The labels that name the authors of objects and of changes. */

import { AuthorLabel } from '../ui/authorLabel.js';
import { ChangeLabels } from '../ui/changeLabels.js';

/**
 * @typedef {object} OtherParts
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../ui/sharedCursors.js').SharedCursors} cursors
 */

/** Shows the labels from now on. @param {import('../ui/authorLabel.js').Parts & OtherParts} parts */
export function showAuthors({ drawing, itemStore, cursors, ...parts }) {
  const { camera, sharing, frames } = parts;
  new AuthorLabel(parts);
  const changeLabels = new ChangeLabels({
    camera,
    participant: (number) => sharing.session?.participant(number) ?? null,
    isSeenAt: (number, bounds) => cursors.isAt(number, bounds),
    requestFrame: () => frames.request(),
  });
  frames.run((now) => changeLabels.frame(now));
  drawing.changedRemotely = (change) => {
    // As in an event listener, an error must not stop the caller.
    try {
      changeLabels.show(change);
    } catch (error) {
      reportError(error);
    }
  };
  itemStore.addEventListener('remotechange', (event) => changeLabels.show(/** @type {CustomEvent} */ (event).detail));
}
