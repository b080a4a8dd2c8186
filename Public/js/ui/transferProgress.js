/** Texts about the progress of uploads and downloads: how much is done, and how long the rest takes. */

import { byteCount } from '../i18n/format.js';
import { strings } from '../i18n/i18n.js';
import { joinParts, laterStrings } from '../i18n/later.js';

/** @typedef {import('../model/item.js').Item} Item */

const MB = 1024 * 1024;
/** The time over which a transfer rate is measured, and the minimum time for a result. */
const RATE_WINDOW_MS = 8000;
const MIN_MS = 800;

/** @param {number} offset @param {number} size both in bytes @returns {string} such as `12.4 of 81 MB` */
export function doneOfTotal(offset, size) {
  if (size < 1024) return laterStrings.doneOf(strings.number(offset), strings.bytes(size));
  const [unit, name] = size < MB ? [1024, strings.units[0]] : [MB, strings.units[1]];
  // Rounded down, so that it never exceeds the total.
  const tenths = (/** @type {number} */ bytes) => strings.number(Math.floor(10 * bytes / unit) / 10);
  return laterStrings.doneOf(tenths(offset), `${tenths(size)} ${name}`);
}

/**
 * @param {number} offset @param {number | null} size
 * @returns {string} such as `37 %`; without a size, the number of received bytes
 */
export function partDone(offset, size) {
  if (size === null) return byteCount(offset, strings);
  return strings.percent(size === 0 ? 100 : Math.floor(100 * Math.min(1, offset / size)));
}

/** @param {number} seconds @returns {string} */
export function timeLeft(seconds) {
  if (seconds < 5) return laterStrings.fewSecondsLeft;
  if (seconds < 57.5) return laterStrings.secondsLeft(5 * Math.round(seconds / 5));
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return laterStrings.minutesLeft(minutes);
  return laterStrings.hoursLeft(Math.floor(minutes / 60), minutes % 60);
}

/** The transfer rate of an upload over the last seconds. */
export class TransferRate {
  /** @type {{ at: number, offset: number }[]} */
  #seen = [];

  /** @param {number} offset bytes @param {number} at milliseconds */
  add(offset, at) {
    const last = this.#seen.at(-1);
    // After a lost connection, the offset returns to the number of received bytes.
    if (last && offset < last.offset) this.#seen = [];
    if (!last || offset !== last.offset) this.#seen.push({ at, offset });
    while (this.#seen.length > 2 && at - this.#seen[1].at > RATE_WINDOW_MS) this.#seen.shift();
  }

  /** Discards the measurements, because the upload pauses. */
  forget() {
    this.#seen = [];
  }

  /** @param {number} size @returns {number | null} seconds; null: not known yet */
  secondsLeft(size) {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    if (!first || !last || last.at - first.at < MIN_MS) return null;
    return (size - last.offset) / (last.offset - first.offset) * (last.at - first.at) / 1000;
  }
}

/** @param {Item} item @returns {string} a description for screen readers */
export function itemLabel({ isPicture, name, size, by, state, offset, upload }) {
  const known = [isPicture ? laterStrings.picture(name) : laterStrings.file(name)];
  if (size !== null) known.push(byteCount(size, strings));
  if (by) known.push(laterStrings.addedBy(by));
  if (upload?.state === 'failed') known.push(laterStrings.failed);
  else if (state === 'uploading' || state === 'stalled') known.push(laterStrings.underWay(partDone(offset, size)));
  return joinParts(known);
}
