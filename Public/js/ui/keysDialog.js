/** The list of the keys, and its button. */

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
  return [
    [['P', 'M', 'E', 'V'], strings.keyTools],
    [['X'], strings.keyEraser],
    [['L', 'A', 'R', 'O'], strings.keyShapes],
    [[strings.shift, alt], strings.keyRegular],
    [['T'], strings.text],
    [['H'], strings.hand],
    [['I'], strings.add],
    [['←', '→', '↑', '↓'], strings.keyMove],
    [[mod('↑'), mod('↓')], strings.keySize],
    [[strings.delete], strings.keyRemove],
    [[mod('A')], strings.keyAll],
    [[',', '.'], strings.keyStep],
    [[mod('D')], strings.duplicate],
    [[mod('C'), mod('V')], strings.keyCopy],
    [[strings.pageUp], strings.bringToFront],
    [['[', ']'], strings.keyWidth],
    [['1', '…', '0'], strings.keyColors],
    [[mod('Z')], strings.keyUndo],
    [[strings.space, strings.drag], strings.keyHand],
    [['+', '−'], strings.keyZoom],
    [[shift('0')], strings.keyActualSize],
    [['F', shift('1')], strings.showEverything],
    [[shift(strings.pageUp), shift(strings.pageUp.replace('↑', '↓'))], laterStrings.keySheets],
    [[mod('S')], strings.saveCopy],
    [['?'], strings.keyList],
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

/** Hides the button of the list on a touch device, until a key is pressed outside of a text: then there is a keyboard. */
export function offerKeys() {
  const button = element('keys');
  button.hidden = matchMedia('(hover: none) and (pointer: coarse)').matches;
  addEventListener('keydown', ({ target }) => button.hidden &&= isBusy(target), { capture: true });
}
