/** The parts that neither the first stroke nor a session needs. They are loaded together, after those that a session needs. */

export { openDamagedLink } from './damagedLink.js';
export { createParts } from './deferredParts.js';
export { startRest } from './rest.js';
export { showKeys } from '../ui/keysDialog.js';
export { chooseLanguage } from '../ui/languageDialog.js';
export { askName, showEndedDialog } from '../ui/sessionDialogs.js';
