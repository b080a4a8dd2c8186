/** The dialog with the link to a session: to copy, to send, or to scan. */

import { qrCode } from './qrCode.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { showDialog } from './dialogs.js';
import { element, make, makeSVG } from './elements.js';
import { isForThisDeviceOnly, networkLinks } from './networkLinks.js';

/** The width of the quiet zone around a code, in modules (ISO/IEC 18004 §6.3.8). */
const QUIET = 4;
/** The maximum width of a code, in pixels. Each module has a whole number of pixels, so that all have the same size. */
const MAX_CODE_WIDTH = 210;

/** @param {string} link @returns {Promise<string>} resolved when the dialog is closed */
export function showLink(link) {
  const input = /** @type {HTMLInputElement} */ (element('share-link'));
  const dialog = /** @type {HTMLDialogElement} */ (element('share-dialog'));
  const choice = /** @type {HTMLSelectElement} */ (element('share-address'));
  const note = element('share-note');
  const copy = element('share-copy');
  const send = element('share-send');
  let hint = '';
  /** @param {string} shown @param {string} [text] about it */
  const show = (shown, text = hintFor(shown)) => {
    input.value = shown;
    if (document.activeElement === input) select(input);
    copy.textContent = strings.copy;
    note.textContent = hint = text;
    showCode(isForThisDeviceOnly(shown) ? null : shown);
  };
  choice.hidden = true;
  choice.onchange = () => show(choice.value);
  send.hidden = !navigator.share;
  copy.onclick = async () => {
    const isCopied = await copied(input);
    copy.textContent = isCopied ? laterStrings.copied : strings.copy;
    note.textContent = isCopied ? hint : strings.copyByHand;
  };
  // The promise is rejected if the person cancels; that is no error.
  send.onclick = () => navigator.share({ title: 'Draw Together', url: input.value }).catch(() => {});
  const closed = showDialog('share-dialog');
  input.focus();
  show(link, '');
  if (!isForThisDeviceOnly(link)) return closed;
  networkLinks(link).then((links) => {
    if (!dialog.open || input.value !== link) return;
    const { hash } = new URL(link);
    const all = [...links.map((one) => one + hash), link];
    choice.replaceChildren(...all.map((one) => make('option', { value: one }, new URL(one).host)));
    choice.hidden = links.length === 0;
    show(all[0]);
  });
  return closed;
}

/** @param {string} link to a gateway on this device @returns {string} the devices that can open it */
function hintFor(link) {
  if (isForThisDeviceOnly(link)) return laterStrings.onlyThisDevice;
  return link.startsWith('https:') ? laterStrings.inNetworkWithWarning : laterStrings.inNetwork;
}

/** @param {HTMLInputElement} input */
function select(input) {
  input.select();
  input.scrollLeft = 0;
}

/** @param {string | null} link null: no code, because a camera would be of no use */
function showCode(link) {
  const modules = link === null ? null : qrCode(link);
  element('share-scan').hidden = modules === null;
  if (!modules) return;
  const side = modules.length + 2 * QUIET;
  const code = element('share-code');
  code.setAttribute('viewBox', `${-QUIET} ${-QUIET} ${side} ${side}`);
  code.style.width = `${side * Math.floor(MAX_CODE_WIDTH / side)}px`;
  code.replaceChildren(makeSVG('path', { d: modules.map(runs).join('') }));
}

/** @param {boolean[]} row @param {number} y @returns {string} path data that fills the dark modules */
function runs(row, y) {
  const line = row.map(Number).join('');
  return [...line.matchAll(/1+/g)].map(({ index, 0: { length } }) => `M${index},${y}h${length}v1h-${length}z`).join('');
}

/**
 * Copies the link. The clipboard API exists in secure contexts only; elsewhere `execCommand` may work.
 * @param {HTMLInputElement} input @returns {Promise<boolean>} true if it is copied
 */
export async function copied(input) {
  input.focus();
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    return document.execCommand('copy');
  }
}
