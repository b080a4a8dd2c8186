/** The drawing activity: the edits of shapes by this person, with or without a session. */

import { newKey } from '../sync/key.js';
import { Draft } from './draft.js';
import { PenStroke } from './penStroke.js';
import { ShapeCommands } from './shapeCommands.js';
import { UndoHistory } from './undoHistory.js';
import { encodeShape, otherEntries } from '../protocol/shapeMessages.js';
import { ShapeSync } from '../protocol/shapeSync.js';
import { originMembers } from '../model/origin.js';
import { shapeToolPoints } from '../model/strokeOutline.js';
import { onPlane, Stroke } from '../model/stroke.js';
import { cleanText, Text } from '../model/text.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {{ key: string, type: string, payload: Uint8Array }} StoredShape
 * @typedef {{ rgb: string, color: number, width: number, tool: string, fill?: string, dash?: string, opacity?: number,
 *   from?: import('../model/connection.js').End | null, to?: import('../model/connection.js').End | null }} StrokeStyle
 * @typedef {{ rgb: string, color: number, size: number, font?: import('../model/fonts.js').Font,
 *   fill?: string }} TextStyle
 */

/** The minimum interval between two sent versions of a text in progress, in milliseconds. */
const TEXT_INTERVAL_MS = 150;

/**
 * Events: `change` (of the shapes, the pending edits or the undo history), `undofailed` (the shapes of the command were removed),
 * `error` (a shape cannot be sent; detail: the reason), `localchange` (a change without a session; detail: the entry), `caughtup`
 * (all shapes of the session are displayed).
 */
export class Drawing extends EventTarget {
  #shapes;
  #sync;
  #history;
  /** @type {(key: string | null) => void} */
  #confirmedChanged = () => {};
  /** The last stored entries that are not shapes: those of sheets. @type {StoredShape[]} */
  stored = [];
  /**
   * Called after another participant changed a shape. An event would cost more than the change itself, if thousands arrive.
   * @type {((change: import('../model/scene.js').RemoteChange) => void) | undefined}
   */
  changedRemotely;
  #commands;
  #pen;
  #draft;

