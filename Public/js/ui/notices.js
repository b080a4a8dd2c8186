/** What the page says: to the eye for a moment, and to a screen reader. */

import { element, make } from './elements.js';

const TOAST_MS = 4500;
const LONG_TOAST_MS = 12_000;
const MAXIMUM_TOASTS = 3;

/** @param {string} text for those who do not see the page */
export function announce(text) {
  element('live').textContent = text;
}

/** @param {string} text @param {{ color?: string, link?: { href: string, text: string } }} [options] */
export function toast(text, { color, link } = {}) {
  const shown = make('div', { class: 'toast' });
  if (color) {
    shown.append(make('span', { class: 'dot', 'aria-hidden': 'true' }));
    shown.style.setProperty('--own', color);
  }
  shown.append(make('span', {}, text));
  if (link) shown.append(make('a', { href: link.href, target: '_blank', rel: 'noopener' }, link.text));
  const toasts = element('toasts');
  toasts.append(shown);
  while (toasts.children.length > MAXIMUM_TOASTS) toasts.firstElementChild?.remove();
  setTimeout(() => shown.remove(), link ? LONG_TOAST_MS : TOAST_MS);
  announce(text);
}
