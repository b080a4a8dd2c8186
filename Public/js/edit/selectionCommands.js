/**
 * The commands on the selection: move, resize, duplicate, remove, bring to front and restyle. Each is one entry of the undo
 * history.
 */

import { newKey } from '../sync/key.js';
import { ChangeSet } from './changeSet.js';
import { changedEnds } from '../model/connection.js';
import { IDENTITY, transformedPlacement } from '../protocol/transformSync.js';
import { NO_ORIGIN } from '../model/origin.js';
import { ChunkedTasks } from '../model/scheduling.js';
import { drawnBefore } from '../model/stroke.js';

/**
 * @typedef {import('./undoHistory.js').Command} Command
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/placement.js').Placement} Placement
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {{ ids: ReadonlySet<string>, places: Map<Item, Placement>, isLive: boolean, transform: Transform }} Drag `isLive`:
 *   the selection itself is shown while it moves, not only its box
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('./drawing.js').Drawing} drawing
 * @property {import('./itemStore.js').ItemStore} itemStore
 * @property {import('./undoHistory.js').UndoHistory} history
 * @property {import('../protocol/transformSync.js').TransformSync} transformSync
 * @property {() => string} [key]
 * @property {() => number} [now] milliseconds
 */

/** The maximum numbers of shapes and of their points that are shown during a drag. Of a larger selection, only the box moves. */
const MAX_LIVE_SHAPES = 300;
const MAX_LIVE_POINTS = 12_000;

/** Applies commands to the selected shapes and items. */
export class SelectionCommands {
  #parts;
  #newKey;
  #tasks;
  /** The drag that is under way. @type {Drag | null} */
  #drag = null;

  /** @param {Parts} parts */
  constructor({ key = newKey, now, ...parts }) {
    this.#parts = parts;
    this.#newKey = key;
    this.#tasks = new ChunkedTasks(now);
  }

  /**
   * @returns {Transform | null} the transform of the selection box while only the box is shown, because the selection is too
   *   large
   */
  get outlineTransform() {
    return this.#drag?.isLive === false ? this.#drag.transform : null;
  }

  get isDragging() {
    return this.#drag !== null;
  }

  /** The tasks of the commands, which are processed with each frame. */
  get tasks() {
    return this.#tasks;
  }

  /** True while a command is not yet applied to all selected shapes and items. */
  get isBusy() {
    return this.#tasks.isBusy;
  }

  /** Continues unfinished commands. To be called once a frame. @returns {boolean} true if another frame is needed */
  frame() {
    return this.#tasks.frame();
  }

  /**
   * Starts a drag, or continues it.
   * @param {ReadonlySet<string>} ids @param {Transform} transform relative to the start of the drag
   */
  drag(ids, transform) {
    const { shapes, items, itemStore, transformSync } = this.#parts;
    this.#drag ??= this.#startDrag(ids);
    const drag = this.#drag;
    drag.transform = transform;
    if (drag.isLive) shapes.drag(drag.ids, transform);
    const isAlone = drag.ids.size === 1;
    for (const [item, place] of drag.places) {
      if (items.find(item.id)) {
        itemStore.placements.drag(item, transformedPlacement(place, transform, item.isPicture), isAlone);
      }
    }
    // The drag of a single picture or file is sent as a placement, because clients without transforms understand it, too. A
    // selection that is too large to be shown during the drag is not sent.
    if (drag.isLive && (!isAlone || drag.places.size === 0)) transformSync.drag(drag.ids, transform);
  }

