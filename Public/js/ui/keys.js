/** The keyboard shortcuts. */

import { isApple } from '../i18n/platform.js';
import { CLOSER } from './canvasView.js';
import { element } from './elements.js';
import { openPopover } from './popovers.js';

/** The distance by which an arrow key moves the selection, in pixels; and the distance with Shift. */
const STEP = 8;
const LONG_STEP = 64;
/** The angle by which an arrow key rotates the selection, in degrees. With Shift it is one degree. */
const TURN = 15;
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
  k: 'laser',
};
/** @type {[string, number, number][]} */
const ARROWS = [['arrowleft', -1, 0], ['arrowright', 1, 0], ['arrowup', 0, -1], ['arrowdown', 0, 1]];

/**
 * @param {object} parts
 * @param {import('./toolbar.js').Toolbar} parts.toolbar
 * @param {import('./stylePicker.js').StylePicker} parts.stylePicker
 * @param {import('./inputSources.js').InputSources} parts.inputSources
 * @param {import('./selectionController.js').SelectionController} parts.selectionController
 * @param {import('../edit/drawing.js').Drawing} parts.drawing
 * @param {import('../model/scene.js').Scene} parts.scene
 * @param {import('./canvasView.js').CanvasView} parts.view
 * @param {() => void} parts.edit edits the selected text
 * @param {() => void} parts.save saves a copy
 * @param {() => void} parts.showKeys
 * @param {() => boolean} parts.isEnded returns true if the session has ended
 */
export function bindKeys(
  {
    toolbar,
    stylePicker,
    inputSources,
    selectionController,
    drawing,
    scene,
    view,
    edit,
    save,
    showKeys,
    isEnded,
  },
) {
  const { selectTool } = selectionController;
  const colorKeys = [...'1234567890'].map((key, at) => [key, () => stylePicker.chooseColor(at)]);
  const push = (/** @type {number} */ x, /** @type {number} */ y) => (/** @type {KeyboardEvent} */ { shiftKey }) => {
    const step = shiftKey ? LONG_STEP : STEP;
    selectTool.nudge(x * step, y * step);
  };
  listenToKeys({
    ...Object.fromEntries(colorKeys),
    c: () => stylePicker.chooseOwn(),
    i: () => inputSources.pick(),
    x: () => toolbar.dispatchEvent(new Event('erasing')),
    ...Object.fromEntries(Object.entries(TOOLS).map(([key, tool]) => [key, () => toolbar.choose(tool)])),
    '[': () => stylePicker.stepWidth(-1),
    ']': () => stylePicker.stepWidth(1),
    ...Object.fromEntries(ARROWS.map(([key, x, y]) => [key, push(x, y)])),
    'mod+arrowup': () => selectTool.resize(1.1),
    'mod+arrowdown': () => selectTool.resize(1 / 1.1),
    'mod+arrowleft': () => selectTool.turn(-TURN),
    'mod+arrowright': () => selectTool.turn(TURN),
    'mod+shift+arrowleft': () => selectTool.turn(-1),
    'mod+shift+arrowright': () => selectTool.turn(1),
    'mod+a': () => (toolbar.choose('select'), selectTool.select(scene.sheet.all.map(({ id }) => id))),
    'mod+d': () => selectionController.duplicate(),
    'mod+]': () => selectionController.bringToFront(),
    pageup: () => selectionController.bringToFront(),
    delete: () => selectionController.remove(),
    backspace: () => selectionController.remove(),
    escape: () => (selectTool.cancel(), selectTool.select([])),
    'mod+o': () => inputSources.pick(),
    'mod+z': () => drawing.undo(),
    'mod+shift+z': () => drawing.redo(),
    'mod+y': () => drawing.redo(),
  }, isEnded);
  listenToKeys({
    f: () => view.showEverything(),
    'shift+1': () => view.showEverything(),
    'shift+0': () => view.zoomTo(1),
    '+': () => view.zoom(CLOSER),
    '-': () => view.zoom(1 / CLOSER),
    'mod+s': save,
    '?': showKeys,
  });
  // Only on the canvas: on a button, Enter presses the button.
  element('canvas').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || isEnded()) return;
    event.preventDefault();
    edit();
  });
  addEventListener('keyup', () => selectTool.commitNudge());
  addEventListener('blur', () => selectTool.commitNudge());
  watchTabbing();
}

/**
 * Calls an action for each of the given keys.
 * @param {Record<string, (event: KeyboardEvent) => void>} actions by key, with `mod+` in front for Ctrl, or Command on a Mac;
 *   `shift+` and a digit is the key with this digit, whatever character it types
 * @param {() => boolean} [areOff]
 */
export function listenToKeys(actions, areOff = () => false) {
  const isMac = isApple();
  addEventListener('keydown', (event) => {
    const [isMod, isSystem] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
    // The other modifier, such as the Windows key, belongs to the system.
    if (event.defaultPrevented || event.altKey || isSystem || isBusy(event.target) || isHandledByBrowser(event)) return;
    const modifier = isMod ? 'mod+' : '';
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

/** @param {EventTarget | null} target @returns {boolean} true if the person is typing, or a dialog is open */
export function isBusy(target) {
  return document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && target.matches('input:not([type=radio]), textarea, [contenteditable]'));
}

/** Marks the page while the person uses the tab key, so that the canvas, too, shows its focus. @param {AbortSignal} [signal] */
function watchTabbing(signal) {
  const { documentElement } = document;
  addEventListener('keydown', ({ key }) => key === 'Tab' && documentElement.toggleAttribute('data-tabbing', true), {
    signal,
  });
  addEventListener('pointerdown', () => documentElement.removeAttribute('data-tabbing'), { signal, capture: true });
}
