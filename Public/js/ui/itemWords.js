/** What is said about pictures and files: how far they are, and how long it still takes. */

import { byteCount, sizesApart } from '../words/forms.js';
import { words } from '../words/words.js';

/** @typedef {import('../canvas/item.js').Item} Item */

const MB = 1024 * 1024;
/** Over so much time a pace is measured; from less than the least it cannot be told. */
const PACE_MS = 8000;
const LEAST_MS = 800;

/** @param {number} offset @param {number} size both in bytes @returns {string} such as `12.4 of 81 MB` */
export function doneOfTotal(offset, size) {
  if (size < 1024) return words.doneOf(words.number(offset), words.bytes(size));
  const [unit, name] = size < MB ? [1024, 'KB'] : [MB, 'MB'];
  // Down, so that it is never more than there is.
  const tenths = (/** @type {number} */ bytes) => words.number(Math.floor(10 * bytes / unit) / 10);
  return words.doneOf(tenths(offset), `${tenths(size)} ${name}`);
}

/** @param {number} offset @param {number | null} size @returns {string} such as `37 %`; without a size how much has come */
export function partDone(offset, size) {
  if (size === null) return byteCount(offset, words);
  return words.percent(size === 0 ? 100 : Math.floor(100 * Math.min(1, offset / size)));
}

/** @param {number} seconds @returns {string} */
export function timeLeft(seconds) {
  if (seconds < 5) return words.fewSecondsLeft;
  if (seconds < 57.5) return words.secondsLeft(5 * Math.round(seconds / 5));
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return words.minutesLeft(minutes);
  return words.hoursLeft(Math.floor(minutes / 60), minutes % 60);
}

/** How fast an upload is, by what it did in the last seconds. */
export class Pace {
  /** @type {{ at: number, offset: number }[]} */
  #seen = [];

  /** @param {number} offset bytes @param {number} at milliseconds */
  add(offset, at) {
    const last = this.#seen.at(-1);
    // After a cut it goes back to what has arrived.
    if (last && offset < last.offset) this.#seen = [];
    if (!last || offset !== last.offset) this.#seen.push({ at, offset });
    while (this.#seen.length > 2 && at - this.#seen[1].at > PACE_MS) this.#seen.shift();
  }

  /** It rests: what was before says nothing about what comes. */
  forget() {
    this.#seen = [];
  }

  /** @param {number} size @returns {number | null} seconds; null: it cannot be told yet */
  secondsLeft(size) {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    if (!first || !last || last.at - first.at < LEAST_MS) return null;
    return (size - last.offset) / (last.offset - first.offset) * (last.at - first.at) / 1000;
  }
}

/** @param {Item} item @returns {string} what it is, for those who do not see it */
export function itemLabel({ isPicture, name, size, by, state, offset, upload }) {
  const known = [isPicture ? words.picture(name) : words.file(name)];
  if (size !== null) known.push(byteCount(size, words));
  if (by) known.push(words.addedBy(by));
  if (upload?.state === 'failed') known.push(words.failed);
  else if (state === 'uploading' || state === 'stalled') known.push(words.underWay(partDone(offset, size)));
  return known.join(', ');
}

/** Of so many at most, each is told by its name. */
const EACH = 3;

/** @param {{ name: string, size: number }[]} files @param {number} limit bytes @returns {{ title?: string, text: string }[]} what is told of those that are too large */
export function tooLargeWords(files, limit) {
  const tooLarge = files.filter(({ size }) => size > limit);
  if (tooLarge.length <= EACH) {
    return tooLarge.map(({ name, size }) => ({ title: name, text: words.tooLarge(...sizesApart(size, limit, words)) }));
  }
  return [{ text: words.filesTooLarge(tooLarge.length, byteCount(limit, words)) }];
}

/** @param {string[]} names @returns {{ title?: string, text: string }[]} what is told of files that cannot be read */
export function unreadableWords(names) {
  if (names.length <= EACH) return names.map((title) => ({ title, text: words.unreadable }));
  return [{ text: words.filesUnreadable(names.length) }];
}
