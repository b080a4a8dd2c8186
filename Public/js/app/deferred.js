/** The parts that the first stroke does not need. They are loaded together, as soon as the page can be drawn on. */

export { openDamagedLink } from './damagedLink.js';
export { createParts } from './deferredParts.js';
export { startRest } from './rest.js';
export { OutboxStore } from '../persist/outboxStore.js';
export { persistentJournalEnvironment } from '../persist/journalEnvironment.js';
export { SessionSnapshots } from '../persist/sessionSnapshots.js';
export { Sheets } from '../protocol/sheetSync.js';
export { Title } from '../protocol/titleSync.js';
export { GroupSession } from '../sync/groupSession.js';
export { createSession } from '../sync/http.js';
export { GroupSessionJournal } from '../sync/journal/groupSessionJournal.js';
export { stateHash } from '../sync/stateHash.js';
export { showKeys } from '../ui/keysDialog.js';
export { chooseLanguage } from '../ui/languageDialog.js';
export { askName, showEndedDialog } from '../ui/sessionDialogs.js';
export { SharedCursors } from '../ui/sharedCursors.js';
