/** Sizes of files, for people. */

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** @param {number} bytes @returns {string} such as `131 MB`; 1 KB is 1,024 bytes */
export function byteCount(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1023.5 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1).replace('.0', '') : Math.round(size)} ${UNITS[unit]}`;
}

/**
 * In so many decimals that the size is seen to be more than the limit.
 * @param {number} actual @param {number} limit both in bytes @returns {string}
 */
export function tooLargeText(actual, limit) {
  let [is, most] = [actual, limit].map(byteCount);
  const unit = most.split(' ')[1];
  const bytes = 1024 ** (UNITS.indexOf(unit) + 1);
  for (let decimals = 1; is === most; decimals += 1) {
    const [more, less] = [actual, limit].map((size) => (size / bytes).toFixed(decimals));
    if (more !== less) [is, most] = [`${more} ${unit}`, `${Number(less)} ${unit}`];
  }
  return `This file is ${is}. The limit here is ${most}.`;
}
