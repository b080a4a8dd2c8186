/** The letters on the faces of people. */

import { initials } from './initials.js';

/** The first letter or digit, with the marks on it. */
const FIRST = /^[\p{L}\p{N}]\p{M}{0,2}/u;

/** @typedef {{ letters: string, isPair: boolean }} Face `isPair`: two initials */

/**
 * Returns the letters for the people of a session: one initial, or two if others have the same first initial.
 * @param {string[]} names one for each person @returns {(name: string) => Face}
 */
export function facesOf(names) {
  const first = (/** @type {string} */ name) => FIRST.exec(initials(name))?.[0] ?? initials(name);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of names) counts.set(first(name), (counts.get(first(name)) ?? 0) + 1);
  return (name) => {
    const isPair = (counts.get(first(name)) ?? 0) > 1 && initials(name) !== first(name);
    return { letters: isPair ? initials(name) : first(name), isPair };
  };
}
