/** How a language counts, and says several things in a row. */

/** @param {string} language such as `de` */
export function formsOf(language) {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  const plurals = new Intl.PluralRules(language);
  const lists = new Intl.ListFormat(language);
  const number = (/** @type {number} */ value) => numbers.format(value);
  return {
    number,
    /** @param {number} count @param {Record<string, string>} forms by what `Intl.PluralRules` says, `other` among them */
    chosen: (count, forms) => forms[plurals.select(count)] ?? forms.other,
    /** @param {number} count @param {Record<string, string>} forms @returns {string} such as `2 strokes` */
    counted: (count, forms) => `${number(count)} ${forms[plurals.select(count)] ?? forms.other}`,
    /** @param {string[]} parts @returns {string} such as `a, b, and c` */
    list: (parts) => lists.format(parts),
  };
}
