/**
 * Dialogs, and toasts: short messages that are shown for a moment and announced to screen readers.
 *
 * Each dialog returns a promise of the chosen value; '': closed without a choice.
 */

import { strings } from '../i18n/i18n.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';

/** The functions that fulfill the promises of the shown dialogs, by the dialogs' ids. @type {Map<string, () => void>} */
const endings = new Map();

/** @param {string} id @returns {Promise<string>} the value of the button that closed it */
export function showDialog(id) {
  const dialog = /** @type {HTMLDialogElement} */ (element(id));
  // The `close` event comes with the next frame. It must not end a dialog that was shown again before that.
  if (!dialog.open) endings.get(id)?.();
  dialog.returnValue = '';
  const lifetime = new AbortController();
  return new Promise((resolve) => {
    const end = () => {
      lifetime.abort();
      resolve(dialog.returnValue);
    };
    endings.set(id, end);
    dialog.addEventListener('close', () => dialog.open || end(), lifetime);
    dialog.addEventListener('click', ({ target }) => {
      const isOutside = target === dialog;
      if (isOutside || (target instanceof Element && target.closest('[data-close]'))) dialog.close('');
    }, lifetime);
    if (!dialog.open) dialog.showModal();
    // The focus is on a button that may be at the end of the dialog, so scroll back to the top.
    dialog.scrollTop = 0;
  });
}

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {string} text
 * @property {string} action the name of the button that agrees
 * @property {boolean} [isDestructive] true to show that button in red, because the action ends the session for everybody or
 *   deletes content
 */

/** @param {Question} question @returns {Promise<boolean>} */
export async function confirmed({ title, text, action, isDestructive = false }) {
  element('confirm-title').textContent = title;
  element('confirm-text').textContent = text;
  const ok = element('confirm-ok');
  ok.textContent = action;
  ok.toggleAttribute('data-destructive', isDestructive);
  return await showDialog('confirm-dialog') === 'ok';
}

/**
 * @typedef {object} ToastOptions
 * @property {string} [title] the subject of the message
 * @property {string} [color]
 * @property {{ href: string, text: string }} [link]
 * @property {boolean} [stays] true to show the message until the person closes it
 * @property {string} [about] a new message replaces the shown one with the same value
 * @property {() => void} [gone] called when the message is no longer shown
 */

const TOAST_MS = 4500;
const LONG_TOAST_MS = 12_000;
const MAX_TOASTS = 6;

/**
 * @type {Map<string, { shown: HTMLElement, timer: ReturnType<typeof setTimeout> | undefined, gone: (() => void) | undefined }>}
 */
const toasts = new Map();

/** Announces a text to screen readers. @param {string} text */
export function announce(text) {
  element('live').textContent = text;
}

/**
 * Shows a message. If the same message is already shown, it stays longer.
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
  if (toasts.size > MAX_TOASTS) takeAway(oldest);
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
  const button = make('button', { type: 'button', class: 'small', 'aria-label': strings.close });
  button.append(icon('close'));
  button.addEventListener('click', () => takeAway(about));
  return button;
}
