/** What is drawn, as it is told to whoever paints tiles: plain data, and the numbers of all strokes in one array. */

import { Text } from './text.js';

/**
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {ImageBitmap | HTMLCanvasElement} Image
 *
 * @typedef {object} Told
 * @property {string} id
 * @property {number} z
 * @property {Bounds} bounds
 * @property {any} [look] of a mark: all that is its own but its points
 * @property {number} [points] how many numbers are its points; its pressures come after them
 * @property {number} [pressures]
 * @property {Image} [image] of what is no mark, as large as its bounds
 *
 * @typedef {{ id: string, z: number, bounds: Bounds, mark: Mark | null, image: Image | null }} Placed
 */

/**
 * @param {Drawable[]} drawables @param {(drawable: import('./item.js').Item) => Image} imageOf
 * @returns {{ told: Told[], numbers: Float64Array<ArrayBuffer> }}
 */
export function tell(drawables, imageOf) {
  const told = drawables.map((drawable) => toldOf(drawable, imageOf));
  const numbers = new Float64Array(told.reduce((sum, { points = 0, pressures = 0 }) => sum + points + pressures, 0));
  let at = 0;
  for (const drawable of drawables) {
    if (!('points' in drawable)) continue;
    numbers.set(drawable.points, at);
    at += drawable.points.length;
    numbers.set(drawable.pressures ?? [], at);
    at += drawable.pressures?.length ?? 0;
  }
  return { told, numbers };
}

/** @param {Drawable} drawable @param {(drawable: import('./item.js').Item) => Image} imageOf @returns {Told} */
function toldOf(drawable, imageOf) {
  const { id, z, bounds } = drawable;
  if ('place' in drawable) return { id, z, bounds, image: imageOf(drawable) };
  if (!('points' in drawable)) return { id, z, bounds, look: { ...drawable } };
  const { points, pressures, ...look } = drawable;
  return { id, z, bounds, look, points: points.length, pressures: pressures?.length ?? 0 };
}

/** @param {Told[]} told @param {Float64Array} numbers @returns {Placed[]} */
export function hear(told, numbers) {
  let at = 0;
  return told.map(({ id, z, bounds, look, points, pressures = 0, image = null }) => {
    if (points === undefined) return { id, z, bounds, mark: look ? new Text(look) : null, image };
    const mark = { ...look, points: numbers.subarray(at, at + points), pressures: null };
    at += points;
    if (pressures > 0) mark.pressures = numbers.subarray(at, at + pressures);
    at += pressures;
    return { id, z, bounds, mark, image };
  });
}
