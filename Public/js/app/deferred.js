/** The parts that the first stroke does not need. They are loaded together, as soon as the page can be drawn on. */

export { isDrawingFile, isDrawingText } from '../persist/drawingFile.js';
export { LargeScene } from '../render/tiles/tiledRenderer.js';
export { GroupSession } from '../sync/groupSession.js';
export { createSession } from '../sync/http.js';
export { GroupSessionJournal } from '../sync/journal/groupSessionJournal.js';
export { ExportDialog } from '../ui/exportDialog.js';
export { showKeys } from '../ui/keysDialog.js';
export { Opening } from '../ui/opening.js';
export { showLink } from '../ui/shareDialog.js';
