/**
 * The shapes on a canvas: strokes and texts. Keeps the confirmed state of the session and, over it, the changes of this person
 * that the session has not confirmed yet.
 */

import { drawnBefore } from './stroke.js';

/**
 * @typedef {import('./stroke.js').Bounds} Bounds
 * @typedef {import('./stroke.js').Stroke | import('./text.js').Text} Shape
 *
 * @typedef {object} PendingEdit
 * @property {Shape | null} shape its state after this person's edits; null: removed
 * @property {number} pending the number of edits that the session has not acknowledged
 * @property {number} creating the number of those that restore the shape even if somebody removed it
 * @property {boolean} isDraft true while the pen is down, or the shape is still drawn out or typed
 *
 * @typedef {{ shown: (shape: Shape) => void, changed: (shape: Shape) => void, hidden: (shape: Shape) => void }} Observer
 */

export class Shapes {
  /**
   * The overlay hook: returns the shape as it is displayed, for example where somebody drags it.
   * @type {(shape: Shape) => Shape}
   */
  applyOverlay = (shape) => shape;
  /** The inverse hook: returns the shape that a displayed shape was made from. @type {(shape: Shape) => Shape} */
  withoutOverlay = (shape) => shape;
  /** The state that the session confirmed. @type {Map<string, Shape>} */
  #confirmed = new Map();
  /** The state of a snapshot that is still arriving. @type {Map<string, Shape> | null} */
  #incoming = null;
  /** @type {Map<string, PendingEdit>} */
  #pendingEdits = new Map();
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

  /** @returns {Iterable<string>} the ids of the shapes that the session has */
  get confirmedIds() {
    return this.#confirmed.keys();
  }

  /** @param {string} id @returns {Shape | null} the session's version, without pending edits */
  confirmed(id) {
    return this.#confirmed.get(id) ?? null;
  }

  // Confirmed changes, in the order of the session.

  /** Starts a snapshot. The displayed shapes stay until `endSnapshot`, unless there are none. */
  beginSnapshot() {
    this.#incoming = this.#confirmed.size > 0 ? new Map() : null;
  }

  /**
   * Completes a snapshot and displays its shapes.
   * @param {(show: () => void) => void} [later] runs functions in order, at once or later
   */
  endSnapshot(later = (show) => show()) {
    if (!this.#incoming) return;
    const ids = new Set([...this.#confirmed.keys(), ...this.#incoming.keys()]);
    this.#confirmed = this.#incoming;
    this.#incoming = null;
    for (const id of ids) later(() => this.#show(id));
  }

  /** Drops an incomplete snapshot and keeps the confirmed state. */
  abandonSnapshot() {
    this.#incoming = null;
  }

  /** @param {string} id @param {(held: Shape | undefined) => Shape} change returns the new confirmed version */
  confirm(id, change) {
    const space = this.#incoming ?? this.#confirmed;
    const shape = change(space.get(id));
    space.set(id, shape);
    this.#highestZ = Math.max(this.#highestZ, shape.z);
    if (!this.#incoming) this.#show(id);
  }

  /** @param {string} id @param {boolean} byOther true if another participant removed it */
  confirmRemoval(id, byOther) {
    if (this.#incoming) {
      this.#incoming.delete(id);
      return;
    }
    this.#confirmed.delete(id);
    const edit = this.#pendingEdits.get(id);
    if (byOther && edit?.shape && edit.creating === 0) this.#pendingEdits.delete(id);
    this.#show(id);
  }

  // Edits of this person, displayed at once.

  /** Displays a new, changed or restored shape of this person. @param {Shape} shape @param {{ isDraft?: boolean }} [options] */
  set(shape, { isDraft = false } = {}) {
    this.#editOf(shape.id).shape = shape;
    this.#editOf(shape.id).isDraft = isDraft;
    this.#highestZ = Math.max(this.#highestZ, shape.z);
    this.#show(shape.id);
  }

  /** Reports that a stroke got more points. @param {string} id */
  extended(id) {
    const shape = this.#pendingEdits.get(id)?.shape;
    if (!shape) return;
    if (this.#areBoundsRight) this.#bounds = union(this.#bounds, shape.bounds);
    this.#notify('changed', shape);
  }

  /** @param {string} id */
  remove(id) {
    // The draft ends: otherwise it would hide a later restored version.
    Object.assign(this.#editOf(id), { shape: null, isDraft: false });
    this.#show(id);
  }

  /** Counts an edit that was sent and is not acknowledged yet. @param {string} id @param {boolean} creating */
  addPending(id, creating) {
    const edit = this.#editOf(id);
    edit.pending += 1;
    if (creating) edit.creating += 1;
  }

  /** Counts an edit as accepted or refused by the session. @param {string} id @param {boolean} creating */
  acknowledge(id, creating) {
    const edit = this.#pendingEdits.get(id);
    if (!edit) return;
    edit.pending = Math.max(0, edit.pending - 1);
    if (creating) edit.creating = Math.max(0, edit.creating - 1);
    this.#removeIfSettled(id, edit);
  }

  /** Ends the draft state: from now on the session decides what is displayed. @param {string} id */
  endDraft(id) {
    const edit = this.#pendingEdits.get(id);
    if (!edit) return;
    edit.isDraft = false;
    this.#removeIfSettled(id, edit);
  }

  /** Confirms the pending edit of a shape without a session. @param {string} id */
  confirmLocally(id) {
    const edit = this.#pendingEdits.get(id);
    if (!edit) return;
    if (edit.shape) this.#confirmed.set(id, edit.shape);
    else this.#confirmed.delete(id);
    if (!edit.isDraft) this.#pendingEdits.delete(id);
  }

  /** Confirms all pending edits without a session. */
  confirmAllLocally() {
    for (const id of this.#pendingEdits.keys()) this.confirmLocally(id);
  }

  clear() {
    this.#pendingEdits.clear();
    this.#confirmed.clear();
    this.#incoming = null;
    for (const id of this.#visible.keys()) this.#show(id);
    this.#highestZ = 0;
  }

  /** Displays a shape again after its overlay changed. @param {string} id */
  refresh(id) {
    this.#show(id);
  }

  /** @param {string} id @param {PendingEdit} edit */
  #removeIfSettled(id, edit) {
    if (edit.pending > 0 || edit.isDraft) return;
    this.#pendingEdits.delete(id);
    this.#show(id);
  }

  /** @param {string} id @returns {PendingEdit} */
  #editOf(id) {
    let edit = this.#pendingEdits.get(id);
    if (!edit) {
      const seen = this.#visible.get(id);
      edit = { shape: seen ? this.withoutOverlay(seen) : null, pending: 0, creating: 0, isDraft: false };
      this.#pendingEdits.set(id, edit);
    }
    return edit;
  }

  /** Updates the displayed shape and notifies the observers. @param {string} id */
  #show(id) {
    const edit = this.#pendingEdits.get(id);
    const before = this.#visible.get(id) ?? null;
    const held = edit ? edit.shape : this.#confirmed.get(id) ?? null;
    let shape = held && (edit?.isDraft ? held : this.applyOverlay(held));
    if (shape && shape === held && before && shape !== before && shape.looksLike(before)) {
      // Both look the same, so the old object stays: what was computed for its drawing is still valid.
      if (!edit) this.#confirmed.set(id, before);
      shape = before;
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

  /** @param {Shape} shape */
  #hide(shape) {
    this.#visible.delete(shape.id);
    // The last shape of the order is the one that is most often undone.
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
