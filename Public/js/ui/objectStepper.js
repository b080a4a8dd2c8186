/** Goes through the objects of the page in the order of drawing. */

import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';

/** @typedef {import('../model/scene.js').Drawable} Drawable */

/**
 * @typedef {object} Parts
 * @property {Pick<import('../model/scene.js').Scene, 'all'>} scene the objects
 * @property {Pick<import('../edit/selection.js').Selection, 'sole'>} selection
 * @property {(one: Drawable, position: string) => void} choose selects an object and shows it; `position`: such as `2 of 7`
 */

/** Selects the next object that is not locked, or the previous one. After the last one comes the first. @param {Parts} parts @param {1 | -1} by */
export function stepToObject({ scene, selection: { sole }, choose }, by) {
  const all = scene.all.filter(({ isLocked }) => !isLocked);
  if (all.length === 0) return;
  const before = sole ? all.findIndex(({ id }) => id === sole.id) : by > 0 ? -1 : 0;
  const at = (before + by + all.length) % all.length;
  choose(all[at], laterStrings.doneOf(strings.number(at + 1), strings.number(all.length)));
}
