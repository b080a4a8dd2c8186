/** The references in an SVG to its own parts: in attributes, and in style sheets. */

import { nameOf, tagsOf } from './xmlTags.js';

/**
 * @typedef {object} Reference
 * @property {string} id
 * @property {boolean} isElement true for `href`; false for a paint, a mask and so on
 * @property {boolean} isInherited true if the elements inside the element have it, too
 * @property {boolean} isMarker true if it is painted at each point of a path
 */

/** The maximum number of references in style sheets, and in one attribute. */
const MAX_REFERENCES = 1000;
/** Documents inside the document, and other styles whose effects are not estimated: imports, and elements as pictures. */
const RISKY_STYLE = /data:\s*image\/svg|@import|element\(/i;
/** The definition of a variable. Beside references, it may contain one. */
const VARIABLE = /--[^\s:;-][^\s:;]{0,63}\s{0,8}:/;

/**
 * @param {string} name of an attribute @param {string} raw its value
 * @returns {Reference[] | null} null: they cannot be determined
 */
export function referencesIn(name, raw) {
  const value = unescaped(raw);
  if (isRisky(value)) return null;
  if (name === 'style') return referencesInRules(value);
  if (!/^\s*#/.test(value)) return referencesInProperty(name, value);
  return [{ id: value.trim().slice(1), isElement: true, isInherited: false, isMarker: false }];
}

/** @param {string} rules such as `fill: url(#a); mask: url(#b)` @returns {Reference[] | null} */
function referencesInRules(rules) {
  /** @type {Reference[]} */
  const all = [];
  for (const rule of rules.split(';')) {
    const [name] = rule.split(':', 1);
    const found = referencesInProperty(name.trim(), rule.slice(name.length));
    if (!found || all.length > MAX_REFERENCES) return null;
    all.push(...found);
  }
  return all;
}

/** @param {string} name of a property @param {string} value @returns {Reference[] | null} */
function referencesInProperty(name, value) {
  const isMarker = /^marker/i.test(name);
  const isInherited = isMarker || /^(?:fill|stroke)/i.test(name);
  const ids = [...value.matchAll(/url\(\s*["']?#([^"')\s]+)/gi)];
  if (ids.length > MAX_REFERENCES) return null;
  return ids.map(([, id]) => ({ id, isElement: false, isInherited, isMarker }));
}

/**
 * @param {string} svg
 * @returns {Map<string, Reference[]> | null} the references in its style sheets, by class; '': for all elements; null: they cannot be
 *   determined
 */
export function styleRules(svg) {
  /** @type {Map<string, Reference[]>} */
  const found = new Map();
  let [last, count] = [0, 0];
  for (const { text, end } of tagsOf(svg)) {
    if (nameOf(text) !== 'style' || text.endsWith('/')) continue;
    const close = svg.indexOf('</', end);
    // A sheet inside a sheet would be read many times.
    if (end < last || close < 0) return null;
    last = close;
    const sheet = unescaped(svg.slice(end, close));
    if (isRisky(sheet)) return null;
    for (const block of sheet.split('}')) {
      const begin = block.lastIndexOf('{');
      const references = begin < 0 ? [] : referencesInRules(block.slice(begin + 1));
      if (!references) return null;
      if (references.length === 0) continue;
      const selector = block.slice(block.lastIndexOf('{', begin - 1) + 1, begin);
      const classes = [...selector.matchAll(/\.([\w-]+)/g)].map(([, one]) => one);
      for (const one of classes.length > 0 ? classes : ['']) {
        if ((count += references.length) > MAX_REFERENCES) return null;
        found.set(one, [...found.get(one) ?? [], ...references]);
      }
    }
  }
  return found;
}

/** @param {string} style @returns {boolean} true if its effects are not estimated */
function isRisky(style) {
  return RISKY_STYLE.test(style) || (VARIABLE.test(style) && /url\(/i.test(style));
}

/** @param {string} text @returns {string} without the escapes of XML and CSS */
function unescaped(text) {
  const character = (/** @type {string} */ digits, /** @type {number} */ base) => {
    const code = Number.parseInt(digits, base);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  };
  return text.replace(/&#x([\da-f]{1,6});/gi, (_, digits) => character(digits, 16))
    .replace(/&#(\d{1,7});/g, (_, digits) => character(digits, 10))
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, digits) => character(digits, 16))
    .replace(/\\([^\da-f])/gi, (_, letter) => letter);
}
