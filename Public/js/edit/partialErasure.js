/** Erases parts of strokes: the remaining parts of each stroke become new strokes. One movement of the eraser is one command. */

import { commonTransform } from '../model/commonTransform.js';
import { cutStroke } from '../model/strokeCutting.js';
import { Stroke } from '../model/stroke.js';
import { Retention } from '../sync/wire.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/strokeOutline.js').Point} Point
 * @typedef {{ from: Point, to: Point, reach: number }} Step a part of the eraser's movement
 *
 * A shape that the eraser has touched.
 * @typedef {object} Cut
 * @property {Shape} shape
 * @property {Shape | null} confirmed the session's version of it at that time, and the number of its changes
 * @property {number} version
 * @property {Set<Stroke>} pieces the strokes that remain
 *
 * @typedef {{ shape: Shape, pieces: Stroke[] }[]} Result of a movement
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {import('./drawing.js').Drawing} drawing
 * @property {import('./undoHistory.js').UndoHistory} history
 * @property {() => string} newKey
 * @property {() => void} requestFrame
 * @property {(run: () => void) => void} later runs a function after the session's earlier changes are applied
 * @property {() => number} [now] milliseconds
 */

/** The time for erasing in a frame, in milliseconds. The remaining movement waits for the next frame. */
const SLICE_MS = 8;
/** The maximum number of steps that are repeated because another participant changed an erased stroke at the same time. */
const MAX_REPEATED = 2000;

/**
 * While the eraser moves, the result is shown on this page only. The others get it at the end of the movement. A text or a filled
 * shape is erased as a whole.
 */
export class PartialErasure {
  #parts;
  #now;
  /** @type {Step[]} the movement so far */
  #path = [];
  /** The number of steps that are done. */
  #done = 0;
  /** @type {Map<string, Cut>} by the id of the shape */
  #cuts = new Map();
  /** True if another participant has changed or removed one of these shapes since the last frame. */
  #isOutdated = false;
  /** @type {Map<string, Cut>} by the id of a remaining stroke */
  #cutOf = new Map();
  /** @type {import('../sync/groupSession.js').GroupSession | null} */
  #session = null;
  /**
   * The results that were sent, by the ids of shapes whose removal the session has not confirmed.
   * @type {Map<string, Result>}
   */
  #sent = new Map();

