/** The direction of texts. Needs no document, so that a worker can use it. */

/** A line whose first letter is of a script that is written from right to left, such as Hebrew or Arabic. */
const FROM_RIGHT = /^\P{L}*(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** @param {string} line @returns {boolean} true if it is written from right to left */
export function isFromRight(line) {
  return FROM_RIGHT.test(line);
}

/** @param {string} text @returns {Pick<import('./note.js').Layout, 'lines' | 'fromRight'>} */
export function linesOf(text) {
  const lines = text.split('\n');
  return { lines, fromRight: lines.map(isFromRight) };
}
