/** The parts that the first stroke does not need. They are loaded together, as soon as the page can be drawn on. */

export { AttachmentLimit } from './attachmentLimit.js';
export { openDamagedLink } from './damagedLink.js';
export { useFonts } from './fonts.js';
export { startPages } from './pages.js';
export { startRest } from './rest.js';
export { startSheets } from './sheets.js';
export { TiledRenderer } from '../render/tiles/tiledRenderer.js';
export { OutboxStore } from '../persist/outboxStore.js';
export { persistentJournalEnvironment } from '../persist/journalEnvironment.js';
export { SessionSnapshots } from '../persist/sessionSnapshots.js';
export { Sheets } from '../protocol/sheetSync.js';
export { Title } from '../protocol/titleSync.js';
export { GroupSession } from '../sync/groupSession.js';
export { createSession } from '../sync/http.js';
export { GroupSessionJournal } from '../sync/journal/groupSessionJournal.js';
export { stateHash } from '../sync/stateHash.js';
export { ContentInserter } from '../ui/contentInserter.js';
export { ExportDialog } from '../ui/exportDialog.js';
export { ItemRow } from '../ui/itemRow.js';
export { speakLater } from '../i18n/later.js';
export { showKeys } from '../ui/keysDialog.js';
export { offerStyles } from './styles.js';
export { askName, showEndedDialog } from '../ui/sessionDialogs.js';
export { showLink } from '../ui/shareDialog.js';
export { stepSelection } from '../ui/stepSelection.js';
export { limitText } from '../ui/textLimit.js';