  /** @param {Parts} parts */
  constructor({ now = () => performance.now(), ...parts }) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Switches to another session. @param {import('../sync/groupSession.js').GroupSession | null} session null: none */
  follow(session) {
    this.#session = session;
    this.#sent.clear();
    const later = (/** @type {() => void} */ run) => this.#parts.later(() => session === this.#session && run());
    session?.observe({
      entry: ({ key, retention, sender }) => {
        if (!key || sender === session.localParticipant?.number) return;
        if (retention === Retention.remove) later(() => this.#removedByOther(key));
        // This is needed only during a movement, and a catch-up may have very many entries.
        if (this.#cuts.size > 0) later(() => this.#cuts.has(key) && this.#outdate());
      },
      acked: ({ entry: { key, retention } }) => {
        if (key && retention === Retention.remove) later(() => this.#sent.delete(key));
      },
      // A snapshot has no entry for a removed shape. Among this page's own entries, those of the remaining strokes come first.
      caughtUp: () =>
        later(() => {
          const { shapes } = this.#parts;
          for (const [id, cuts] of this.#sent) {
            const pieces = cuts.find(({ shape }) => shape.id === id)?.pieces ?? [];
            if (![id, ...pieces.map((piece) => piece.id)].some((key) => shapes.confirmed(key))) {
              this.#removedByOther(id);
            }
          }
          if (this.#cuts.size > 0) this.#outdate();
        }),
    });
  }

  /** Moves the eraser. @param {Point} from @param {Point} to @param {number} reach its radius */
  pass(from, to, reach) {
    this.#path.push({ from, to, reach });
    this.#parts.requestFrame();
  }

  /** Erases along the latest movement, for a limited time. @returns {boolean} true if another frame is needed */
  frame() {
    if (this.#isOutdated) this.#takeBackChanged();
    const end = this.#now() + SLICE_MS;
    while (this.#done < this.#path.length && this.#now() < end) this.#next();
    return this.#done < this.#path.length;
  }

  /** Ends the movement without a change. */
  cancel() {
    for (const cut of this.#cuts.values()) this.#release(cut, this.#isUnchanged(cut));
    this.#reset();
  }

  /** Ends the movement: sends the result, and pushes it to the undo history. */
  commit() {
    while (this.#done < this.#path.length) this.#next();
    this.#takeBackChanged();
    while (this.#done < this.#path.length) this.#next();
    const cuts = [...this.#cuts.values()].map(({ shape, pieces }) => ({ shape, pieces: [...pieces] }));
    if (this.#session) this.#expect(cuts);
    this.#reset();
    if (cuts.length === 0) return;
    const { drawing, history } = this.#parts;
    // The remaining strokes are sent first, so that the others see no gap.
    const added = cuts.flatMap(({ pieces }) => pieces);
    const removed = cuts.map(({ shape }) => shape);
    drawing.add(added);
    drawing.remove(removed);
    const content = { kind: /** @type {const} */ ('replaced'), removed, added };
    history.push({ undo: () => this.#undo(cuts), redo: () => this.#redo(cuts), content });
    // Reports the change of the history.
    drawing.update([]);
  }

  #reset() {
    this.#path = [];
    this.#done = 0;
    this.#isOutdated = false;
    this.#cuts.clear();
    this.#cutOf.clear();
  }

  /** Makes the next frame show the changes of others to the shapes that were cut. */
  #outdate() {
    this.#isOutdated = true;
    this.#parts.requestFrame();
  }

  /** Undoes the cuts of shapes that others have changed since then. The eraser then passes over their present versions. */
  #takeBackChanged() {
    this.#isOutdated = false;
    const changed = [...this.#cuts.values()].filter((cut) => !this.#isUnchanged(cut));
    if (changed.length === 0) return;
    for (const cut of changed) this.#release(cut, false);
    this.#done = Math.min(this.#done, Math.max(0, this.#path.length - MAX_REPEATED));
  }

  /** Remembers the shapes that the session still has. @param {Result} cuts */
  #expect(cuts) {
    for (const { shape, confirmed } of this.#cuts.values()) if (confirmed) this.#sent.set(shape.id, cuts);
  }

  /** Erases along one step of the movement. */
  #next() {
    const { shapes, index } = this.#parts;
    const { from, to, reach } = this.#path[this.#done++];
    if (this.#done > 2 * MAX_REPEATED) this.#done -= this.#path.splice(0, MAX_REPEATED).length;
    for (const shape of index.near(from, to, reach)) {
      // While another participant drags a shape, it is shown away from its own position, so it is not cut.
      if (!shapes.remoteDrag(shape.id)) this.#cut(shape, from, to, reach);
    }
  }

  /** @param {Shape} shape @param {Point} from @param {Point} to @param {number} reach */
  #cut(shape, from, to, reach) {
    const { shapes, drawing, newKey } = this.#parts;
    const pieces = shape instanceof Stroke ? cutStroke(shape, from, to, reach, drawing.maxStrokePoints, newKey) : [];
    if (!pieces) return;
    const cut = this.#cutOf.get(shape.id) ?? this.#begin(shape);
    if (shape === cut.shape) shapes.edit(shape.id, null, true);
    else this.#drop(/** @type {Stroke} */ (shape), cut);
    for (const piece of pieces) {
      cut.pieces.add(piece);
      this.#cutOf.set(piece.id, cut);
      shapes.set(piece, { isDraft: true });
    }
  }

  /** @param {Shape} shape @returns {Cut} */
  #begin(shape) {
    const confirmed = this.#parts.shapes.confirmed(shape.id);
    const cut = { shape, confirmed, version: confirmed?.version ?? 0, pieces: new Set() };
    this.#cuts.set(shape.id, cut);
    return cut;
  }

  /** Removes a remaining stroke, which only this page has. @param {Stroke} piece @param {Cut} cut */
  #drop(piece, cut) {
    cut.pieces.delete(piece);
    this.#cutOf.delete(piece.id);
    this.#parts.shapes.remove(piece.id);
    this.#parts.shapes.endDraft(piece.id);
  }

  /** @param {Cut} cut @returns {boolean} false if another participant has changed or removed the shape since it was cut */
  #isUnchanged({ shape, confirmed, version }) {
    const now = this.#parts.shapes.confirmed(shape.id);
    if (!confirmed || now === confirmed) return !confirmed || now?.version === version;
    return now !== null && sameLook(now, confirmed);
  }

  /**
   * Forgets a cut, and shows the shape again.
   * @param {Cut} cut @param {boolean} isUnchanged false to show the session's version
   */
  #release(cut, isUnchanged) {
    const { shapes } = this.#parts;
    const { shape, shape: { id } } = cut;
    for (const piece of cut.pieces) this.#drop(piece, cut);
    this.#cuts.delete(id);
    shapes.edit(id, isUnchanged ? shape : shapes.confirmed(id));
    shapes.endDraft(id);
  }

  /**
   * Gives up a cut of this page that was sent after another participant removed or cut the same shape. Otherwise its remaining
   * strokes would bring back what the other participant erased.
   * @param {string} id
   */
  #removedByOther(id) {
    const { shapes, drawing } = this.#parts;
    const cuts = this.#sent.get(id);
    const at = cuts?.findIndex(({ shape }) => shape.id === id) ?? -1;
    if (!cuts || at < 0) return;
    this.#sent.delete(id);
    const [{ pieces }] = cuts.splice(at, 1);
    drawing.remove(pieces.filter((piece) => shapes.find(piece.id)));
  }

  /** @param {Result} cuts @returns {boolean} true if something has changed */
  #undo(cuts) {
    const { shapes, drawing } = this.#parts;
    let isChanged = false;
    for (const { shape, pieces } of cuts) {
      const there = pieces.map(({ id }) => shapes.base(id));
      const transform = commonTransform(pieces, there);
      if (!shapes.find(shape.id)) {
        drawing.add([transform ? shape.moved(transform) : shape]);
        isChanged = true;
      }
      drawing.remove(there.filter((piece) => piece !== null));
    }
    return isChanged;
  }

  /** @param {Result} cuts @returns {boolean} true if at least one of the shapes existed */
  #redo(cuts) {
    const { shapes, drawing } = this.#parts;
    let isChanged = false;
    for (const { shape, pieces } of cuts) {
      const there = shapes.base(shape.id);
      if (!there) continue;
      const transform = shape instanceof Stroke ? commonTransform([shape], [there]) : null;
      drawing.add(pieces.map((piece) => transform ? piece.moved(transform) : piece));
      drawing.remove([there]);
      isChanged = true;
    }
    return isChanged;
  }
}

/** @param {Shape} one @param {Shape} other */
function sameLook(one, other) {
  return one instanceof Stroke ? other instanceof Stroke && one.looksLike(other) : one.looksLike(other);
}
