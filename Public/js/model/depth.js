/** The depths that send objects behind all others in the order of drawing. */

import { overlap } from './stroke.js';

/** @typedef {import('./scene.js').Drawable} Drawable */

/**
 * Returns the depths that send objects behind all others. A depth is never negative, so there may be no depths left below the
 * others. Then the others that overlap one of the sent objects are raised, and so are those that overlap a raised object.
 * @param {readonly Drawable[]} sent @param {readonly Drawable[]} others both lowest first
 * @returns {Map<Drawable, number>} the new depths of all objects that change
 */
export function depthsAtBack(sent, others) {
  /** @type {Map<Drawable, number>} */
  const depths = new Map();
  const highestSent = sent.at(-1)?.z ?? 0;
  if (others.length === 0 || highestSent < others[0].z) return depths;
  const lowest = Math.max(0, others[0].z - sent.length);
  sent.forEach((one, at) => depths.set(one, lowest + at));
  let highest = lowest + sent.length - 1;
  for (const one of others) {
    if (one.z > highest) break;
    let { z } = one;
    for (const [lower, depth] of depths) if (depth >= z && overlap(lower.bounds, one.bounds)) z = depth + 1;
    if (z === one.z) continue;
    depths.set(one, z);
    highest = Math.max(highest, z);
  }
  return depths;
}
