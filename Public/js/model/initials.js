/** The initials of names. */

/** A word: its first letter or digit with at most two marks on it, because more would cover the face; and its rest. */
const WORD = /([\p{L}\p{N}]\p{M}{0,2})[\p{L}\p{N}\p{M}'’.]*/gu;
/** A flag, or a character with its marks and its skin tone. Names have no joiners of emoji. */
const SYMBOL = /^(\p{RI}{2}|.\p{M}{0,2}\p{EMod}?)/su;

/**
 * @param {string} name
 * @returns {string} the initials of its first and last word; without letters and digits, the first character
 */
export function initials(name) {
  const letters = [...name.matchAll(WORD)].map(([, letter]) => upperCase(letter));
  if (letters.length === 0) return SYMBOL.exec(name.trim())?.[0] ?? '';
  return letters[0] + (letters.length > 1 ? letters[letters.length - 1] : '');
}

/** @param {string} letter @returns {string} the same letter if its upper case has several letters, as of “ß” */
function upperCase(letter) {
  const upper = letter.toUpperCase();
  return [...upper].length > [...letter].length ? letter : upper;
}
