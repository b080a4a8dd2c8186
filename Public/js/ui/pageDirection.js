/** The direction of the page, which depends on its language, and the consequences for names and arrow keys. */

import { isFromRight } from '../model/textDirection.js';

/** @returns {boolean} true if the page is written from right to left */
export function isPageFromRight() {
  return document.documentElement.dir === 'rtl';
}

/** @param {string} name @returns {string} the name, with control characters that keep its direction if needed */
export function isolated(name) {
  return isFromRight(name) === isPageFromRight() ? name : `\u2068${name}\u2069`;
}

/**
 * Returns the key that has the effect of the pressed key on a page from left to right. On a page from right to left, the left
 * arrow key leads to the next element.
 * @param {string} key
 */
export function readingKey(key) {
  if (!isPageFromRight()) return key;
  return { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }[key] ?? key;
}

/**
 * On a page from right to left, lets the left arrow key choose the next radio button, and the right one the previous one. Not all
 * browsers do this.
 * @param {Document} page
 */
export function turnRadioKeys(page) {
  if (!isPageFromRight()) return;
  page.addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey, defaultPrevented } = event;
    const step = { ArrowLeft: 1, ArrowRight: -1 }[key];
    if (!step || altKey || ctrlKey || metaKey || defaultPrevented) return;
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    const all = [.../** @type {NodeListOf<HTMLInputElement>} */ (page.querySelectorAll('input[type=radio]'))];
    const group = all.filter(({ name, form, disabled }) => name === target.name && form === target.form && !disabled);
    const next = group[(group.indexOf(target) + step + group.length) % group.length];
    event.preventDefault();
    next.focus();
    next.click();
  });
}
