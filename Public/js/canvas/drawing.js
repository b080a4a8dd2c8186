/** The drawing activity: what a person does to the strokes, alone or in a session. */

import { newKey } from '../session/key.js';
import { History } from './history.js';
import { onPlane, Stroke } from './stroke.js';
import { MarkExchange } from './markExchange.js';

/**
 * @typedef {import('../session/groupSession.js').GroupSession} GroupSession
 * @typedef {{ rgb: string, color: number, width: number, tool: string }} Look
 */

/**
 * Events: `change` (of the strokes, of what waits, of what can be undone), `gone` (what was to be undone is not there),
 * `error` (a stroke that cannot be sent; detail: why).
 */
export class Drawing extends EventTarget {
  #marks;
  #exchange;
  #history;
  #newKey;
  /** @type {{ stroke: Stroke, sent: number, parts: Stroke[] } | null} what is under the pen; `sent`: how many of its points */
  #pen = null;

  /**
   * @param {import('./marks.js').Marks} marks @param {() => string} [key]
   * @param {History} [history] others may have deeds in it too
   */
  constructor(marks, key = newKey, history = new History()) {
    super();
    this.#history = history;
    this.#marks = marks;
    this.#newKey = key;
    this.#exchange = new MarkExchange(marks, {
      changed: () => this.#changed(),
      failed: (detail) => this.dispatchEvent(new CustomEvent('error', { detail })),
    });
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  get canRedo() {
    return this.#history.canRedo;
  }

  /** Where what is begun now lies: above all that is known. */
  get nextZ() {
    return this.#exchange.nextZ;
  }

  /** How many strokes the session does not hold yet. */
  get waitingStrokes() {
    return this.#exchange.waiting;
  }

  /**
   * From now on the picture is the session's.
   * @param {GroupSession} session @param {{ bringsPicture: boolean }} options whether what is there goes into the session
   */
  attach(session, { bringsPicture }) {
    this.detach();
    if (!bringsPicture) this.clear();
    const picture = [...this.#marks.all];
    this.#exchange.attach(session);
    for (const stroke of picture) this.#exchange.replace(stroke, { existing: false });
  }

  /** The picture is this person's alone again. */
  detach() {
    this.lift();
    this.#exchange.detach();
  }

  /** Empties the page, without a word to the session. */
  clear() {
    this.#pen = null;
    this.#marks.clear();
    this.#history.clear();
    this.#changed();
  }

  /** The pen touches the paper. @param {Look} look @param {number[]} points x and y in turn @param {number[] | null} pressures */
  begin(look, points, pressures) {
    this.lift();
    this.#start(look, []);
    this.extend(points, pressures);
  }

  /** @param {number[]} points x and y in turn @param {number[] | null} pressures */
  extend(points, pressures) {
    const pen = this.#pen;
    if (!pen) return;
    if (this.#marks.find(pen.stroke.id) !== pen.stroke) return this.#drop(pen.parts);
    pen.stroke.append(points.map(onPlane), pressures?.map((one) => Math.round(one * 1000) / 1000) ?? null);
    this.#marks.touched(pen.stroke.id);
    if (pen.stroke.length >= this.#exchange.pointsAStroke) this.#part(pen.stroke, pen.parts);
  }

  /** Tells the others what the pen did since the last time: to be called once a frame. */
  flush() {
    const pen = this.#pen;
    if (!pen || pen.stroke.length === pen.sent) return;
    this.#exchange.append(pen.stroke, pen.sent);
    pen.sent = pen.stroke.length;
  }

  /** The pen is up: what it drew is whole. */
  lift() {
    const pen = this.#pen;
    if (!pen) return;
    this.#finish(pen.stroke);
    this.#pen = null;
    this.#drawn([...pen.parts, pen.stroke]);
    this.#changed();
  }

  /** What the pen drew was not meant. */
  cancel() {
    const pen = this.#pen;
    if (!pen) return;
    this.#pen = null;
    for (const stroke of [...pen.parts, pen.stroke]) this.#remove(stroke);
    this.#changed();
  }

  /** @param {Stroke} stroke of whomever */
  erase(stroke) {
    if (stroke === this.#pen?.stroke) return;
    this.#remove(stroke);
    this.#changed();
  }

  /** @param {Stroke[]} marks taken away by one movement: undone together */
  erased(marks) {
    if (marks.length > 0) {
      this.#history.did({ undo: () => this.#bringBackAll(marks), redo: () => this.#removeAll(marks) });
    }
    this.#changed();
  }

  undo() {
    this.lift();
    this.#done(this.#history.undo()?.undo());
  }

  redo() {
    this.lift();
    this.#done(this.#history.redo()?.redo());
  }

  /** @param {boolean | undefined} wasThere what was to be undone or redone */
  #done(wasThere) {
    if (wasThere === false) this.dispatchEvent(new Event('gone'));
    this.#changed();
  }

  /** @param {Stroke[]} marks by one movement: undone together */
  #drawn(marks) {
    if (marks.length === 0) return;
    this.#history.did({ undo: () => this.#removeAll(marks), redo: () => this.#bringBackAll(marks) });
  }

  /** @param {Stroke[]} marks @returns {boolean} whether there was any */
  #removeAll(marks) {
    const there = marks.filter(({ id }) => this.#marks.find(id));
    for (const stroke of there) this.#remove(stroke);
    return there.length > 0;
  }

  /** @param {Stroke[]} marks @returns {boolean} whether any was gone */
  #bringBackAll(marks) {
    const gone = marks.filter(({ id }) => !this.#marks.find(id));
    for (const stroke of gone) this.#bringBack(stroke);
    return gone.length > 0;
  }

  /** @param {Stroke} stroke */
  #bringBack(stroke) {
    stroke.isFinished = true;
    this.#marks.put(stroke);
    this.#exchange.replace(stroke, { existing: false });
  }

  /** @param {Stroke} stroke */
  #remove(stroke) {
    this.#marks.remove(stroke.id);
    this.#exchange.remove(stroke);
  }

  /** @param {Look} look @param {Stroke[]} parts drawn before in the same movement */
  #start(look, parts) {
    const stroke = new Stroke({ ...look, id: this.#newKey(), z: this.#exchange.nextZ });
    this.#pen = { stroke, sent: 0, parts };
    this.#marks.put(stroke, { isHeld: true });
  }

  /** Goes on in a new stroke, from where this one ends. @param {Stroke} stroke @param {Stroke[]} parts before it */
  #part(stroke, parts) {
    this.#finish(stroke);
    this.#start(stroke, [...parts, stroke]);
    this.extend(stroke.points.slice(-2), stroke.pressures?.slice(-1) ?? null);
  }

  /** @param {Stroke} stroke the pen's */
  #finish(stroke) {
    stroke.finish();
    // What the others have not heard of cannot be gone.
    this.#exchange.replace(stroke, { existing: this.#pen !== null && this.#pen.sent > 0 });
    this.#marks.touched(stroke.id);
    this.#marks.release(stroke.id);
  }

  /** Somebody removed the stroke under the pen. @param {Stroke[]} parts that were drawn before */
  #drop(parts) {
    this.#pen = null;
    this.#drawn(parts);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}
