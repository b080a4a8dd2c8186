/** The list of the keys. */

import { words } from '../i18n/i18n.js';
import { showDialog } from './dialogs.js';
import { element, make } from './elements.js';

/** @returns {[string[], string][]} */
function keys() {
  const { ctrl } = words;
  return [
    [['P', 'M', 'E', 'V'], words.keyTools],
    [['L', 'A', 'R', 'O'], words.keyShapes],
    [[words.shift, 'Alt'], words.keyRegular],
    [['T'], words.text],
    [['H'], words.hand],
    [['I'], words.add],
    [['←', '→', '↑', '↓'], words.keyMove],
    [[`${ctrl} ↑`, `${ctrl} ↓`], words.keySize],
    [[words.delete], words.keyRemove],
    [[`${ctrl} A`], words.keyAll],
    [[',', '.'], words.keyStep],
    [[`${ctrl} D`], words.duplicate],
    [[`${ctrl} C`, `${ctrl} V`], words.keyCopy],
    [[words.pageUp], words.bringToFront],
    [['[', ']'], words.keyWidth],
    [['1', '…', '0'], words.keyColors],
    [[`${ctrl} Z`], words.keyUndo],
    [[words.space, words.drag], words.keyHand],
    [['+', '−'], words.keyZoom],
    [[`${words.shift} 0`], words.keyActualSize],
    [['F', `${words.shift} 1`], words.showEverything],
    [[`${ctrl} S`], words.saveCopy],
    [['?'], words.keyList],
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
