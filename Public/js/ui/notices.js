/** What the page says: to the eye for a moment, and to a screen reader. */

import { element, icon, make } from './elements.js';

const TOAST_MS = 4500;
const LONG_TOAST_MS = 12_000;
const MAXIMUM_TOASTS = 6;

/** @param {string} text for those who do not see the page */
export function announce(text) {
  element('live').textContent = text;
}

/**
 * @param {string} text
 * @param {{ title?: string, color?: string, link?: { href: string, text: string }, stays?: boolean }} [options]
 *   `title`: what it is about; `stays`: until the person has taken it away
 */
export function toast(text, { title, color, link, stays = false } = {}) {
  const shown = make('div', { class: 'toast' });
  if (color) {
    shown.append(make('span', { class: 'dot', 'aria-hidden': 'true' }));
    shown.style.setProperty('--own', color);
  }
  if (title) shown.append(make('b', {}, title));
  shown.append(make('span', {}, text));
  if (link) shown.append(make('a', { href: link.href, target: '_blank', rel: 'noopener' }, link.text));
  if (stays) shown.append(closeButton(shown));
  const toasts = element('toasts');
  toasts.append(shown);
  while (toasts.children.length > MAXIMUM_TOASTS) toasts.firstElementChild?.remove();
  if (!stays) setTimeout(() => shown.remove(), link ? LONG_TOAST_MS : TOAST_MS);
  announce(title ? `${title}: ${text}` : text);
}

/** @param {HTMLElement} shown */
function closeButton(shown) {
  const button = make('button', { type: 'button', class: 'small', 'aria-label': 'Close' });
  button.append(icon('close'));
  button.addEventListener('click', () => shown.remove());
  return button;
}
