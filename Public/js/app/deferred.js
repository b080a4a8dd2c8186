/** The parts that the first stroke does not need. They are loaded together, as soon as the page can be drawn on. */

export { AttachmentLimit } from './attachmentLimit.js';
export { showAuthors } from './authors.js';
export { startRest } from './rest.js';
export { TiledRenderer } from '../render/tiles/tiledRenderer.js';
export { persistentJournalEnvironment } from '../persist/journalEnvironment.js';
export { SessionSnapshots } from '../persist/sessionSnapshots.js';
export { GroupSession } from '../sync/groupSession.js';
export { createSession } from '../sync/http.js';
export { GroupSessionJournal } from '../sync/journal/groupSessionJournal.js';
export { stateHash } from '../sync/stateHash.js';
export { ContentInserter } from '../ui/contentInserter.js';
export { ExportDialog } from '../ui/exportDialog.js';
export { showKeys } from '../ui/keysDialog.js';
export { chooseLanguage } from '../ui/languageDialog.js';
export { showLink } from '../ui/shareDialog.js';
