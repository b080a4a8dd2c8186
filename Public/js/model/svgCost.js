/**
 * The cost of painting an SVG.
 *
 * In a small file, parts can refer to each other so often that painting takes hours. Such a file is treated as a plain file,
 * because a browser cannot interrupt the painting. The estimate may be too high, but is never much too low.
 */

import { referencesIn, styleRules } from './svgReferences.js';
import { attributesOf, nameOf, tagsOf } from './xmlTags.js';

/** @typedef {import('./svgReferences.js').Reference} Reference */

/** The maximum cost of a picture, in elements. */
export const MAX_COST = 200_000;
/** The costs of expensive elements: each primitive of a filter touches all pixels, and each picture has to be decoded. */
const FILTER_COST = 400;
const IMAGE_COST = 100;
/** The maximum length of a document type declaration. */
const MAX_DOCTYPE = 2 ** 14;
/** The limits of the estimate itself: all references, and the paints that one element inherits. */
const MAX_REFERENCES = 1_000_000;
const MAX_INHERITED = 50;
/** The minimum number of characters for a point of a path. */
const CHARACTERS_A_POINT = 2;
/**
 * Declarations whose effects are not estimated: default attributes, and entities that contain markup, other entities or an external
 * source.
 */
const RISKY_DECLARATION = /<!ATTLIST|<!ENTITY\s+%|<!ENTITY[^>]*(?:["'][^"'>]*[&<%]|\b(?:SYSTEM|PUBLIC)\b)/;
/** The use of a declared entity. */
const ENTITY = /&(?!#|(?:amp|lt|gt|quot|apos);)/;
/** Elements and instructions that load style sheets. */
const RISKY_TAG = /^(?:\?xml-stylesheet|(?:[\w.-]+:)?link\b)/;

/**
 * A part of the document: an element with an id, without the parts inside it. `own`: its cost; `uses`: the parts painted with it
 * @typedef {{ own: number, uses: Use[] }} Part
 * @typedef {{ id: string, times: number, paints: Reference[] }} Use a part; `paints`: those that each of its elements inherits
 * @typedef {{ part: Part, paints: Reference[] }} Open an element that has begun; `paints`: those that the elements inside it inherit
 */

/**
 * @param {string} svg the whole text
 * @returns {number} the cost of painting it, in elements; `Infinity` if it cannot be determined
 */
export function costOf(svg) {
  const rules = styleRules(svg);
  if (!rules) return Infinity;
  /** @type {Map<string, Part>} */
  const parts = new Map();
  const whole = { own: 0, uses: [] };
  /** @type {Open[]} */
  const open = [{ part: whole, paints: [] }];
  let [elements, count] = [0, 0];
  for (const { text } of tagsOf(svg)) {
    if (RISKY_TAG.test(text)) return Infinity;
    if (text.startsWith('!DOCTYPE') && (text.length > MAX_DOCTYPE || RISKY_DECLARATION.test(text))) return Infinity;
    if (text.startsWith('/') && open.length > 1) open.pop();
    const name = nameOf(text);
    if (!name) continue;
    if ((elements += 1) > MAX_COST) return Infinity;
    const attributes = attributesOf(text);
    const references = referencesOf(name, attributes, rules);
    const outer = open[open.length - 1];
    const part = partOf(attributes.get('id') ?? attributes.get('xml:id'), outer.part, parts);
    const own = references?.filter(({ isInherited }) => isInherited) ?? [];
    const paints = own.length > 0 ? [...outer.paints, ...own] : outer.paints;
    count += (references?.length ?? 0) + paints.length;
    if (!references || paints.length > MAX_INHERITED || count > MAX_REFERENCES) return Infinity;
    part.own += name.startsWith('fe') ? FILTER_COST : name === 'image' ? IMAGE_COST : 1;
    const points = Math.ceil((attributes.get('d') ?? attributes.get('points') ?? '').length / CHARACTERS_A_POINT);
    const times = (/** @type {Reference} */ { isMarker }) => isMarker ? Math.max(1, points) : 1;
    for (const one of references) {
      part.uses.push({ id: one.id, times: times(one), paints: one.isElement ? paints : [] });
    }
    for (const one of outer.paints) part.uses.push({ id: one.id, times: times(one), paints: [] });
    if (!text.endsWith('/')) open.push({ part, paints });
  }
  return totalOf(whole, parts);
}

/**
 * @param {string} name of an element @param {Map<string, string>} attributes @param {Map<string, Reference[]>} rules
 * @returns {Reference[] | null} null: they cannot be determined
 */
function referencesOf(name, attributes, rules) {
  /** @type {Reference[]} */
  const all = [...rules.get('') ?? []];
  for (const one of (attributes.get('class') ?? '').split(/\s+/)) if (one) all.push(...rules.get(one) ?? []);
  for (const [key, value] of attributes) {
    if (ENTITY.test(value) && !key.startsWith('xmlns')) return null;
    const references = referencesIn(key, value);
    // An animation sets the paint of the element around it.
    const isAnimated = /^(?:animate|set)/.test(name) && references?.some(({ isElement }) => !isElement);
    if (!references || isAnimated) return null;
    all.push(...references);
  }
  return all;
}

/**
 * @param {string | undefined} id of an element @param {Part} outer the part around it @param {Map<string, Part>} parts
 * @returns {Part} the part that the element belongs to
 */
function partOf(id, outer, parts) {
  if (!id || parts.has(id)) return outer;
  const part = { own: 0, uses: [] };
  parts.set(id, part);
  outer.uses.push({ id, times: 1, paints: [] });
  return part;
}

/** @param {Part} whole @param {Map<string, Part>} parts @returns {number} the cost with all uses */
function totalOf(whole, parts) {
  /** @type {Map<Part, number>} */
  const totals = new Map();
  /** @param {Part | undefined} part @returns {number} not much more than the maximum */
  const total = (part) => {
    if (!part) return 0;
    const known = totals.get(part);
    if (known !== undefined) return known;
    // A part that uses itself is ignored, as in browsers.
    totals.set(part, 0);
    let sum = part.own;
    for (const { id, times, paints } of part.uses) {
      if (sum > MAX_COST) break;
      const inherited = paints.reduce((cost, paint) => cost + total(parts.get(paint.id)), 1);
      sum += times * total(parts.get(id)) * inherited;
    }
    totals.set(part, sum);
    return sum;
  };
  try {
    return total(whole);
  } catch (error) {
    // A chain of uses that is too long for this function is too long for a browser, too.
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}
