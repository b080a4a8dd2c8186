/** Aligns and distributes the selection: each shape and item moves by its own offset, all of them as one command. */

import { alignOffsets, distributeOffsets } from '../model/alignment.js';
import { transformedPlacement } from '../protocol/transformSync.js';
import { ChangeSet } from './changeSet.js';

/**
 * @typedef {import('../model/alignment.js').Alignment} Alignment
 * @typedef {import('../model/alignment.js').Direction} Direction
 * @typedef {import('../model/scene.js').Drawable} Drawable
 *
 * @typedef {object} MoreParts
 * @property {import('./undoHistory.js').UndoHistory} history
 * @property {import('../model/scheduling.js').ChunkedTasks} tasks
 * @typedef {import('./changeSet.js').Parts & MoreParts} Parts
 */

/** The minimum numbers of shapes and items that can be aligned, and distributed. */
export const MIN_ALIGNED = 2;
export const MIN_DISTRIBUTED = 3;

/**
 * Aligns shapes and items at one side, or at the middle, of their common bounds; or distributes them with equal gaps. Connections
 * between them are not moved, because they follow their objects.
 * @param {Parts} parts @param {Iterable<string>} ids @param {Alignment | Direction} how
 * @returns {boolean} true if at least one has moved
 */
export function arrange(parts, ids, how) {
  const { shapes, items, drawing, history, tasks } = parts;
  const find = (/** @type {string} */ id) => items.find(id) ?? shapes.base(id);
  const chosen = new Set(ids);
  const all = [...chosen].map(find).filter((one) => one !== null).filter((one) => !isAttached(one, chosen));
  const isDistribution = how === 'horizontal' || how === 'vertical';
  if (all.length < (isDistribution ? MIN_DISTRIBUTED : MIN_ALIGNED)) return false;
  const boxes = all.map(({ extent }) => extent);
  const offsets = isDistribution ? distributeOffsets(boxes, how) : alignOffsets(boxes, how);
  const moves = all.map(({ id }, at) => ({ id, transform: { factor: 1, x: offsets[at][0], y: offsets[at][1] } }))
    .filter(({ transform: { x, y } }) => x !== 0 || y !== 0);
  if (moves.length === 0) return false;
  const changes = new ChangeSet(parts, tasks, moves.map(({ id }) => id));
  tasks.run(() => moves, ({ id, transform }) => {
    const one = find(id);
    if (!one) return;
    if (!('place' in one)) return changes.moveShape(one, transform, true);
    changes.moveItem(one, one.place, transformedPlacement(one.place, transform, one.isPicture), transform);
  });
  history.push(changes.moveCommand());
  // Reports the change of the history.
  drawing.update([]);
  return true;
}

/** @param {Drawable} one @param {ReadonlySet<string>} ids @returns {boolean} true if an end of it is attached to one of these */
function isAttached(one, ids) {
  return 'points' in one && [one.from, one.to].some((end) => end && ids.has(end.id));
}
