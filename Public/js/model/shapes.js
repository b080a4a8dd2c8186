/** The shapes on a canvas: strokes and texts. */

import { OptimisticOverlay } from './optimisticOverlay.js';
import { originOf } from './origin.js';
import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Transform} Transform
 * @typedef {import('./stroke.js').Stroke | import('./text.js').Text} Shape
 * @typedef {{ shown: (shape: Shape) => void, changed: (shape: Shape) => void, hidden: (shape: Shape) => void }} Observer
 */

/**
 * The shapes of a session with this person's edits, and as they are displayed.
 * @extends {OptimisticOverlay<Shape, Transform>}
 */
export class Shapes extends OptimisticOverlay {
  /** This person's drag. @type {{ ids: ReadonlySet<string>, transform: Transform } | null} */
  #drag = null;
  /** The displayed shapes. @type {Map<string, Shape>} */
  #visible = new Map();
  /** @type {Shape[] | null} the same in the order of drawing; null: to be sorted at the next access */
  #order = [];
  /** @type {Bounds | null} of the displayed shapes, valid if `#areBoundsRight` */
  #bounds = null;
  #areBoundsRight = true;
  /** @type {Set<Observer>} */
  #observers = new Set();
  #highestZ = 0;
  /**
   * Returns a shape at its displayed position, which may depend on other objects; or the same shape if it does not.
   * @type {(shape: Shape) => Shape}
   */
  place = (shape) => shape;

  constructor() {
    super((key) => this.#show(key));
  }

  /** @param {Observer} observer receives every change of the displayed shapes */
  observe(observer) {
    this.#observers.add(observer);
  }

  /** @returns {readonly Shape[]} the displayed shapes, in the order of drawing */
  get all() {
    this.#order ??= [...this.#visible.values()].sort(drawnBefore);
    return this.#order;
  }

  get size() {
    return this.#visible.size;
  }

  /** @returns {Bounds | null} of all displayed shapes */
  get bounds() {
    if (this.#areBoundsRight) return this.#bounds;
    this.#bounds = null;
    for (const { bounds } of this.#visible.values()) this.#bounds = union(this.#bounds, bounds);
    this.#areBoundsRight = true;
    return this.#bounds;
  }

  /** The highest `z` known. */
  get highestZ() {
    return this.#highestZ;
  }

  /** Raises the highest known `z` to one that something else uses. @param {number} z */
  raiseHighestZ(z) {
    this.#highestZ = Math.max(this.#highestZ, z);
  }

  /** @param {string} id @returns {Shape | null} as it is displayed */
  find(id) {
    return this.#visible.get(id) ?? null;
  }

  /** Displays a new, changed or restored shape of this person. @param {Shape} shape @param {{ isDraft?: boolean }} [options] */
  set(shape, { isDraft = false } = {}) {
    this.raiseHighestZ(shape.z);
    this.edit(shape.id, shape, isDraft);
  }

  /** Reports that a stroke got more points. @param {string} id */
  extended(id) {
    const shape = this.pendingEdit(id)?.value;
    if (!shape) return;
    if (this.#areBoundsRight) this.#bounds = union(this.#bounds, shape.bounds);
    this.#notify('changed', shape);
  }

  /** Reports that the letters of a text have other widths now. @param {Shape} shape a text that is or was displayed */
  remeasured(shape) {
    if (this.find(shape.id) !== shape) return;
    this.#areBoundsRight = false;
    // Painted copies of the earlier version have letters of another font, so they must count as outdated.
    shape.version += 1;
    this.#notify('changed', shape);
  }

  /** Shows a shape again, because `place` may return another position for it. @param {string} id */
  showAgain(id) {
    this.#show(id);
  }

  /** @param {string} id */
  remove(id) {
    this.edit(id, null);
  }

  clear() {
    super.clear();
    for (const id of this.#visible.keys()) this.#show(id);
    this.#highestZ = 0;
  }

  /**
   * Displays shapes where this person drags them.
   * @param {ReadonlySet<string>} ids the same until the drag ends @param {Transform} transform relative to their own positions
   */
  drag(ids, transform) {
    this.#drag = { ids, transform };
    for (const id of ids) this.#show(id);
  }

  endDrag() {
    const ids = this.#drag?.ids ?? [];
    this.#drag = null;
    for (const id of ids) this.#show(id);
  }

  /** Updates the displayed shape and notifies the observers. @param {string} id */
  #show(id) {
    const edit = this.pendingEdit(id);
    const before = this.find(id);
    const held = this.base(id);
    let shape = held && (edit?.isDraft ? held : this.#dragged(held));
    if (shape && shape === held && before && shape !== before && shape.looksLike(before)) {
      // Both look the same, so the old object stays: everything that was computed to draw it is still valid.
      if (!edit) this.replaceConfirmed(id, before);
      Object.assign(before, originOf(shape));
      shape = before;
    }
    if (shape === held && shape && !edit?.isDraft) {
      const placed = this.place(shape);
      if (placed !== shape) shape = before?.looksLike(placed) ? before : placed;
    }
    if (shape && this.#areBoundsRight) this.#bounds = union(this.#bounds, shape.bounds);
    if (shape === before) {
      if (shape) this.#notify('changed', shape);
      return;
    }
    if (before) this.#hide(before);
    if (!shape) return;
    this.#visible.set(id, shape);
    const last = this.#order?.at(-1);
    if (!last || drawnBefore(last, shape) < 0) this.#order?.push(shape);
    else this.#order = null;
    this.#notify('shown', shape);
  }

  /** @param {Shape} shape @returns {Shape} the shape at the position to which it is dragged, or the same shape */
  #dragged(shape) {
    const { id } = shape;
    const transform = this.#drag?.ids.has(id) ? this.#drag.transform : this.remoteDrag(id);
    if (!transform) return shape;
    const moved = shape.moved(transform);
    // An unfinished shape is not painted on a layer or tile, which would be repainted with each frame of the drag.
    moved.isFinished = false;
    return moved;
  }

  /** @param {Shape} shape */
  #hide(shape) {
    this.#visible.delete(shape.id);
    // An undo usually removes the last shape of the order.
    if (this.#order?.at(-1) === shape) this.#order?.pop();
    else this.#order = null;
    if (this.#bounds && !isInside(shape.bounds, this.#bounds)) this.#areBoundsRight = false;
    this.#notify('hidden', shape);
  }

  /** @param {keyof Observer} what @param {Shape} shape */
  #notify(what, shape) {
    for (const observer of this.#observers) observer[what](shape);
  }
}

/** @param {Bounds | null} a @param {Bounds} b @returns {Bounds} */
export function union(a, b) {
  if (!a || isInside(b, a)) return a ?? b;
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** @param {Bounds} inner @param {Bounds} outer @returns {boolean} true if no sides coincide */
function isInside(inner, outer) {
  return inner.left > outer.left && inner.top > outer.top && inner.right < outer.right && inner.bottom < outer.bottom;
}
