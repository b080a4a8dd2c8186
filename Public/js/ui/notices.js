/** What the page says: to the eye for a moment, and to a screen reader. */

import { words } from '../words/words.js';
import { element, icon, make } from './elements.js';

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