  /** Ends the drag without a change. */
  cancelDrag() {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag) return;
    this.#parts.transformSync.cancelDrag();
    this.#parts.shapes.endDrag();
    for (const item of drag.places.keys()) this.#parts.itemStore.placements.cancelDrag(item);
  }

  /** Ends the drag and applies it as one command. */
  commitDrag() {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag) return;
    const { transform, places } = drag;
    const { shapes, items, transformSync } = this.#parts;
    const ids = [...drag.ids].filter((id) => shapes.find(id) || items.find(id));
    const changes = this.#changeSet(ids);
    transformSync.endDrag();
    this.#tasks.run(() => ids, (id) => {
      const one = this.#find(id);
      if (!one) return;
      if ('place' in one) {
        const before = places.get(one) ?? one.place;
        changes.moveItem(one, before, transformedPlacement(before, transform, one.isPicture));
      } else changes.moveShape(one, transform);
    });
    shapes.endDrag();
    if (ids.length > 0) this.#push(changes.moveCommand(transform));
  }

  /** Removes shapes and items, for everybody. @param {ReadonlySet<string>} ids */
  remove(ids) {
    const all = this.#of(ids);
    const removal = this.#removal(all.filter(isShape), all.filter(isItem));
    removal.redo();
    this.#push(removal);
  }

  /**
   * Inserts imported shapes and items. They become this person's own.
   * @param {Shape[]} shapes new ones
   * @param {{ added: import('./itemStore.js').ItemContent, place: Placement, id?: string }[]} placed
   * @returns {Promise<string[]>} their ids, once all are inserted
   */
  insert(shapes, placed) {
    const { itemStore, drawing } = this.#parts;
    const items = placed.map(({ added, place, id }) => itemStore.insert(added, place, id));
    this.#tasks.run(() => shapes, (shape) => drawing.add([shape]));
    return this.#pushInsertion(shapes, items);
  }

  /**
   * Duplicates shapes and items beside the originals.
   * @param {ReadonlySet<string>} ids @param {number} distance points
   * @returns {Promise<string[]>} the ids of the copies, once all are inserted
   */
  async duplicate(ids, distance) {
    const { itemStore, drawing } = this.#parts;
    const transform = { factor: 1, x: distance, y: distance };
    /** @type {Map<Drawable, Blob>} */
    const blobs = new Map();
    for (const item of this.#of(ids).filter(isItem)) blobs.set(item, await item.load());
    /** @type {Shape[]} */
    const shapes = [];
    /** @type {Item[]} */
    const items = [];
    // The objects are read again, because another participant may have changed them while the contents were loaded.
    const all = this.#of(ids).map((one) => ({ one, id: this.#newKey() }));
    const copies = new Map(all.map(({ one, id }) => [one.id, id]));
    this.#tasks.run(() => all, ({ one, id }) => {
      const blob = blobs.get(one);
      const z = drawing.nextZ;
      if (!('place' in one)) {
        const copy = Object.assign(one.moved(transform), { id, z, ...NO_ORIGIN });
        if ('points' in copy) Object.assign(copy, changedEnds(copy, (target) => copies.get(target)));
        shapes.push(copy);
        drawing.add([copy]);
      } else if (blob) {
        items.push(itemStore.insert({ ...one, blob }, { ...transformedPlacement(one.place, transform, true), z }, id));
      }
    });
    return this.#pushInsertion(shapes, items);
  }

  /** Brings shapes and items to the front, in the same order among each other. @param {ReadonlySet<string>} ids */
  bringToFront(ids) {
    const there = this.#of(ids).map(({ id }) => id);
    if (there.length === 0) return;
    const changes = this.#changeSet(there);
    this.#tasks.run(() => there, (id) => {
      const one = this.#find(id);
      if (!one) return;
      const z = this.#parts.drawing.nextZ;
      if ('place' in one) changes.moveItem(one, one.place, { ...one.place, z });
      else changes.restyleShape(one, { z });
    });
    this.#push(changes.restyleCommand(['z']));
  }

  /**
   * Gives shapes another style.
   * @param {ReadonlySet<string>} ids @param {(shape: Shape) => import('./changeSet.js').StyleChange} styleOf
   * @returns {boolean} true if at least one of them is a shape
   */
  restyle(ids, styleOf) {
    const there = this.#of(ids).filter(isShape).map(({ id }) => id);
    if (there.length === 0) return false;
    const changes = this.#changeSet(there);
    const names = new Set();
    this.#tasks.run(() => there, (id) => {
      const before = this.#parts.shapes.base(id);
      if (!before) return;
      const style = styleOf(before);
      if (Object.keys(style).length === 0) return;
      for (const name of Object.keys(style)) names.add(name);
      changes.restyleShape(before, style);
    });
    this.#push(changes.restyleCommand(names));
    return true;
  }

  /** Cancels the drag and all unfinished work, because the page shows another drawing. */
  reset() {
    this.cancelDrag();
    this.#tasks.reset();
  }

  /** @param {string} id @returns {Drawable | null} without the drags of others */
  #find(id) {
    return this.#parts.items.find(id) ?? this.#parts.shapes.base(id);
  }

  /** @param {ReadonlySet<string>} ids @returns {Drawable[]} those that exist, without the drags of others; lowest first */
  #of(ids) {
    const all = [...ids].map((id) => this.#find(id)).filter((one) => one !== null);
    return all.sort(drawnBefore);
  }

  /** @param {ReadonlySet<string>} ids @returns {Drag} */
  #startDrag(ids) {
    const items = this.#parts.items.all.filter(({ id }) => ids.has(id));
    const few = ids.size - items.length <= MAX_LIVE_SHAPES ? this.#of(ids) : null;
    const points = few?.reduce((sum, one) => sum + ('points' in one ? one.points.length / 2 : 1), 0) ?? Infinity;
    const places = new Map(items.map((item) => [item, item.place]));
    return { ids, places, isLive: points <= MAX_LIVE_POINTS, transform: IDENTITY };
  }

  /**
   * @param {Shape[]} shapes @param {Item[]} items new ones; unfinished work may still add some
   * @returns {Promise<string[]>} their ids, once the work is finished; never resolved if the work is cancelled
   */
  async #pushInsertion(shapes, items) {
    if (shapes.length + items.length === 0 && !this.isBusy) return [];
    const { undo, redo } = this.#removal(shapes, items);
    this.#push({ undo: redo, redo: undo, content: { kind: 'added', shapes, items } });
    await new Promise((resolve) => this.#tasks.run(() => [resolve], (finished) => finished(null)));
    return [...shapes, ...items].map(({ id }) => id);
  }

  /** @param {Shape[]} shapes @param {Item[]} items @returns {Command} the command that removes them */
  #removal(shapes, items) {
    const { itemStore, drawing } = this.#parts;
    let removed = items;
    const isThere = (/** @type {Shape} */ { id }) => this.#parts.shapes.find(id) !== null;
    return {
      redo: () => {
        const wasThere = shapes.some(isThere);
        this.#tasks.run(() => shapes, (shape) => isThere(shape) && drawing.remove([shape]));
        removed = itemStore.removeAll(items);
        return wasThere || removed.length > 0;
      },
      undo: () => {
        const wasGone = !shapes.every(isThere);
        this.#tasks.run(() => shapes, (shape) => !isThere(shape) && drawing.add([shape]));
        return itemStore.restoreRemoved(removed) || wasGone;
      },
      content: { kind: 'removed', shapes, items },
    };
  }

  /** @param {string[]} ids of the shapes and items of a command */
  #changeSet(ids) {
    return new ChangeSet(this.#parts, this.#tasks, ids);
  }

  /** @param {Command} command already applied */
  #push(command) {
    this.#parts.history.push(command);
    this.#parts.drawing.update([]);
  }
}

/** @param {Drawable} one @returns {one is Shape} */
function isShape(one) {
  return !('place' in one);
}

/** @param {Drawable} one @returns {one is Item} */
function isItem(one) {
  return 'place' in one;
}
