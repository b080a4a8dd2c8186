/** The list of the keys. */

import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { showDialog } from './dialogs.js';
import { element, make } from './elements.js';

/** @returns {[string[], string][]} */
function keys() {
  const { ctrl } = strings;
  return [
    [['P', 'M', 'E', 'V'], strings.keyTools],
    [['L', 'A', 'R', 'O'], strings.keyShapes],
    [[strings.shift, 'Alt'], strings.keyRegular],
    [['T'], strings.text],
    [['H'], strings.hand],
    [['I'], strings.add],
    [['K'], strings.laser],
    [['J'], laterStrings.keyPlace],
    [['W'], laterStrings.raiseHand],
    [['←', '→', '↑', '↓'], strings.keyMove],
    [[`${ctrl} ↑`, `${ctrl} ↓`], strings.keySize],
    [[strings.delete], strings.keyRemove],
    [[`${ctrl} A`], strings.keyAll],
    [[',', '.'], strings.keyStep],
    [[`${ctrl} D`], strings.duplicate],
    [[`${ctrl} C`, `${ctrl} V`], strings.keyCopy],
    [[strings.pageUp], strings.bringToFront],
    [['[', ']'], strings.keyWidth],
    [['1', '…', '0'], strings.keyColors],
    [[`${ctrl} Z`], strings.keyUndo],
    [[strings.space, strings.drag], strings.keyHand],
    [['+', '−'], strings.keyZoom],
    [[`${strings.shift} 0`], strings.keyActualSize],
    [['F', `${strings.shift} 1`], strings.showEverything],
    [[`${ctrl} S`], strings.saveCopy],
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
