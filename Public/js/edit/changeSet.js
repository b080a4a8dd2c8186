/** The changes that one command makes to shapes and items, for undo and redo. */

import { changedEnds } from '../model/connection.js';
import { IDENTITY, inverse, transformedPlacement } from '../protocol/transformSync.js';

/**
 * @typedef {import('./undoHistory.js').Command} Command
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/placement.js').Placement} Placement
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/fonts.js').Font} Font
 * @typedef {{ rgb?: string, color?: number, width?: number, size?: number, font?: Font, z?: number, fill?: string, dash?: string,
 *   opacity?: number, isLocked?: boolean }} StyleChange
 * @typedef {{ before: Shape, after: Shape, transform?: Transform }} ShapeChange `transform`: if each shape has its own
 * @typedef {{ item: Item, before: Placement, after: Placement, transform?: Transform }} ItemChange
 * @typedef {<T extends { before: unknown, after: unknown }>(change: T) => T} Direction
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('./drawing.js').Drawing} drawing
 * @property {import('./itemStore.js').ItemStore} itemStore
 */

/** Applies changes, records them, and creates the command that undoes and redoes them. Later changes by others are kept. */
export class ChangeSet {
  #parts;
  #tasks;
  #ids;
  /** @type {ShapeChange[]} */
  #shapeChanges = [];
  /** @type {ItemChange[]} */
  #itemChanges = [];

  /**
   * @param {Parts} parts
   * @param {import('../model/scheduling.js').ChunkedTasks} tasks processes the changes during undo and redo
   * @param {string[]} ids of all shapes and items of the command
   */
  constructor(parts, tasks, ids) {
    this.#parts = parts;
    this.#tasks = tasks;
    this.#ids = ids;
  }

  /**
   * Moves a shape. If it is a connection, it is detached from objects that do not move with it.
   * @param {Shape} shape @param {Transform} transform @param {boolean} [isOwn] true if each shape has its own transform
   */
  moveShape(shape, transform, isOwn = false) {
    const moved = shape.moved(transform);
    if ('points' in moved) Object.assign(moved, changedEnds(moved, (id) => this.#ids.find((one) => one === id)));
    this.#replace(shape, moved, isOwn ? transform : undefined);
  }

  /** Gives a shape another style. @param {Shape} shape @param {StyleChange} style */
  restyleShape(shape, style) {
    this.#replace(shape, withStyle(shape, style));
  }

  /**
   * Gives an item another placement.
   * @param {Item} item @param {Placement} before @param {Placement} after
   * @param {Transform} [transform] that leads to it, if each item has its own
   */
  moveItem(item, before, after, transform) {
    this.#itemChanges.push({ item, before, after, transform });
    this.#parts.itemStore.placements.move(item, after);
  }

  /**
   * Returns the command for recorded moves.
   * @param {Transform} [transform] of all of them; missing if each one has its own @returns {Command}
   */
  moveCommand(transform) {
    const own = (/** @type {{ transform?: Transform }} */ change) => change.transform ?? transform ?? IDENTITY;
    return {
      undo: () => this.#move((change) => inverse(own(change)), reversed),
      redo: () => this.#move(own, forward),
      content: { ...this.#content('moved'), transform },
    };
  }

  /**
   * Returns the command for recorded changes of properties, including the `z` of items.
   * @param {Iterable<string>} names of the properties; read when the command runs, because a long change adds names later
   * @returns {Command}
   */
  restyleCommand(names) {
    return {
      undo: () => this.#restyle(names, reversed),
      redo: () => this.#restyle(names, forward),
      content: { ...this.#content('restyled'), names },
    };
  }

  /**
   * Records changes that an earlier page of this tab made.
   * @param {ShapeChange[]} shapes @param {ItemChange[]} items
   */
  restore(shapes, items) {
    this.#shapeChanges = shapes;
    this.#itemChanges = items;
  }

  /** @param {'moved' | 'restyled'} kind @returns {import('./undoHistory.js').ChangeContent} */
  #content(kind) {
    return { kind, shapes: this.#shapeChanges, items: this.#itemChanges };
  }

  /** @param {Shape} before @param {Shape} after @param {Transform} [transform] */
  #replace(before, after, transform) {
    this.#shapeChanges.push({ before, after, transform });
    this.#parts.drawing.update([after]);
  }

  /**
   * @param {(change: { transform?: Transform }) => Transform} transformOf @param {Direction} direction
   * @returns {boolean} true if at least one still exists
   */
  #move(transformOf, direction) {
    return this.#reapply(
      (now, change) => {
        const { before, after } = direction(change);
        return now.looksLike(before) ? after : now.moved(transformOf(change));
      },
      (now, change) => {
        const { item, before, after } = direction(change);
        return isSamePlacement(now, before) ? after : transformedPlacement(now, transformOf(change), item.isPicture);
      },
    );
  }

  /** @param {Iterable<string>} names @param {Direction} direction @returns {boolean} true if at least one still exists */
  #restyle(names, direction) {
    const style = (/** @type {Shape | Placement} */ now, /** @type {ShapeChange | ItemChange} */ change) => {
      const { before, after } = /** @type {Record<string, any>} */ (direction(change));
      const mine = [...names].filter((name) => /** @type {any} */ (now)[name] === before[name]);
      return mine.length > 0 ? Object.fromEntries(mine.map((name) => [name, after[name]])) : null;
    };
    return this.#reapply(
      (now, change) => {
        const changed = style(now, change);
        return changed && withStyle(now, changed);
      },
      (now, change) => {
        const changed = style(now, change);
        return changed && { ...now, ...changed };
      },
    );
  }

  /**
   * @param {(now: Shape, change: ShapeChange) => Shape | null} changed returns the new version of a shape; null: no change
   * @param {(now: Placement, change: ItemChange) => Placement | null} moved returns the new placement of an item; null: no change
   * @returns {boolean} true if at least one still exists
   */
  #reapply(changed, moved) {
    const { shapes, items, itemStore, drawing } = this.#parts;
    this.#tasks.run(() => this.#shapeChanges, (change) => {
      const now = shapes.base(change.before.id);
      const shape = now && changed(now, change);
      if (shape) drawing.update([shape]);
    });
    this.#tasks.run(() => this.#itemChanges, (change) => {
      const item = itemStore.current(change.item);
      const place = item && moved(item.place, change);
      if (place) itemStore.placements.move(item, place);
    });
    return this.#ids.some((id) => shapes.find(id) || items.find(id)) ||
      this.#itemChanges.some(({ item }) => itemStore.current(item));
  }
}

/** @param {Shape} shape @param {StyleChange} style @returns {Shape} a copy with another style */
function withStyle(shape, style) {
  return Object.assign(shape.moved(IDENTITY), style);
}

/** @template T @param {T} change @returns {T} */
function forward(change) {
  return change;
}

/** @template {{ before: unknown, after: unknown }} T @param {T} change @returns {T} with `before` and `after` exchanged */
function reversed(change) {
  return { ...change, before: change.after, after: change.before };
}

/** @param {Placement} a @param {Placement} b */
function isSamePlacement(a, b) {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height && a.z === b.z &&
    (a.angle ?? 0) === (b.angle ?? 0) && (a.isLocked ?? false) === (b.isLocked ?? false);
}
