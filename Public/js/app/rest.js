/** The steps of the start that can wait until the first stroke can be drawn. */

import { browserSnapshots } from '../persist/database.js';
import { offerName } from '../ui/nameNote.js';
import { loadSession } from './loading.js';
import { keepOffline, whenIdle } from './offline.js';
import { nameAppleKeys } from '../i18n/appleKeys.js';
import { sessionInPath } from '../model/sessionPath.js';
import { offerKeys } from '../ui/keysDialog.js';
import { turnRadioKeys } from '../ui/pageDirection.js';
import { openPopoversByClass } from '../ui/popoverFallback.js';
import { onResume } from './onResume.js';

/** @param {Omit<import('../ui/nameNote.js').Parts, 'session'>} parts */
export function startRest(parts) {
  const { sharing } = parts;
  const session = sessionInPath(location.pathname) || undefined;
  openPopoversByClass();
  offerKeys();
  turnRadioKeys(document);
  nameAppleKeys(document);
  onResume((isDoubtful) => sharing.session?.checkConnection({ isDoubtful }));
  offerName({ ...parts, session });
  whenIdle(async () => {
    keepOffline();
    const { removeOldSnapshots } = await loadSession();
    removeOldSnapshots(browserSnapshots, session);
  });
  document.documentElement.dataset.complete = 'true';
}
