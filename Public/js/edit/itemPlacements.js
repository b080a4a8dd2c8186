/** The effective placements of the items on the page. Drags and moves by this person and by others change them. */

import { CARD } from '../model/item.js';
import { SVG_TYPE } from '../model/pictureTypes.js';
import { DEFAULT_SIDE, fallbackPosition, fitInto } from '../model/placement.js';
import { PlacementSync } from '../protocol/placementSync.js';
import { transformedPlacement } from '../protocol/transformSync.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/placement.js').PartialPlacement} PartialPlacement
 * @typedef {import('../model/placement.js').Placement} Placement
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {import('../model/stroke.js').Transform} Transform
 */

const UNKNOWN = Object.freeze({ width: DEFAULT_SIDE, height: DEFAULT_SIDE });

/** The effective placement of an item is that of its last move, or else that in its metadata, or else a fallback. */
export class ItemPlacements {
  #items;
  #events;
  #sync;
  /** @type {Map<string, PartialPlacement | null>} the placements in the items' metadata */
  #added = new Map();

  /**
   * @param {import('../model/scene.js').Items} items
   * @param {object} events
   * @param {() => void} events.changed an item was moved, or its picture changed
   * @param {(item: Item, by: number) => void} events.movedByOther another participant moved an item
   * @param {(z: number) => void} events.seen an item has this `z`
   * @param {() => number} now milliseconds
   */
  constructor(items, events, now) {
    this.#items = items;
    this.#events = events;
    this.#sync = new PlacementSync((id) => this.#placementChanged(id), (id, by) => this.#movedByOther(id, by), now);
  }

  /** Joins the placements to a session. @param {GroupSession} session @param {AbortController} lifetime */
  attach(session, lifetime) {
    for (const item of this.#items.all) this.#added.set(item.id, { ...item.place });
    this.#sync.attach(session, lifetime);
  }

  /** Separates the placements from the session. The items stay where they are displayed. */
  detach() {
    this.#sync.detach();
  }

  /** Discards all items. */
  clear() {
    for (const item of [...this.#items.all]) this.discard(item);
    this.#sync.clear();
  }

  /** Displays a new item. @param {Item} item @param {PartialPlacement | null} added the placement in its metadata; null: none */
  show(item, added) {
    this.#added.set(item.id, added);
    item.place = this.#of(item);
    this.#events.seen(item.z);
    this.#items.add(item);
  }

  /**
   * Computes the placement of an item again, and sets the given properties.
   * @param {Item} item @param {Partial<Pick<Item, 'name' | 'contentType' | 'size' | 'by'>>} [properties]
   * @returns {boolean} true if something changed
   */
  update(item, properties = {}) {
    const place = this.#of(item);
    const isChanged = !same(item, properties) || !same(item.place, place) || !same(place, item.place);
    Object.assign(item, properties, { place });
    if (!isChanged) return false;
    this.#events.seen(item.z);
    this.#items.changed(item);
    return true;
  }

  /** Updates an item after its picture was decoded or its natural size became known. @param {Item} item */
  pictureChanged(item) {
    item.place = this.#of(item);
    this.#items.changed(item);
    this.#events.changed();
  }

  /** Removes an item from the page, and its placement from the session. @param {Item} item */
  remove(item) {
    this.#sync.remove(item.id);
    this.discard(item);
  }

  /** Removes an item on this page only. @param {Item} item */
  discard(item) {
    this.#added.delete(item.id);
    this.#sync.delete(item.id);
    this.#items.remove(item);
  }

  /**
   * Starts or continues a drag.
   * @param {Item} item @param {Placement} place @param {boolean} [isShared] true if the others see the drag
   */
  drag(item, place, isShared = true) {
    this.#sync.drag(item.id, place, isShared);
  }

  /**
   * Shows a drag of another participant.
   * @param {string} id @param {Transform} transform @param {number} by @returns {boolean} true if the item exists
   */
  dragRemotely(id, transform, by) {
    const item = this.#items.find(id);
    if (item) {
      const base = this.#place(item, this.#sync.base(id));
      this.#sync.dragRemotely(id, transformedPlacement(base, transform, item.isPicture), by);
    }
    return item !== null;
  }

  /** Ends the drag without a change. @param {Item} item */
  cancelDrag(item) {
    // The others saw the drag, so they get the current placement.
    if (this.#sync.cancelDrag(item.id)) this.#sync.sendPreview(item.id, item.place);
  }

  /** Moves an item. The caller pushes the command to the undo history. @param {Item} item @param {Placement} place */
  move(item, place) {
    this.#sync.commit(item.id, place);
    this.#events.changed();
  }

  /** @param {string} id @returns {boolean} true if this person has moved the item, and the session has not confirmed that yet */
  isMoved(id) {
    return this.#sync.isMoved(id);
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
    return this.#sync.frame(now);
  }

  /** @param {string} id of an item whose placement may have changed */
  #placementChanged(id) {
    const item = this.#items.find(id);
    if (item && this.update(item)) this.#events.changed();
  }

  /** @param {string} id @param {number} by */
  #movedByOther(id, by) {
    const item = this.#items.find(id);
    if (item) this.#events.movedByOther(item, by);
  }

  /** @param {Item} item @returns {Placement} where it is displayed */
  #of(item) {
    return this.#place(item, this.#sync.of(item.id));
  }

  /** @param {Item} item @param {PartialPlacement | null} moved @returns {Placement} */
  #place(item, moved) {
    return placementOf(item, moved, this.#added.get(item.id));
  }
}

/**
 * @param {Item} item @param {PartialPlacement | null} moved its placement after a move; null if it was not moved
 * @param {PartialPlacement | null | undefined} added the placement in its metadata
 * @returns {Placement} where it is displayed
 */
export function placementOf({ id, isPicture, contentType, natural, attachment, origin }, moved, added) {
  const { x, y } = moved ?? added ?? fallbackPosition(id);
  const [now, first] = contentType === SVG_TYPE ? [notCard(moved), notCard(added)] : [moved, added];
  const { width, height } = isPicture ? sizeOf(now) ?? sizeOf(first) ?? fitInto(natural ?? UNKNOWN, UNKNOWN) : CARD;
  const angle = isPicture ? (moved ?? added)?.angle : 0;
  const z = moved?.z ?? added?.z ?? (attachment ?? origin)?.sequence ?? 0;
  const isLocked = (moved ?? added)?.isLocked;
  return { x, y, width, height, z, ...angle && { angle }, ...isLocked && { isLocked } };
}

/**
 * Ignores the size of an SVG that was placed by an earlier version of the page, which showed it as a card.
 * @param {PartialPlacement | null | undefined} placement
 */
function notCard(placement) {
  return placement?.width === CARD.width && placement.height === CARD.height ? null : placement;
}

/** @param {PartialPlacement | null | undefined} placement @returns {Size | null} */
function sizeOf(placement) {
  return placement?.width && placement.height ? { width: placement.width, height: placement.height } : null;
}

/**
 * @param {Record<string, any>} one @param {Record<string, unknown>} other
 * @returns {boolean} true if `one` has all properties of `other`, with the same values
 */
function same(one, other) {
  return Object.entries(other).every(([name, value]) => one[name] === value);
}
