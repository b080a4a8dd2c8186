/** The names of keys on Apple keyboards. */

import { changeStrings, strings } from './i18n.js';
import { isApple } from './platform.js';

/** @typedef {import('./en.js').Strings} Strings */

/** The key that scrolls down by a page. */
export const PAGE_DOWN = 'fn ↓';
const KEYS = Object.freeze({ ctrl: '⌘', shift: '⇧', delete: '⌫', pageUp: 'fn ↑' });

/**
 * On an Apple device, names the keys as on Apple keyboards: in the strings, and in the titles that the page already has. Titles
 * are shown only when the pointer rests, so this can wait until the first stroke can be drawn.
 * @param {ParentNode} page @param {boolean} [isNeeded]
 */
export function nameAppleKeys(page, isNeeded = isApple()) {
  if (!isNeeded) return;
  const named = namer(strings);
  for (const element of page.querySelectorAll('[title]')) {
    element.setAttribute('title', named(element.getAttribute('title') ?? ''));
  }
  changeStrings((table) => {
    const texts = Object.entries(table).map(([name, text]) => [name, typeof text === 'string' ? named(text) : text]);
    return Object.freeze({ ...Object.fromEntries(texts), ...KEYS });
  });
}

/** @param {Readonly<Strings>} table @returns {(text: string) => string} renames the keys in a text of the table's language */
function namer({ ctrl, shift, delete: remove, pageUp }) {
  const modifiers = new RegExp(`${ctrl}[ +](${shift}[ +])?`, 'g');
  return (text) =>
    text.replaceAll(modifiers, (_, shifted) => shifted ? `${KEYS.shift}${KEYS.ctrl}` : KEYS.ctrl)
      .replaceAll(`(${remove})`, `(${KEYS.delete})`).replaceAll(`(${pageUp})`, `(${KEYS.pageUp})`);
}
