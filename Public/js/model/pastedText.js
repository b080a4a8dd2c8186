/** The texts that are made from pasted words. */

import { onPlane } from './stroke.js';
import { MAX_TEXT_LENGTH, safeText, Text } from './text.js';

/** The maximum number of characters that are pasted at once. */
export const MAX_PASTED = 100_000;
/** The maximum number of characters in a line, except for longer words. */
const LINE_LENGTH = 64;
/** The distance between two texts, in font sizes. */
const GAP = 2;
/** The ratio of texts in a row to texts in a column: a full text is higher than wide, and a screen is wider than high. */
const BREADTH = 3;

/**
 * Makes texts from pasted words. Words that are too long for one text become several texts, side by side and in several rows.
 * @param {string} words
 * @param {{ rgb: string, color: number, size: number }} style
 * @param {{ newId: () => string, z: number }} identities `z`: of the first text
 * @param {[number, number]} middle the center of all texts
 * @returns {{ texts: Text[], isCut: boolean }} `isCut`: the words are longer than `MAX_PASTED`, and their end is missing
 */
export function pastedTexts(words, style, { newId, z }, middle) {
  // A character has at most two units. The words are cut first, because the clipboard may contain a very long text.
  const characters = [...safeText(words.slice(0, 2 * MAX_PASTED))];
  const isCut = characters.length > MAX_PASTED || words.length > 2 * MAX_PASTED;
  const lines = characters.slice(0, MAX_PASTED).join('').split('\n').flatMap(wrapped);
  const texts = divided(lines).map((text, at) => new Text({ ...style, id: newId(), z: z + at, text, x: 0, y: 0 }));
  return { texts: placed(texts, GAP * style.size, middle), isCut };
}

/** @param {string} line @returns {string[]} several lines if it is long */
function wrapped(line) {
  const lines = [''];
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    const before = lines[lines.length - 1];
    if (before !== '' && before.length + word.trimEnd().length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] += word;
  }
  return lines.map((one) => one.trimEnd());
}

/** @param {string[]} lines @returns {string[]} texts of whole lines, each within the maximum length of a text */
function divided(lines) {
  /** @type {string[][]} */
  const texts = [];
  let length = Infinity;
  for (const line of lines.flatMap(pieces)) {
    const added = [...line].length + 1;
    if (length + added > MAX_TEXT_LENGTH + 1) {
      texts.push([]);
      length = 0;
    }
    // No text begins with an empty line.
    if (length === 0 && line === '') continue;
    texts[texts.length - 1].push(line);
    length += added;
  }
  return texts.map((text) => text.join('\n').trimEnd()).filter((text) => text !== '');
}

/** @param {string} line @returns {string[]} several lines if it is longer than a text */
function pieces(line) {
  if (line.length <= MAX_TEXT_LENGTH) return [line];
  const characters = [...line];
  const count = Math.ceil(characters.length / MAX_TEXT_LENGTH);
  return Array.from(
    { length: count },
    (_, at) => characters.slice(at * MAX_TEXT_LENGTH, (at + 1) * MAX_TEXT_LENGTH).join(''),
  );
}

/** @param {Text[]} texts @param {number} gap @param {[number, number]} middle @returns {Text[]} the same texts in a grid */
function placed(texts, gap, [x, y]) {
  const columns = Math.min(texts.length, Math.ceil(Math.sqrt(BREADTH * texts.length)));
  const width = Math.max(0, ...texts.map(({ box }) => box.right)) + gap;
  /** @type {number[]} */
  const heights = [];
  texts.forEach(({ box }, at) => {
    const row = Math.floor(at / columns);
    heights[row] = Math.max(heights[row] ?? 0, box.bottom + gap);
  });
  const left = x - (columns * width - gap) / 2;
  const top = y - (heights.reduce((sum, height) => sum + height, 0) - gap) / 2;
  return texts.map((text, at) => {
    const above = heights.slice(0, Math.floor(at / columns)).reduce((sum, height) => sum + height, 0);
    return text.with({ x: onPlane(left + (at % columns) * width), y: onPlane(top + above) });
  });
}
