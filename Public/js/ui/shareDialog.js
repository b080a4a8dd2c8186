/** The link to copy. */

import { words } from '../words/words.js';
import { showDialog } from './dialogs.js';
import { element } from './elements.js';

/** @param {string} link @returns {Promise<string>} when it is closed */
export function showLink(link) {
  const input = /** @type {HTMLInputElement} */ (element('share-link'));
  const note = element('share-note');
  const copy = element('share-copy');
  const send = element('share-send');
  input.value = link;
  const hint = isForThisDeviceOnly(link) ? words.onlyThisDevice : '';
  note.textContent = hint;
  copy.textContent = words.copy;
  send.hidden = !navigator.share;
  copy.onclick = async () => {
    const isCopied = await copied(input);
    copy.textContent = isCopied ? words.copied : words.copy;
    note.textContent = isCopied ? hint : words.copyByHand;
  };
  // The person may have changed their mind; that is no error.
  send.onclick = () => navigator.share({ title: 'Draw Together', url: link }).catch(() => {});
  const closed = showDialog('share-dialog');
  input.focus();
  input.select();
  input.scrollLeft = 0;
  return closed;
}

/** The clipboard may be written in secure contexts only; elsewhere the old way may work. @param {HTMLInputElement} input */
async function copied(input) {
  input.focus();
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    return document.execCommand('copy');
  }
}

/** @param {string} link */
function isForThisDeviceOnly(link) {
  const { hostname } = new URL(link);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
