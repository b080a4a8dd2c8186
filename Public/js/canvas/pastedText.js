/** Words from elsewhere as a text on the page. */

import { onPlane } from './stroke.js';
import { cleanText, Text } from './text.js';

/** Characters in a line, as long as words are no longer. */
const LINE_LENGTH = 64;

/**
 * @param {string} words @param {{ rgb: string, color: number, size: number }} look @param {{ id: string, z: number }} identity
 * @param {[number, number]} middle where it lies @returns {Text | null} null: there is nothing to read in it
 */
export function pastedText(words, look, identity, [x, y]) {
  const text = cleanText(words.split(/\r\n?|\n/).map(wrapped).join('\n'));
  if (text.trim() === '') return null;
  const made = new Text({ ...look, ...identity, text, x: 0, y: 0 });
  const { right, bottom } = made.box;
  return made.with({ x: onPlane(x - right / 2), y: onPlane(y - bottom / 2) });
}

/** @param {string} line @returns {string} in several, if it is long */
function wrapped(line) {
  const lines = [''];
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    const before = lines[lines.length - 1];
    if (before !== '' && before.length + word.trimEnd().length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] += word;
  }
  return lines.map((one) => one.trimEnd()).join('\n');
}
