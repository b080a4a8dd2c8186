/** The vectors of `Tests/Vectors`: cases of the protocol that tests in Swift, JavaScript and Python share. */

import { readFileSync } from 'node:fs';

/** @param {string} name of a file, without `.json` @returns {any} its content */
export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`../Vectors/${name}.json`, import.meta.url), 'utf8'));
}

/**
 * Returns a text in full.
 * @param {string | (string | { repeat: string, times: number })[]} text or its parts, in which `repeat` stands for copies
 */
export function fullText(text) {
  if (typeof text === 'string') return text;
  return text.map((part) => typeof part === 'string' ? part : part.repeat.repeat(part.times)).join('');
}

/** Returns the bytes of hexadecimal digits. @param {Parameters<typeof fullText>[0]} digits spaces are ignored */
export function bytesOf(digits) {
  return Uint8Array.from(Buffer.from(fullText(digits).replaceAll(' ', ''), 'hex'));
}
