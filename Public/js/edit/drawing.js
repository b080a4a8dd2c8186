/** The drawing activity: what a person does to the shapes, alone or in a session. */

import { newKey } from '../sync/key.js';
import { History, Making } from './undoHistory.js';
import { ShapeSync } from '../protocol/shapeSync.js';
import { shapeToolPoints } from '../model/strokeOutline.js';
import { onPlane, Stroke } from '../model/stroke.js';
import { cleanText, Text } from '../model/text.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {{ rgb: string, color: number, width: number, tool: string }} Look
 * @typedef {{ rgb: string, color: number, size: number }} TextLook
 */

/** So often the others see what is typed, in milliseconds. */
const TYPED_MS = 150;

/**
 * Events: `change` (of the shapes, of what waits, of what can be undone), `gone` (what was to be undone is not there),
 * `error` (a shape that cannot be sent; detail: why), `said` (alone; detail: an entry, as a session would get it).
 */
export class Drawing extends EventTarget {
  #shapes;
  #exchange;
  #history;
  #newKey;
  /** @type {{ stroke: Stroke, sent: number, parts: Stroke[] } | null} what is under the pen; `sent`: how many of its points */
  #pen = null;
  #making;

  /**
   * @param {import('../model/shapes.js').Shapes} shapes @param {() => string} [key]
   * @param {History} [history] others may have deeds in it too
   * @param {import('../model/scheduling.js').Backlog} [backlog] takes what the session says
   */
  constructor(shapes, key = newKey, history = new History(), backlog = undefined) {
    super();
    this.#history = history;
    this.#shapes = shapes;
    this.#newKey = key;
    this.#exchange = new ShapeSync(shapes, {
      changed: () => this.#changed(),
      failed: (detail) => this.dispatchEvent(new CustomEvent('error', { detail })),
      said: (detail) => this.dispatchEvent(new CustomEvent('said', { detail })),
    }, backlog);
    this.#making = new Making(shapes, this.#exchange);
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

  /** How many shapes the session does not hold yet. */
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
    const picture = [...this.#shapes.all];
    this.#exchange.attach(session);
    this.#sayAll(picture);
  }

  /** The picture is this person's alone again. */
  detach() {
    this.lift();
    this.#exchange.detach();
  }

  /** To whomever hears it now. */
  sayAll() {
    this.#sayAll([...this.#shapes.all]);
  }

  /** Shows what was said alone, to an earlier page. @param {{ type: string, key: string, payload: Uint8Array }[]} entries */
  restore(entries) {
    for (const entry of entries) this.#exchange.hear(entry);
  }

  /** Empties the page, without a word to the session. */
  clear() {
    this.#pen = null;
    this.#shapes.clear();
    this.#history.clear();
    this.#changed();
  }

  /** The pen touches the paper. @param {Look} look @param {number[]} points x and y in turn @param {number[] | null} pressures */
  begin(look, points, pressures) {
    this.lift();
    this.#start(look, []);
    this.extend(points, pressures);
    // Not with the next frame: the others wait for it too.
    this.#flushPen();
  }

  /** @param {number[]} points x and y in turn @param {number[] | null} pressures */
  extend(points, pressures) {
    const pen = this.#pen;
    if (!pen) return;
    if (this.#shapes.find(pen.stroke.id) !== pen.stroke) return this.#drop(pen.parts);
    pen.stroke.append(points.map(onPlane), pressures?.map((one) => Math.round(one * 1000) / 1000) ?? null);
    this.#shapes.touched(pen.stroke.id);
    if (pen.stroke.length >= this.#exchange.pointsAStroke) this.#part(pen.stroke, pen.parts);
  }

  /** A shape is drawn out between two points. @param {Look} look @param {string} id @param {[number, number]} from @param {[number, number]} to */
  drawShape(look, id, from, to) {
    const shape = new Stroke({ ...look, id, z: this.#zOf(id) });
    shape.append(shapeToolPoints(look.tool, from, to, look.width).map(onPlane), null);
    return this.#hold(shape, true);
  }

  /**
   * A text is typed.
   * @param {string} id of one that is there, or a new one @param {string} typed @param {TextLook} look @param {[number, number]} point its upper left corner, of a new one
   * @returns {boolean} whether it is still there: somebody may have removed it
   */
  write(id, typed, look, [x, y]) {
    const text = cleanText(typed);
    const before = this.#shapes.find(id);
    const place = before instanceof Text ? before : { x: onPlane(x), y: onPlane(y) };
    const written = new Text({ ...look, id, text, x: place.x, y: place.y, z: this.#zOf(id) });
    // Nothing is no text, to the others.
    return this.#hold(written, text !== '');
  }

  /**
   * Tells the others what was done since the last time: to be called once a frame.
   * @param {number} [now] milliseconds @returns {boolean} whether something is left for a later frame
   */
  flush(now = performance.now()) {
    this.#flushPen();
    return this.#making.flush(now, this.#making.shape instanceof Text ? TYPED_MS : 0);
  }

  #flushPen() {
    const pen = this.#pen;
    if (!pen || pen.stroke.length === pen.sent) return;
    this.#exchange.append(pen.stroke, pen.sent);
    pen.sent = pen.stroke.length;
  }

  /** The pen is up: what it drew is whole; so is what was drawn out or typed. */
  lift() {
    this.#endMaking();
    const pen = this.#pen;
    if (!pen) return;
    this.#finish(pen.stroke);
    this.#pen = null;
    this.#drawn([...pen.parts, pen.stroke]);
    this.#changed();
  }

  /** What the pen drew was not meant; nor what was drawn out. */
  cancel() {
    this.#making.cancel();
    const pen = this.#pen;
    if (!pen) return;
    this.#pen = null;
    for (const stroke of [...pen.parts, pen.stroke]) this.#remove(stroke);
    this.#changed();
  }

  /** @param {Shape} shape of whomever */
  erase(shape) {
    if (shape === this.#pen?.stroke) return;
    this.#remove(shape);
    this.#changed();
  }

  /** @param {Shape[]} shapes taken away by one movement: undone together */
  erased(shapes) {
    if (shapes.length > 0) {
      this.#history.did({ undo: () => this.#bringBackAll(shapes), redo: () => this.#removeAll(shapes) });
    }
    this.#changed();
  }

  // For those who arrange what is there: what it takes to undo it, they know themselves.

  /** They look like this from now on, if they are still there. @param {Shape[]} shapes */
  change(shapes) {
    for (const shape of shapes) {
      shape.isFinished = true;
      this.#shapes.put(shape);
      this.#exchange.replace(shape, { existing: true });
    }
    this.#changed();
  }

  /** They are there from now on, or again. @param {Shape[]} shapes */
  add(shapes) {
    for (const shape of shapes) this.#bringBack(shape);
    this.#changed();
  }

  /** They are there no more. @param {Shape[]} shapes */
  take(shapes) {
    for (const shape of shapes) this.#remove(shape);
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

  /** @param {Shape[]} shapes */
  #sayAll(shapes) {
    for (const shape of shapes) this.#exchange.replace(shape, { existing: false });
  }

  /** @param {boolean | undefined} wasThere what was to be undone or redone */
  #done(wasThere) {
    if (wasThere === false) this.dispatchEvent(new Event('gone'));
    this.#changed();
  }

  /** @param {Shape[]} shapes by one movement: undone together */
  #drawn(shapes) {
    if (shapes.length === 0) return;
    this.#history.did({ undo: () => this.#removeAll(shapes), redo: () => this.#bringBackAll(shapes) });
  }

  /** @param {Shape[]} shapes @returns {boolean} whether there was any */
  #removeAll(shapes) {
    const there = shapes.filter(({ id }) => this.#shapes.find(id));
    for (const shape of there) this.#remove(shape);
    return there.length > 0;
  }

  /** @param {Shape[]} shapes @returns {boolean} whether any was gone */
  #bringBackAll(shapes) {
    const gone = shapes.filter(({ id }) => !this.#shapes.find(id));
    for (const shape of gone) this.#bringBack(shape);
    return gone.length > 0;
  }

  /** @param {Shape} shape */
  #bringBack(shape) {
    shape.isFinished = true;
    this.#shapes.put(shape);
    this.#exchange.replace(shape, { existing: false });
  }

  /** @param {Shape} shape */
  #remove(shape) {
    this.#shapes.remove(shape.id);
    this.#exchange.remove(shape);
  }

  /** @param {string} id @returns {number} where it lies, or a new one will */
  #zOf(id) {
    return this.#shapes.find(id)?.z ?? this.#exchange.nextZ;
  }

  /** @param {Shape} shape @param {boolean} isNews @returns {boolean} */
  #hold(shape, isNews) {
    if (this.#making.shape?.id !== shape.id) this.lift();
    const isNew = this.#making.shape === null;
    const isThere = this.#making.hold(shape, isNews);
    if (isNew) this.flush();
    this.#changed();
    return isThere;
  }

  #endMaking() {
    const written = this.#making.shape;
    if (written instanceof Text && written.text === '') return this.#unwritten();
    const made = this.#making.end();
    if (!made) return;
    const { shape, before } = made;
    if (!before) this.#drawn([shape]);
    else if (shape instanceof Text && before instanceof Text) {
      const { id } = shape;
      // Only what was changed: somebody may move it meanwhile.
      this.#history.did({
        undo: () => this.#rewrite(id, changes(shape, before)),
        redo: () => this.#rewrite(id, changes(before, shape)),
      });
    }
    this.#changed();
  }

  /** All of a text was deleted. */
  #unwritten() {
    const before = this.#making.cancel();
    if (before) {
      this.#remove(before);
      this.erased([before]);
    }
    this.#changed();
  }

  /** @param {string} id @param {Partial<Text>} changes @returns {boolean} whether it is there to say that now, wherever it lies */
  #rewrite(id, changes) {
    const there = this.#shapes.find(id);
    if (!(there instanceof Text)) return false;
    const rewritten = there.with(changes);
    this.#shapes.put(rewritten);
    this.#exchange.replace(rewritten, { existing: true });
    return true;
  }

  /** @param {Look} look @param {Stroke[]} parts drawn before in the same movement */
  #start(look, parts) {
    const stroke = new Stroke({ ...look, id: this.#newKey(), z: this.#exchange.nextZ });
    this.#pen = { stroke, sent: 0, parts };
    this.#shapes.put(stroke, { isHeld: true });
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
    this.#shapes.touched(stroke.id);
    this.#shapes.release(stroke.id);
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

/** @param {Text} from @param {Text} to @returns {Partial<Text>} what of words and look differs, as it is in `to` */
function changes(from, to) {
  const { text, rgb, color, size } = to;
  const all = Object.entries({ text, rgb, color, size });
  return Object.fromEntries(all.filter(([name, value]) => from[/** @type {'text'} */ (name)] !== value));
}
