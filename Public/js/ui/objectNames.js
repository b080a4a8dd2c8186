/** The names of objects for people who do not see them. */

import { nearestNamed } from '../model/colorName.js';
import { placeIn } from '../model/viewPlace.js';
import { ADAPTIVE } from '../model/palette.js';
import { strings } from '../i18n/i18n.js';
import { joinParts, laterStrings } from '../i18n/later.js';

/**
 * @typedef {import('../model/objectGroups.js').ObjectGroup} ObjectGroup
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {'you' | { name: string } | null} Author null: unknown
 */

/** The maximum length of the part of a text that is its name. */
const MAX_EXCERPT = 60;
/** The tools that have names. Other clients may use any other tool. */
const NAMED_TOOLS = ['line', 'arrow', 'rectangle', 'ellipse'];

/**
 * Names a group of objects by its kind, its author, its color and its position, such as `12 strokes, by Ana, red, top left`.
 * @param {ObjectGroup} group @param {{ view: Bounds, isDark: boolean, authorOf: (one: Drawable) => Author }} options
 * @returns {string}
 */
export function nameOfGroup({ members, bounds }, { view, isDark, authorOf }) {
  const [first] = members;
  const lock = first.isLocked ? laterStrings.lockedObject : '';
  const parts = [kindName(first, members.length), lock, authorName(authorOf(first)), colorName(first, isDark)];
  return joinParts([...parts, placeName(bounds, view)]);
}

/** @param {Bounds} bounds @param {Bounds} view @returns {string} the position in words */
export function placeName(bounds, view) {
  const { isInView, index } = placeIn(bounds, view);
  return (isInView ? laterStrings.places : laterStrings.beyond)[index];
}

/** @param {string} tool @returns {string} its name; '' if it has none */
export function toolName(tool) {
  const name = /** @type {Record<string, unknown>} */ (strings)[tool];
  return typeof name === 'string' ? name : '';
}

/** @param {Drawable} one @param {number} count of strokes like this one @returns {string} */
function kindName(one, count) {
  if ('place' in one) return one.isPicture ? laterStrings.picture(one.name) : laterStrings.file(one.name);
  if ('text' in one) {
    const text = excerpt(one.text);
    if (one.note) return text === '' ? strings.note : laterStrings.noteObject(text);
    return laterStrings.textObject(text);
  }
  if (NAMED_TOOLS.includes(one.tool)) return toolName(one.tool);
  return one.tool === 'highlighter' ? laterStrings.highlights(count) : laterStrings.strokes(count);
}

/** @param {Author} author */
function authorName(author) {
  if (!author) return '';
  return author === 'you' ? laterStrings.drawnByYou : laterStrings.drawnBy(author.name);
}

/** @param {Drawable} one @param {boolean} isDark true on dark paper */
function colorName(one, isDark) {
  if ('place' in one) return '';
  if (one.rgb === ADAPTIVE) return isDark ? laterStrings.whiteInk : laterStrings.blackInk;
  const names = [...laterStrings.colors, ...laterStrings.grays, laterStrings.blackInk, laterStrings.whiteInk];
  return names[nearestNamed(one.rgb)].toLocaleLowerCase();
}

/** @param {string} text */
function excerpt(text) {
  const letters = [...text.replace(/\s+/gu, ' ').trim()];
  return letters.length > MAX_EXCERPT ? `${letters.slice(0, MAX_EXCERPT).join('').trimEnd()}…` : letters.join('');
}
