/** The sheets of a page without a session. */

import { Retention } from '../sync/wire.js';

/**
 * Stores the sheets of a page without a session: reports them as changes of the drawing, which the board stores.
 * @param {import('../protocol/sheetSync.js').Sheets} sheets @param {import('../edit/drawing.js').Drawing} drawing
 * @param {EventTarget & Pick<import('./sharing.js').Sharing, 'session' | 'over'>} sharing
 */
export function keepOnBoard(sheets, drawing, sharing) {
  const store = (/** @type {object} */ detail) => drawing.dispatchEvent(new CustomEvent('localchange', { detail }));
  sheets.addEventListener('localchange', (event) => store(/** @type {CustomEvent} */ (event).detail));
  const isAlone = () => !sharing.session && sharing.over === null;
  // The board may be new, so it has to store all present sheets.
  const storeAll = () => {
    if (!isAlone()) return;
    for (const entry of sheets.stored) store({ ...entry, reliable: true, retention: Retention.replace });
  };
  const opened = () => {
    if (isAlone()) sheets.restore(drawing.stored.splice(0));
    storeAll();
  };
  sharing.addEventListener('session', storeAll);
  sharing.addEventListener('opened', opened);
  opened();
}
