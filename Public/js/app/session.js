/**
 * The parts that a session needs. The page of a session loads them at once, and then enters the session. Other parts that are
 * loaded later get these from `loadSession` instead of importing them: the bundler puts a module that both import into the first
 * scripts.
 */

export { members, setMember, SHEET_MEMBER } from './addressMembers.js';
export { drainAndLeave, drainOrphanedOutboxes } from './outboxDrain.js';
export { SaveScheduler } from './saveScheduler.js';
export { createSessionParts } from './sessionParts.js';
export { SheetContents } from '../model/sheetContents.js';
export { journalOpener } from '../persist/journalEnvironment.js';
export { OutboxStore } from '../persist/outboxStore.js';
export { removeOldSnapshots, SessionSnapshots } from '../persist/sessionSnapshots.js';
export { Sheets } from '../protocol/sheetSync.js';
export { Title } from '../protocol/titleSync.js';
export { GroupSession } from '../sync/groupSession.js';
export { createSession } from '../sync/http.js';
export { pastAttachment } from '../sync/history/pastAttachment.js';
export { readAttachment } from '../sync/journal/attachment.js';
export { stateHash } from '../sync/stateHash.js';
export { SheetView } from '../ui/sheetView.js';
