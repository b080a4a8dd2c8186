/** The commands that send objects to the back, and lock them as background. Each is one entry of the undo history. */

import { ChangeSet } from './changeSet.js';
import { depthsAtBack } from '../model/depth.js';
import { drawnBefore } from '../model/stroke.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('./changeSet.js').Parts & { history: import('./undoHistory.js').UndoHistory,
 *   tasks: import('../model/scheduling.js').ChunkedTasks }} Parts
 */

export class ObjectCommands {
  #parts;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Sends shapes and items to the back, in the same order among each other. @param {ReadonlySet<string>} ids */
  sendToBack(ids) {
    const { shapes, items } = this.#parts;
    const all = [...shapes.all, ...items.all].map(({ id }) => this.#find(id)).filter((one) => one !== null);
    all.sort(drawnBefore);
    const sent = all.filter(({ id }) => ids.has(id));
    const depths = depthsAtBack(sent, all.filter(({ id }) => !ids.has(id)));
    this.#change(new Map([...depths].map(([{ id }, z]) => [id, { z }])), 'z');
  }

  /**
   * Locks shapes and items as background, so that nobody can select or erase them; or unlocks them.
   * @param {Iterable<string>} ids @param {boolean} isLocked
   */
  setLocked(ids, isLocked) {
    this.#change(new Map([...ids].map((id) => [id, { isLocked }])), 'isLocked');
  }

  /** @param {Map<string, { z?: number, isLocked?: boolean }>} changes by id @param {'z' | 'isLocked'} name */
  #change(changes, name) {
    const { drawing, history, tasks } = this.#parts;
    const ids = [...changes.keys()].filter((id) => this.#find(id));
    if (ids.length === 0) return;
    const set = new ChangeSet(this.#parts, tasks, ids);
    tasks.run(() => ids, (/** @type {string} */ id) => {
      const one = this.#find(id);
      const change = changes.get(id);
      if (!one || !change || one[name] === change[name]) return;
      if (!('place' in one)) return set.restyleShape(one, change);
      // The placement of an unlocked item has no member `isLocked`.
      const isLocked = (change.isLocked ?? one.isLocked) || undefined;
      set.moveItem(one, one.place, { ...one.place, ...change, isLocked });
    });
    history.push(set.restyleCommand([name]));
    // Reports the change of the history.
    drawing.update([]);
  }

  /** @param {string} id @returns {Drawable | null} as it is without the drags of others */
  #find(id) {
    return this.#parts.items.find(id) ?? this.#parts.shapes.base(id);
  }
}
