/** What each key does. */

import { CLOSER } from './canvasView.js';
import { showKeys } from './dialogs.js';
import { element } from './elements.js';
import { openPopover } from './popovers.js';

/** By how many pixels the arrow keys move what is selected; with Shift. */
const STEP = 8;
const LONG_STEP = 64;
/** @type {Record<string, import('./toolbar.js').ToolName>} */
const TOOLS = {
  v: 'select',
  h: 'hand',
  p: 'pen',
  m: 'highlighter',
  e: 'eraser',
  l: 'line',
  a: 'arrow',
  r: 'rectangle',
  o: 'ellipse',
  t: 'text',
};
/** @type {[string, number, number][]} */
const ARROWS = [['arrowleft', -1, 0], ['arrowright', 1, 0], ['arrowup', 0, -1], ['arrowdown', 0, 1]];

/**
 * @param {object} parts
 * @param {import('./toolbar.js').Toolbar} parts.toolbar
 * @param {import('./toolbar.js').Inks} parts.inks
 * @param {import('./incoming.js').Incoming} parts.incoming
 * @param {import('./choosing.js').Choosing} parts.choosing
 * @param {import('../edit/drawing.js').Drawing} parts.drawing
 * @param {import('./canvasView.js').CanvasView} parts.view
 * @param {() => void} parts.edit what is chosen
 * @param {import('./exportDialog.js').ExportDialog} parts.exporting
 * @param {() => boolean} parts.isOver whether nothing can be drawn any more
 */
export function bindKeys({ toolbar, inks, incoming, choosing, drawing, view, edit, exporting, isOver }) {
  const { selector } = choosing;
  const colorKeys = [...'1234567890'].map((key, at) => [key, () => inks.chooseColor(at)]);
  const push = (/** @type {number} */ x, /** @type {number} */ y) => (/** @type {KeyboardEvent} */ { shiftKey }) => {
    const step = shiftKey ? LONG_STEP : STEP;
    selector.push(x * step, y * step);
  };
  listenToKeys({
    ...Object.fromEntries(colorKeys),
    c: () => inks.chooseOwn(),
    i: () => incoming.pick(),
    ...Object.fromEntries(Object.entries(TOOLS).map(([key, tool]) => [key, () => toolbar.choose(tool)])),
    '[': () => inks.stepWidth(-1),
    ']': () => inks.stepWidth(1),
    ...Object.fromEntries(ARROWS.map(([key, x, y]) => [key, push(x, y)])),
    'mod+arrowup': () => selector.grow(1.1),
    'mod+arrowdown': () => selector.grow(1 / 1.1),
    'mod+a': () => (toolbar.choose('select'), selector.chooseAll()),
    'mod+d': () => choosing.duplicate(),
    'mod+]': () => choosing.bringToFront(),
    pageup: () => choosing.bringToFront(),
    '.': () => (toolbar.choose('select'), choosing.step(1)),
    ',': () => (toolbar.choose('select'), choosing.step(-1)),
    delete: () => choosing.remove(),
    backspace: () => choosing.remove(),
    escape: () => (selector.cancel(), selector.choose([])),
    'mod+o': () => incoming.pick(),
    'mod+z': () => drawing.undo(),
    'mod+shift+z': () => drawing.redo(),
    'mod+y': () => drawing.redo(),
  }, isOver);
  listenToKeys({
    f: () => view.showEverything(),
    'shift+1': () => view.showEverything(),
    'shift+0': () => view.zoomTo(1),
    '+': () => view.zoom(CLOSER),
    '-': () => view.zoom(1 / CLOSER),
    'mod+s': () => exporting.open(),
    '?': () => showKeys(),
  });
  // Of a button it is the press.
  element('canvas').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || isOver()) return;
    event.preventDefault();
    edit();
  });
  addEventListener('keyup', () => selector.settle());
  addEventListener('blur', () => selector.settle());
  watchTabbing();
}

/**
 * Letters for tools.
 * @param {Record<string, (event: KeyboardEvent) => void>} actions by key, `mod+` before it for Ctrl or Cmd; a digit with
 *   `shift+` is the key that has it, whatever it types
 * @param {() => boolean} [areOff]
 */
function listenToKeys(actions, areOff = () => false) {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || isBusy(event.target) || isHandledByBrowser(event)) return;
    const modifier = event.ctrlKey || event.metaKey ? 'mod+' : '';
    const shift = event.shiftKey && modifier ? 'shift+' : '';
    const key = event.key.toLowerCase();
    const digit = event.shiftKey && !modifier && key !== event.code.at(-1) && /^Digit(\d)$/.exec(event.code);
    const action = digit && actions[`shift+${digit[1]}`] || actions[modifier + shift + key];
    if (!action || areOff()) return;
    event.preventDefault();
    action(event);
  });
}

/** @param {KeyboardEvent} event @returns {boolean} true if the key closes a popover or moves between radio buttons */
function isHandledByBrowser({ key, target }) {
  if (key === 'Escape') return openPopover() !== null;
  return target instanceof HTMLInputElement && ARROWS.some(([arrow]) => arrow === key.toLowerCase());
}

/** @param {EventTarget | null} target @returns {boolean} whether the person is typing, or asked something */
export function isBusy(target) {
  return document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && target.matches('input:not([type=radio]), textarea, [contenteditable]'));
}

/** Marks that the person goes through the page by the tab key: then the canvas too shows that it has the focus. @param {AbortSignal} [signal] */
function watchTabbing(signal) {
  const { documentElement } = document;
  addEventListener('keydown', ({ key }) => key === 'Tab' && documentElement.toggleAttribute('data-tabbing', true), {
    signal,
  });
  addEventListener('pointerdown', () => documentElement.removeAttribute('data-tabbing'), { signal, capture: true });
}
