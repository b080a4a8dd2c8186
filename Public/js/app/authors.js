/** The labels that name the authors of changes. */

import { ChangeLabels } from '../ui/changeLabels.js';

/**
 * @typedef {object} Parts
 * @property {import('../model/camera.js').Camera} camera
 * @property {import('./sharing.js').Sharing} sharing
 * @property {import('./frameScheduler.js').FrameScheduler} frames
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../ui/sharedCursors.js').SharedCursors} cursors
 */

/** Shows the labels from now on. @param {Parts} parts */
export function showAuthors({ camera, sharing, frames, drawing, itemStore, cursors }) {
  const changeLabels = new ChangeLabels({
    camera,
    participant: (number) => sharing.session?.participant(number) ?? null,
    isSeenAt: (number, bounds) => cursors.isAt(number, bounds),
    requestFrame: () => frames.request(),
  });
  frames.run((now) => changeLabels.frame(now));
  for (const source of [drawing, itemStore]) {
    source.addEventListener('remotechange', (event) => changeLabels.show(/** @type {CustomEvent} */ (event).detail));
  }
}
