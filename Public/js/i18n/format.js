/** The format of numbers, plurals, lists and file sizes in a language. */

/** A name with letters that are written from right to left, unless it is isolated. A list of such names has the wrong order. */
const FROM_RIGHT = /^(?!\u2068).*[\u0590-\u08ff\ufb1d-\ufefc]/s;

/** @param {string} language such as `de` */
export function formatterOf(language) {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  const plurals = new Intl.PluralRules(language);
  const lists = new Intl.ListFormat(language);
  const number = (/** @type {number} */ value) => numbers.format(value);
  return {
    number,
    /** @param {number} count @param {Record<string, string>} forms by the categories of `Intl.PluralRules`, including `other` */
    plural: (count, forms) => forms[plurals.select(count)] ?? forms.other,
    /** @param {number} count @param {Record<string, string>} forms @returns {string} such as `2 strokes` */
    counted: (count, forms) => `${number(count)} ${forms[plurals.select(count)] ?? forms.other}`,
    /** @param {string[]} parts @returns {string} such as `a, b, and c` */
    list: (parts) => lists.format(parts.map((part) => FROM_RIGHT.test(part) ? `\u2068${part}\u2069` : part)),
    /** @param {number} at @param {number} now both in milliseconds @returns {string} the time of the present day, or the date */
    moment: (at, now) => {
      const isToday = new Date(at).toDateString() === new Date(now).toDateString();
      return new Date(at).toLocaleString(language, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium' });
    },
  };
}

/**
 * @typedef {{ number: (value: number) => string, bytes: (count: number) => string, units: readonly string[] }} SizeStrings the
 *   parts of a size that depend on the language
 */

/** @param {number} bytes @param {SizeStrings} strings @returns {string} such as `131 MB`; 1 KB is 1,024 bytes */
export function byteCount(bytes, strings) {
  if (bytes < 1024) return strings.bytes(bytes);
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1023.5 && unit < strings.units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${strings.number(size < 9.95 ? Number(size.toFixed(1)) : Math.round(size))} ${strings.units[unit]}`;
}

/**
 * Formats a size and a limit that it exceeds, with enough decimals to show the difference.
 * @param {number} actual @param {number} limit both in bytes @param {SizeStrings} strings @returns {[string, string]}
 */
export function sizesApart(actual, limit, strings) {
  let [is, most] = [byteCount(actual, strings), byteCount(limit, strings)];
  const unit = most.split(' ')[1];
  const bytes = 1024 ** (strings.units.indexOf(unit) + 1);
  for (let decimals = 1; is === most; decimals += 1) {
    const [more, less] = [actual, limit].map((size) => (size / bytes).toFixed(decimals));
    if (more !== less) [is, most] = [more, less].map((size) => `${strings.number(Number(size))} ${unit}`);
  }
  return [is, most];
}
