/**
 * The effort of painting an SVG.
 *
 * A small file can refer to its own parts again and again, until painting it takes hours. Such a file is treated as a plain file,
 * because a browser cannot interrupt the painting.
 */

import { attributesOf, nameOf, tagsOf } from './xmlTags.js';

/** The maximum cost of a picture, in elements. */
export const MAX_COST = 200_000;
/** The costs of expensive elements: each primitive of a filter touches all pixels, and each picture has to be decoded. */
const FILTER_COST = 400;
const IMAGE_COST = 100;
/** The maximum length of a document type declaration. */
const MAX_DOCTYPE = 2 ** 14;
/** A declared entity that contains markup, other entities or an external source: its content could multiply, too. */
const RISKY_ENTITY = /<!ENTITY\s+%|<!ENTITY[^>]*(?:["'][^"'>]*[&<%]|\b(?:SYSTEM|PUBLIC)\b)/;
/** The use of a declared entity. */
const ENTITY = /&(?!#|(?:amp|lt|gt|quot|apos);)/;
/** A document inside the document. */
const NESTED = /data:\s*image\/svg/i;

/**
 * A part of the document: an element with an id, without the parts inside it. `own`: its cost; `references`: the ids of the parts
 * that are painted with it
 * @typedef {{ own: number, references: string[] }} Part
 */

/**
 * @param {string} svg the whole text
 * @returns {number} the cost of painting it, in elements; `Infinity` if it cannot be determined
 */
export function costOf(svg) {
  const styles = styleReferences(svg);
  if (!styles) return Infinity;
  /** @type {Map<string, Part>} */
  const parts = new Map();
  const whole = { own: 0, references: [] };
  /** The parts of the open elements. @type {Part[]} */
  const open = [whole];
  for (const { text } of tagsOf(svg)) {
    if (text.startsWith('!DOCTYPE') && (text.length > MAX_DOCTYPE || RISKY_ENTITY.test(text))) return Infinity;
    if (text.startsWith('/') && open.length > 1) open.pop();
    const name = nameOf(text);
    if (!name) continue;
    const attributes = attributesOf(text);
    const outer = open[open.length - 1];
    const part = partOf(attributes.get('id'), outer, parts);
    part.own += name.startsWith('fe') ? FILTER_COST : name === 'image' ? IMAGE_COST : 1;
    for (const [key, value] of attributes) {
      if (NESTED.test(value) || (ENTITY.test(value) && !key.startsWith('xmlns'))) return Infinity;
      part.references.push(...referencesIn(value));
    }
    const classes = (attributes.get('class') ?? '').split(/\s+/);
    for (const one of ['', ...classes.filter(Boolean)]) part.references.push(...styles.get(one) ?? []);
    if (!text.endsWith('/')) open.push(part);
  }
  return totalOf(whole, parts);
}

/**
 * @param {string | undefined} id of an element @param {Part} outer the part around it @param {Map<string, Part>} parts
 * @returns {Part} the part that the element belongs to
 */
function partOf(id, outer, parts) {
  if (!id || parts.has(id)) return outer;
  const part = { own: 0, references: [] };
  parts.set(id, part);
  outer.references.push(id);
  return part;
}

/** @param {string} raw the value of an attribute, or a style @returns {string[]} the ids in it */
function referencesIn(raw) {
  const value = unescaped(raw);
  if (/^\s*#/.test(value)) return [value.trim().slice(1)];
  return [...value.matchAll(/url\(\s*["']?#([^"')\s]+)/g)].map(([, id]) => id);
}

/** @param {string} text @returns {string} without the escapes of XML and CSS */
function unescaped(text) {
  const character = (/** @type {string} */ digits, /** @type {number} */ base) => {
    const code = Number.parseInt(digits, base);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  };
  return text.replace(/&#x([\da-f]{1,6});/gi, (_, digits) => character(digits, 16))
    .replace(/&#(\d{1,7});/g, (_, digits) => character(digits, 10))
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, digits) => character(digits, 16));
}

/**
 * @param {string} svg
 * @returns {Map<string, string[]> | null} the ids in its style sheets, by class; '': for all elements; null: they cannot be determined
 */
function styleReferences(svg) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  let last = 0;
  for (const { text, end } of tagsOf(svg)) {
    if (nameOf(text) !== 'style' || text.endsWith('/')) continue;
    // A sheet inside a sheet would be read many times.
    if (end < last) return null;
    const close = svg.indexOf('</', end);
    if (close < 0) return null;
    last = close;
    const sheet = svg.slice(end, close);
    if (NESTED.test(sheet) || /@import/i.test(sheet)) return null;
    for (const block of sheet.split('}')) {
      const begin = block.lastIndexOf('{');
      const ids = referencesIn(block.slice(begin + 1));
      if (begin < 0 || ids.length === 0) continue;
      const selector = block.slice(block.lastIndexOf('{', begin - 1) + 1, begin);
      const classes = [...selector.matchAll(/\.([\w-]+)/g)].map(([, one]) => one);
      for (const one of classes.length > 0 ? classes : ['']) found.set(one, [...found.get(one) ?? [], ...ids]);
    }
  }
  return found;
}

/** @param {Part} whole @param {Map<string, Part>} parts @returns {number} the cost with all references, at most about `MAX_COST` */
function totalOf(whole, parts) {
  /** @type {Map<Part, number>} */
  const totals = new Map();
  /** @param {Part} part @returns {number} */
  const total = (part) => {
    const known = totals.get(part);
    if (known !== undefined) return known;
    // A reference to a part that is being painted is ignored, as in browsers.
    totals.set(part, 0);
    let sum = part.own;
    for (const id of part.references) {
      const other = parts.get(id);
      if (other && sum <= MAX_COST) sum += total(other);
    }
    totals.set(part, sum);
    return sum;
  };
  try {
    return total(whole);
  } catch (error) {
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}
