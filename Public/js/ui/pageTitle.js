/** The title of the page: in the header, and as the title of the document. */

import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { announce } from './dialogs.js';
import { element } from './elements.js';

const PRODUCT = 'Draw Together';

/** The delay of updates, because a program may change the title many times a second. */
const SHOW_AFTER_MS = 50;

/**
 * Shows the title from now on, and announces who changed it.
 * @param {import('../protocol/titleSync.js').Title} title
 * @param {Pick<import('../app/sharing.js').Sharing, 'session'>} sharing
 */
export function showTitle(title, sharing) {
  const button = element('page-title');
  let isScheduled = false;
  let by = 0;
  const show = () => {
    const { text } = title;
    button.textContent = text || PRODUCT;
    element('title').toggleAttribute('data-titled', text !== '');
    document.title = text ? `${text} · ${PRODUCT}` : PRODUCT;
    const name = by > 0 ? sharing.session?.participant(by)?.name ?? strings.somebody : '';
    if (name) announce(text ? laterStrings.titleChanged(name, text) : laterStrings.titleRemoved(name));
    isScheduled = false;
    by = 0;
  };
  title.addEventListener('change', () => {
    if (!isScheduled) setTimeout(show, SHOW_AFTER_MS);
    isScheduled = true;
  });
  title.addEventListener('remotechange', (event) => (by = /** @type {CustomEvent<number>} */ (event).detail));
  show();
}
