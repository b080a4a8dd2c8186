/**
 * What a person is asked in dialogs, told in notices (to the eye for a moment, and to a screen reader), and given to invite
 * others: a link to copy, to send, or to scan.
 *
 * Each dialog gives a promise of what was chosen; '' is none.
 */

import { qrCode } from './qrCode.js';
import { words } from '../i18n/i18n.js';
import { element, make, makeSVG } from './elements.js';
import { icon } from './icons.js';

/** @param {string} id @returns {Promise<string>} the value of the button that closed it */
export function showDialog(id) {
  const dialog = /** @type {HTMLDialogElement} */ (element(id));
  dialog.returnValue = '';
  const lifetime = new AbortController();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      lifetime.abort();
      resolve(dialog.returnValue);
    }, lifetime);
    dialog.addEventListener('click', ({ target }) => {
      const isOutside = target === dialog;
      if (isOutside || (target instanceof Element && target.closest('[data-close]'))) dialog.close('');
    }, lifetime);
    if (!dialog.open) dialog.showModal();
    // Its button may be far down, and has the focus.
    dialog.scrollTop = 0;
  });
}

/** @param {{ title: string, text: string, action: string }} words @returns {Promise<boolean>} */
export async function confirmed({ title, text, action }) {
  element('confirm-title').textContent = title;
  element('confirm-text').textContent = text;
  element('confirm-ok').textContent = action;
  return await showDialog('confirm-dialog') === 'ok';
}

/** @param {string} name @returns {Promise<string | null>} another name, or null */
export async function askName(name) {
  const input = /** @type {HTMLInputElement} */ (element('name'));
  input.value = name;
  const answer = showDialog('name-dialog');
  input.select();
  return await answer === 'ok' ? input.value : null;
}

/**
 * @param {{ title: string, text: string, canRetry: boolean, hasPicture: boolean }} words
 * @returns {Promise<string>} `start`, `retry` or `stay`
 */
export async function tellOver({ title, text, canRetry, hasPicture }) {
  element('over-title').textContent = title;
  element('over-text').textContent = text;
  element('over-retry').hidden = !canRetry;
  element('over-stay').textContent = hasPicture ? words.look : words.close;
  element('over-start').textContent = hasPicture ? words.startWithPicture : words.startSession;
  return await showDialog('over-dialog') || 'stay';
}

/** @returns {[string[], string][]} */
function keys() {
  const { ctrl } = words;
  return [
    [['P', 'M', 'E', 'V'], words.keyTools],
    [['L', 'A', 'R', 'O'], words.keyShapes],
    [[words.shift, 'Alt'], words.keyRegular],
    [['T'], words.text],
    [['H'], words.hand],
    [['I'], words.add],
    [['←', '→', '↑', '↓'], words.keyMove],
    [[`${ctrl} ↑`, `${ctrl} ↓`], words.keySize],
    [[words.delete], words.keyRemove],
    [[`${ctrl} A`], words.keyAll],
    [[',', '.'], words.keyStep],
    [[`${ctrl} D`], words.duplicate],
    [[`${ctrl} C`, `${ctrl} V`], words.keyCopy],
    [[words.pageUp], words.bringToFront],
    [['[', ']'], words.keyWidth],
    [['1', '…', '0'], words.keyColors],
    [[`${ctrl} Z`], words.keyUndo],
    [[words.space, words.drag], words.keyHand],
    [['+', '−'], words.keyZoom],
    [[`${words.shift} 0`], words.keyActualSize],
    [['F', `${words.shift} 1`], words.showEverything],
    [[`${ctrl} S`], words.saveCopy],
    [['?'], words.keyList],
  ];
}

/** @returns {Promise<string>} */
export function showKeys() {
  const rows = keys().flatMap(([keys, what]) => [
    make('dt', {}, ...keys.map((key) => make('kbd', {}, key))),
    make('dd', {}, what),
  ]);
  element('keys-list').replaceChildren(...rows);
  return showDialog('keys-dialog');
}

/**
 * @typedef {object} ToastOptions
 * @property {string} [title] what it is about
 * @property {string} [color]
 * @property {{ href: string, text: string }} [link]
 * @property {boolean} [stays] until the person has taken it away
 * @property {string} [about] takes the place of the one with the same
 * @property {() => void} [gone] it is not shown any more
 */

const TOAST_MS = 4500;
const LONG_TOAST_MS = 12_000;
const MAXIMUM_TOASTS = 6;

/** @type {Map<string, { shown: HTMLElement, timer: ReturnType<typeof setTimeout> | undefined, gone: (() => void) | undefined }>} */
const toasts = new Map();

/** @param {string} text for those who do not see the page */
export function announce(text) {
  element('live').textContent = text;
}

/**
 * What is shown already is not shown twice: it stays longer.
 * @param {string} text
 * @param {ToastOptions} [options]
 */
export function toast(text, { title, color, link, stays = false, about = `${title}: ${text}`, gone } = {}) {
  const shown = make('div', { class: 'toast' });
  if (color) {
    shown.append(make('span', { class: 'dot', 'aria-hidden': 'true' }));
    shown.style.setProperty('--own', color);
  }
  if (title) shown.append(make('b', {}, title));
  shown.append(make('span', {}, text));
  if (link) shown.append(make('a', { href: link.href, target: '_blank', rel: 'noopener' }, link.text));
  if (stays) shown.append(closeButton(about));
  const before = toasts.get(about);
  if (before) {
    clearTimeout(before.timer);
    shown.dataset.again = '';
    before.shown.replaceWith(shown);
  } else element('toasts').append(shown);
  const timer = stays ? undefined : setTimeout(() => takeAway(about), link ? LONG_TOAST_MS : TOAST_MS);
  toasts.set(about, { shown, timer, gone });
  const [oldest] = toasts.keys();
  if (toasts.size > MAXIMUM_TOASTS) takeAway(oldest);
  announce(title ? `${title}: ${text}` : text);
}

/** @param {string} about */
function takeAway(about) {
  const { shown, timer, gone } = toasts.get(about) ?? {};
  clearTimeout(timer);
  shown?.remove();
  toasts.delete(about);
  gone?.();
}

/** @param {string} about the toast that it closes */
function closeButton(about) {
  const button = make('button', { type: 'button', class: 'small', 'aria-label': words.close });
  button.append(icon('close'));
  button.addEventListener('click', () => takeAway(about));
  return button;
}

/** Around a code, in its modules (ISO/IEC 18004 §6.3.8). */
const QUIET = 4;
/** As wide as it gets, in pixels: whole ones for each module, so that all are alike. */
const WIDEST = 210;

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
  showCode(link);
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

/** @param {string} link */
function showCode(link) {
  const modules = qrCode(link);
  element('share-scan').hidden = modules === null;
  if (!modules) return;
  const side = modules.length + 2 * QUIET;
  const code = element('share-code');
  code.setAttribute('viewBox', `${-QUIET} ${-QUIET} ${side} ${side}`);
  code.style.width = `${side * Math.floor(WIDEST / side)}px`;
  code.replaceChildren(makeSVG('path', { d: modules.map(runs).join('') }));
}

/** @param {boolean[]} row @param {number} y @returns {string} of a path that fills what is dark */
function runs(row, y) {
  const line = row.map(Number).join('');
  return [...line.matchAll(/1+/g)].map(({ index, 0: { length } }) => `M${index},${y}h${length}v1h-${length}z`).join('');
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
