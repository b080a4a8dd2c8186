/** The start of a page whose address is not exactly a link to a session. */

import { laterStrings } from '../i18n/later.js';
import { sessionInPath } from '../model/sessionPath.js';
import { make } from '../ui/elements.js';

/**
 * Joins the session if the link can be repaired. Otherwise, a message tells the person, before anything is drawn, that this page
 * is in no session.
 * @param {(id: string) => void} join @param {() => void} openAlone opens a page without a session
 * @param {string} [path] of the page's address
 */
export async function openDamagedLink(join, openAlone, path = location.pathname) {
  const id = sessionInPath(path);
  if (id) return join(id);
  await explain();
  history.replaceState(null, '', '/');
  openAlone();
}

/**
 * Shows the message until the person closes it. A press outside the message does not close it, because the person may have meant
 * to draw.
 */
function explain() {
  const dialog = make(
    'dialog',
    { id: 'damaged-dialog', 'aria-labelledby': 'damaged-title', 'aria-describedby': 'damaged-text' },
    make(
      'form',
      { method: 'dialog' },
      make('h2', { id: 'damaged-title' }, laterStrings.damagedLink),
      make('p', { id: 'damaged-text' }, laterStrings.damagedLinkText),
      make('div', { class: 'actions' }, make('button', { class: 'primary' }, laterStrings.drawAlone)),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => (dialog.remove(), resolve(null)));
  });
}
