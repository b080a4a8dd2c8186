/** The list of the keys, and its button. */

import { PAGE_DOWN } from '../i18n/appleKeys.js';
import { isApple } from '../i18n/platform.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { showDialog } from './dialogs.js';
import { element, make } from './elements.js';
import { isBusy } from './keys.js';

/** @returns {[string[], string][]} */
function keys() {
  const [separator, alt] = isApple() ? ['', '⌥'] : [' ', 'Alt'];
  const chord = (/** @type {string} */ modifier, /** @type {string} */ key) => `${modifier}${separator}${key}`;
  const mod = (/** @type {string} */ key) => chord(strings.ctrl, key);
  const shift = (/** @type {string} */ key) => chord(strings.shift, key);
  const pageDown = isApple() ? PAGE_DOWN : laterStrings.pageDown;
  return [
    [['P', 'M', 'E', 'V'], laterStrings.keyTools],
    [['X'], laterStrings.keyEraser],
    [['L', 'A', 'R', 'O'], laterStrings.keyShapes],
    [[strings.shift, alt], laterStrings.keyRegular],
    [['T'], strings.text],
    [['N'], strings.note],
    [['H'], strings.hand],
    [['I'], strings.add],
    [['K'], strings.laser],
    [['J'], laterStrings.keyPlace],
    [['W'], laterStrings.raiseHand],
    [['←', '→', '↑', '↓'], strings.keyMove],
    [['←', '→', '↑', '↓', strings.shift, strings.ctrl], laterStrings.keyCross],
    [['↵', laterStrings.space], laterStrings.keyEnter],
    [['U'], laterStrings.objects],
    [[mod('↑'), mod('↓')], laterStrings.keySize],
    [[mod('←'), mod('→')], laterStrings.keyTurn],
    [[alt, laterStrings.drag], laterStrings.keyNoSnapping],
    [[strings.delete], laterStrings.keyRemove],
    [[mod('A')], laterStrings.keyAll],
    [[',', '.'], laterStrings.keyStep],
    [[mod('D')], strings.duplicate],
    [[mod('C'), mod('V')], laterStrings.keyCopy],
    [[strings.pageUp], strings.bringToFront],
    [[pageDown], laterStrings.sendToBack],
    [[shift('L')], laterStrings.keyLock],
    [['[', ']'], laterStrings.keyWidth],
    [['1', '…', '0'], laterStrings.keyColors],
    [[mod('Z')], strings.keyUndo],
    [[laterStrings.space, laterStrings.drag], laterStrings.keyHand],
    [['+', '−'], laterStrings.keyZoom],
    [[shift('0')], laterStrings.keyActualSize],
    [['F', shift('1')], strings.showEverything],
    [[shift(strings.pageUp), shift(pageDown)], laterStrings.keySheets],
    [[laterStrings.space], `${laterStrings.timeMachine}: ${laterStrings.play}`],
    [[mod('S')], strings.saveCopy],
    [['?'], laterStrings.keyList],
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

/** Hides the button of the list on a touch device until a key is pressed outside a text, which shows that there is a keyboard. */
export function offerKeys() {
  const button = element('keys');
  button.hidden = matchMedia('(hover: none) and (pointer: coarse)').matches;
  addEventListener('keydown', ({ target }) => button.hidden &&= isBusy(target), { capture: true });
}
