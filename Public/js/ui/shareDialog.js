/** The link to copy. */

import { showDialog } from './dialogs.js';
import { element } from './elements.js';

/** @param {string} link @returns {Promise<string>} when it is closed */
export function showLink(link) {
  const input = /** @type {HTMLInputElement} */ (element('share-link'));
  const note = element('share-note');
  const copy = element('share-copy');
  const send = element('share-send');
  input.value = link;
  const hint = isForThisDeviceOnly(link)
    ? 'Only this device can open that. For others, open the page by the address that this machine has in your network.'
    : '';
  note.textContent = hint;
  copy.textContent = 'Copy';
  send.hidden = !navigator.share;
  copy.onclick = async () => {
    const isCopied = await copied(input);
    copy.textContent = isCopied ? 'Copied' : 'Copy';
    note.textContent = isCopied ? hint : 'The link is selected: copy it with Ctrl C, or hold it.';
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
