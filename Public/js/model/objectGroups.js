/** The objects of the page in groups, for a list of readable length. */

import { union } from './shapes.js';
import { isShapeTool } from './strokeOutline.js';
import { overlap } from './stroke.js';

/**
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {{ members: Drawable[], bounds: Bounds }} ObjectGroup `members`: lowest first
 */

/** The maximum distance between the strokes of a group, in points. */
const NEAR = 80;
/** The maximum number of strokes in a group. */
const MAX_MEMBERS = 100;

/**
 * Groups freehand strokes that follow each other in the order of drawing, if they have the same author, tool and color, and lie
 * near each other. Every other object is a group of its own.
 * @param {readonly Drawable[]} drawables in the order of drawing @returns {ObjectGroup[]} in the same order
 */
export function groupsOf(drawables) {
  /** @type {ObjectGroup[]} */
  const groups = [];
  for (const one of drawables) {
    const last = groups[groups.length - 1];
    const { bounds } = one;
    if (last && belongsTo(last, one, bounds)) {
      last.members.push(one);
      last.bounds = union(last.bounds, bounds);
    } else groups.push({ members: [one], bounds });
  }
  return groups;
}

/** @param {Drawable} one @returns {number} the number of the participant who drew it; 0: this person, or unknown */
export function authorNumber(one) {
  return 'place' in one ? 0 : one.author;
}

/** @param {ObjectGroup} group @param {Drawable} one @param {Bounds} bounds of it @returns {boolean} */
function belongsTo({ members, bounds: { left, top, right, bottom } }, one, bounds) {
  const [first] = members;
  if (members.length >= MAX_MEMBERS || !isFreehand(one) || !isFreehand(first)) return false;
  if (
    one.isLocked !== first.isLocked || one.tool !== first.tool || one.rgb !== first.rgb ||
    authorNumber(one) !== authorNumber(first)
  ) return false;
  return overlap(bounds, { left: left - NEAR, top: top - NEAR, right: right + NEAR, bottom: bottom + NEAR });
}

/** @param {Drawable} one @returns {one is Stroke} */
function isFreehand(one) {
  return 'tool' in one && !isShapeTool(one.tool);
}
