/** The steps of the start that can wait until the first stroke can be drawn. */

import { browserSnapshots } from '../persist/database.js';
import { removeOldSnapshots } from '../persist/sessionSnapshots.js';
import { keepOffline, whenIdle } from './offline.js';
import { openPopoversByClass } from '../ui/popoverFallback.js';
import { onResume } from './onResume.js';

/** @param {import('./sharing.js').Sharing} sharing @param {string} [session] the id in the page's address */
export function startRest(sharing, session) {
  openPopoversByClass();
  onResume((isDoubtful) => sharing.session?.checkConnection({ isDoubtful }));
  whenIdle(() => {
    keepOffline();
    removeOldSnapshots(browserSnapshots, session);
  });
}
