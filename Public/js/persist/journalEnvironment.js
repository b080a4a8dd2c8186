/** The environment of a journal whose uploads survive a reload of the page. */

import { browserJournalEnvironment, GroupSessionJournal } from '../sync/journal/groupSessionJournal.js';
import { UploadLeases } from './uploadLeases.js';
import { UploadStore } from './uploadStore.js';

/**
 * @param {import('./database.js').Database} [database]
 * @param {import('./tabLease.js').TabEnvironment} [tabs]
 * @returns {import('../sync/journal/groupSessionJournal.js').JournalEnvironment} for all journals of the page
 */
export function persistentJournalEnvironment(database, tabs) {
  return { ...browserJournalEnvironment, store: new UploadStore(database), leases: new UploadLeases(tabs) };
}

/**
 * Returns a function that opens the journal of a session in this environment.
 * @param {Parameters<typeof persistentJournalEnvironment>} around
 * @returns {(session: import('../sync/groupSession.js').GroupSession) => GroupSessionJournal}
 */
export function journalOpener(...around) {
  const env = persistentJournalEnvironment(...around);
  return (session) => new GroupSessionJournal(session, { env });
}