  /**
   * @param {import('../model/shapes.js').Shapes} shapes @param {() => string} [key]
   * @param {UndoHistory} [history] other components push commands too
   * @param {import('../model/scheduling.js').FrameQueue} [frameQueue] runs the entries of the session
   */
  constructor(shapes, key = newKey, history = new UndoHistory(), frameQueue = undefined) {
    super();
    this.#history = history;
    this.#shapes = shapes;
    this.#sync = new ShapeSync(shapes, {
      changed: () => this.#changed(),
      caughtUp: () => this.dispatchEvent(new Event('caughtup')),
      failed: (detail) => this.dispatchEvent(new CustomEvent('error', { detail })),
      confirmed: (key) => this.#confirmedChanged(key),
      changedLocally: (detail) => this.dispatchEvent(new CustomEvent('localchange', { detail })),
      changedRemotely: (change) => this.changedRemotely?.(change),
    }, frameQueue);
    this.#commands = new ShapeCommands(shapes, this.#sync, history);
    this.#pen = new PenStroke(shapes, this.#sync, key);
    this.#draft = new Draft(shapes, this.#sync);
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  get canRedo() {
    return this.#history.canRedo;
  }

  /** The maximum number of points of a stroke, so that it fits into one message. */
  get maxStrokePoints() {
    return this.#sync.maxStrokePoints;
  }

  /** The `z` of a new shape or item: above everything known. */
  get nextZ() {
    return this.#sync.nextZ;
  }

  /** The number of shapes with edits that the session has not confirmed. */
  get pendingShapes() {
    return this.#sync.pendingCount;
  }

  /**
   * Joins the drawing to a session.
   * @param {GroupSession} session
   * @param {{ bringsPicture: boolean, stored?: StoredShape[] }} options `bringsPicture`: true to send the current shapes to the
   *   session; `stored`: the shapes that it had when they were stored, which are shown until the catch-up
   */
  attach(session, { bringsPicture, stored }) {
    this.detach();
    if (!bringsPicture) this.clear();
    const picture = [...this.#shapes.all];
    this.stored = otherEntries(stored);
    this.#sync.attach(session, stored);
    this.#sendAll(picture);
  }

  /** Separates the drawing from the session. The shapes stay. */
  detach() {
    this.endStroke();
    this.#sync.detach();
  }

  /** Emits every shape as a change, for example to store it. */
  emitAll() {
    this.#sendAll([...this.#shapes.all]);
  }

  /** Applies entries that were stored without a session. @param {StoredShape[]} entries */
  restore(entries) {
    this.stored = otherEntries(entries);
    for (const entry of entries) this.#sync.applyStored(entry);
  }

  /**
   * Calls a function after each change of the session's version of a shape.
   * @param {(key: string | null) => void} changed receives the key; null: all shapes may have changed
   */
  watchConfirmed(changed) {
    this.#confirmedChanged = changed;
  }

  /** The keys of the shapes that the session has. */
  get confirmedKeys() {
    return this.#shapes.confirmedKeys;
  }

  /** Returns the session's version of a shape, without pending edits. @param {string} key @returns {StoredShape | null} */
  encodeConfirmed(key) {
    const shape = this.#shapes.confirmed(key);
    return shape && { key, ...encodeShape(shape, originMembers(shape, 0)) };
  }

  /** Removes everything on this page only, not in the session. */
  clear() {
    this.#pen.reset();
    this.stored = [];
    this.#shapes.clear();
    this.#history.clear();
    this.#changed();
  }

  /** Starts a stroke. @param {StrokeStyle} style @param {number[]} points x and y in turn @param {number[] | null} pressures */
  beginStroke(style, points, pressures) {
    this.endStroke();
    this.#pen.begin(style);
    this.extendStroke(points, pressures);
    // The stroke is sent at once instead of in the next frame, so that the others see it earlier.
    this.#pen.flush();
  }

  /** @param {number[]} points x and y in turn @param {number[] | null} pressures */
  extendStroke(points, pressures) {
    const remainingParts = this.#pen.extend(points, pressures);
    if (!remainingParts) return;
    this.#commands.pushDrawn(remainingParts);
    this.#changed();
  }

  /**
   * Draws a line, arrow, rectangle or ellipse between two points.
   * @param {StrokeStyle} style @param {string} id @param {[number, number]} from @param {[number, number]} to
   */
  drawShape(style, id, from, to) {
    const shape = new Stroke({ ...style, id, z: this.#zOf(id) });
    shape.append(shapeToolPoints(style.tool, from, to, style.width).map(onPlane), null);
    return this.#updateDraft(shape, true);
  }

  /**
   * Sets the content of a text that is being typed.
   * @param {string} id of an existing text, or a new id
   * @param {string} typed
   * @param {TextStyle} style
   * @param {[number, number]} point the upper corner of a new text, where its first line begins
   * @returns {boolean} false if another participant removed the text
   */
  writeText(id, typed, style, [x, y]) {
    const text = cleanText(typed);
    const found = this.#shapes.find(id);
    const before = found instanceof Text
      ? found
      : new Text({ ...style, id, text: '', x: onPlane(x), y: onPlane(y), z: this.#zOf(id) });
    const written = before.rewritten({ ...style, text });
    // The others do not see an empty text, unless it is on a note.
    return this.#updateDraft(written, text !== '' || written.note !== null);
  }

  /** Shows a note that is being drawn, or that is about to get its text. @param {Text} note */
  drawNote(note) {
    this.#updateDraft(note, true);
  }

  /** The shape in progress. @returns {Shape | null} */
  get draft() {
    return this.#draft.shape;
  }

  /**
   * Sends the changes since the last call. To be called once a frame.
   * @param {number} [now] milliseconds @returns {boolean} true if a later frame has more to send
   */
  flush(now = performance.now()) {
    this.#pen.flush();
    return this.#draft.flush(now, this.#draft.shape instanceof Text ? TEXT_INTERVAL_MS : 0);
  }

  /** Ends the stroke or the shape in progress, and pushes it to the undo history. */
  endStroke() {
    this.#endDraft();
    const strokes = this.#pen.end();
    if (!strokes) return;
    this.#commands.pushDrawn(strokes);
    this.#changed();
  }

  /** Discards the stroke or the shape in progress. */
  cancelStroke() {
    this.#draft.cancel();
    if (this.#pen.cancel()) this.#changed();
  }

  /** Removes a shape of any participant. @param {Shape} shape */
  erase(shape) {
    if (shape === this.#pen.stroke) return;
    this.#commands.remove(shape);
    this.#changed();
  }

  /** Pushes the erased shapes of one movement as one command. @param {Shape[]} shapes */
  endErasing(shapes) {
    this.#commands.pushErased(shapes);
    this.#changed();
  }

  /** Replaces shapes that still exist. @param {Shape[]} shapes */
  update(shapes) {
    for (const shape of shapes) this.#commands.update(shape);
    this.#changed();
  }

  /** Adds or restores shapes. @param {Shape[]} shapes */
  add(shapes) {
    for (const shape of shapes) this.#commands.add(shape);
    this.#changed();
  }

  /** Removes shapes. @param {Shape[]} shapes */
  remove(shapes) {
    for (const shape of shapes) this.#commands.remove(shape);
    this.#changed();
  }

  undo() {
    this.endStroke();
    this.#afterUndo(this.#history.undo()?.undo());
  }

  redo() {
    this.endStroke();
    this.#afterUndo(this.#history.redo()?.redo());
  }

  /** @param {Shape[]} shapes */
  #sendAll(shapes) {
    for (const shape of shapes) this.#sync.replace(shape, { existing: false });
  }

  /** @param {boolean | undefined} wasThere false if the shapes of the command were removed */
  #afterUndo(wasThere) {
    if (wasThere === false) this.dispatchEvent(new Event('undofailed'));
    this.#changed();
  }

  /** @param {string} id @returns {number} its `z`, or that of a new shape */
  #zOf(id) {
    return this.#shapes.find(id)?.z ?? this.#sync.nextZ;
  }

  /** @param {Shape} shape @param {boolean} isDirty @returns {boolean} */
  #updateDraft(shape, isDirty) {
    if (this.#draft.shape?.id !== shape.id) this.endStroke();
    const isNew = this.#draft.shape === null;
    const isThere = this.#draft.update(shape, isDirty);
    if (isNew) this.flush();
    this.#changed();
    return isThere;
  }

  #endDraft() {
    const written = this.#draft.shape;
    if (written instanceof Text && written.text === '' && !written.note) return this.#discardEmptyText();
    const made = this.#draft.end();
    if (!made) return;
    const { shape, before } = made;
    if (!before) this.#commands.pushDrawn([shape]);
    else if (shape instanceof Text && before instanceof Text) this.#commands.pushTextChange(before, shape);
    this.#changed();
  }

  /** Ends an empty text: removes it, or discards the draft. */
  #discardEmptyText() {
    const before = this.#draft.cancel();
    if (before) {
      this.#commands.remove(before);
      this.endErasing([before]);
    }
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}
