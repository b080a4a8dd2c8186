/** The steps of the start that can wait until the first stroke can be drawn. */

import { browserSnapshots } from '../persist/database.js';
import { removeOldSnapshots } from '../persist/sessionSnapshots.js';
import { offerName } from '../ui/nameNote.js';
import { keepOffline, whenIdle } from './offline.js';
import { openPopoversByClass } from '../ui/popoverFallback.js';
import { onResume } from './onResume.js';

/** @param {import('../ui/nameNote.js').Parts} parts */
export function startRest(parts) {
  const { sharing, session } = parts;
  openPopoversByClass();
  onResume((isDoubtful) => sharing.session?.checkConnection({ isDoubtful }));
  offerName(parts);
  whenIdle(() => {
    keepOffline();
    removeOldSnapshots(browserSnapshots, session);
  });
}
