/** Sheets that ask or tell. Each gives a promise of what was chosen; '' is none. */

import { element, make } from './elements.js';

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
  element('over-stay').textContent = hasPicture ? 'Look at the picture' : 'Close';
  element('over-start').textContent = hasPicture ? 'Start a new session with this picture' : 'Start a new session';
  return await showDialog('over-dialog') || 'stay';
}

const KEYS = [
  [['P', 'E', 'V'], 'Pen, eraser; select what lies on the page'],
  [['I'], 'Add pictures or files'],
  [['←', '→', '↑', '↓'], 'Move what is selected; with Shift farther'],
  [['Ctrl ↑', 'Ctrl ↓'], 'Larger, smaller'],
  [['Delete'], 'Remove it'],
  [['[', ']'], 'Finer, broader'],
  [['1', '…', '0'], 'Colors; C your own'],
  [['Ctrl Z'], 'Undo; with Shift redo'],
  [['Space', 'drag'], 'Move the picture; two fingers or the wheel too'],
  [['+', '−'], 'Closer, farther'],
  [['F'], 'Show everything'],
  [['?'], 'This list'],
];

/** @returns {Promise<string>} */
export function showKeys() {
  const rows = KEYS.flatMap(([keys, what]) => [
    make('dt', {}, ...[...keys].map((key) => make('kbd', {}, key))),
    make('dd', {}, String(what)),
  ]);
  element('keys-list').replaceChildren(...rows);
  return showDialog('keys-dialog');
}
