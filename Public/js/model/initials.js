/** The initials of names. */

/** A word: its first letter or digit with the marks on it, and the rest. Two marks at most, because more would cover the face. */
const WORD = /([\p{L}\p{N}]\p{M}{0,2})[\p{L}\p{N}\p{M}'’.]*/gu;
/** A character with its variations: emoji, skin tones, families and flags. */
const SYMBOL = /^(?:\p{RI}{2}|\P{M}\p{M}{0,2}\p{Emoji_Modifier}?(?:\u200d\P{M}\p{M}{0,2}\p{Emoji_Modifier}?){0,3})/u;

/**
 * @param {string} name
 * @returns {string} the initials of its first and last word; without letters and digits, the first character
 */
export function initials(name) {
  const letters = [...name.matchAll(WORD)].map(([, letter]) => upperCase(letter));
  if (letters.length === 0) return SYMBOL.exec(name.trim())?.[0] ?? '';
  return letters.length > 1 ? `${letters[0]}${letters[letters.length - 1]}` : letters[0];
}

/** @param {string} letter @returns {string} its upper case, unless that has several letters, as that of “ß” */
function upperCase(letter) {
  const upper = letter.toUpperCase();
  return [...upper].length > [...letter].length ? letter : upper;
}
