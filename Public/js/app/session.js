/** The parts that a session needs. The page of a session loads them at once, and then enters the session. */

export { drainAndLeave, drainOrphanedOutboxes } from './outboxDrain.js';
export { SaveScheduler } from './saveScheduler.js';
export { createSessionParts } from './sessionParts.js';
export { persistentJournalEnvironment } from '../persist/journalEnvironment.js';
export { OutboxStore } from '../persist/outboxStore.js';
export { removeOldSnapshots, SessionSnapshots } from '../persist/sessionSnapshots.js';
export { Sheets } from '../protocol/sheetSync.js';
export { Title } from '../protocol/titleSync.js';
export { GroupSession } from '../sync/groupSession.js';
export { createSession } from '../sync/http.js';
export { GroupSessionJournal } from '../sync/journal/groupSessionJournal.js';
export { stateHash } from '../sync/stateHash.js';
