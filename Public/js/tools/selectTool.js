/** The select tool: selects shapes and items, moves them, and resizes them by the corners of the selection box. */

import { closedShapeAround, contains, cornerAt, resizeFactor, topmostAt, touching } from '../model/hitTest.js';
import { compose, IDENTITY, scaleAbout } from '../protocol/transformSync.js';

/**
 * @typedef {import('../model/hitTest.js').Corner} Corner
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {import('./pointerInput.js').Sample} Sample
 *
 * What a pointer that is down does, once it has moved; `tap`: what it does if it never moves.
 * @typedef {object} Gesture
 * @property {'move' | 'size' | 'box'} kind
 * @property {Sample} from
 * @property {() => void} tap
 * @property {Corner | null} corner
 * @property {Bounds | null} bounds of what was chosen
 * @property {ReadonlySet<string>} before what was chosen
 * @property {boolean} isMoved
 */

/** Half the size of a target, in pixels. */
const REACH = 22;
/** Around a line, too thin to be hit. */
const NEAR = 9;
/** Less than this is a tap, in pixels. */
const SLOP = 4;
/** Two taps within this time, and this many pixels, are one double tap. */
const DOUBLE_MS = 400;
const DOUBLE_REACH = 24;
/** Between two looks at what lies in a box there are so many times as long as one takes. */
const SEARCH_PAUSE_FACTOR = 3;

/** Event: `edit` (detail: what was tapped twice, or where nothing lies), `box` (it is drawn, or gone). */
export class SelectTool extends EventTarget {
  #plane;
  #selection;
  #commands;
  #scale;
  #now;
  /** @type {Gesture | null} */
  #gesture = null;
  /** @type {Bounds | null} */
  #box = null;
  /** When what lies in the box was last looked for, and how long that took, in milliseconds. */
  #lastSearch = { at: -Infinity, ms: 0 };
  /** What the keys did since they were down. */
  #nudge = IDENTITY;
  /** @type {{ id: string, at: number, x: number, y: number } | null} */
  #lastTap = null;

  /**
   * @param {import('../model/hitTest.js').Plane} plane
   * @param {import('../edit/selection.js').Selection} selection @param {import('../edit/selectionCommands.js').SelectionCommands} commands
   * @param {() => number} scale pixels a point @param {() => number} [now] milliseconds
   */
  constructor(plane, selection, commands, scale, now = () => performance.now()) {
    super();
    this.#plane = plane;
    this.#selection = selection;
    this.#commands = commands;
    this.#scale = scale;
    this.#now = now;
  }

  /** @returns {Bounds | null} the box that is drawn around what shall be chosen */
  get box() {
    return this.#box;
  }

  get isMoving() {
    return this.#gesture?.isMoved ?? false;
  }

  /** @param {Iterable<string>} ids */
  select(ids) {
    this.commitNudge();
    this.#selection.choose(ids);
  }

  selectAll() {
    const { shapes, items } = this.#plane;
    this.select([...shapes.all, ...items.all].map(({ id }) => id));
  }

  /** What the pointer would do there. @param {number} x @param {number} y @returns {'' | 'move' | 'down' | 'up'} the last two: a corner, by the way to it */
  cursorAt(x, y) {
    const corner = this.#cornerAt(x, y);
    if (corner) return corner[0] === corner[1] ? 'down' : 'up';
    return this.#isInside(x, y) || this.#at(x, y) ? 'move' : '';
  }

  /** @param {Sample} sample */
  begin(sample) {
    this.commitNudge();
    const { x, y, shift } = sample;
    const selection = this.#selection;
    const corner = this.#cornerAt(x, y);
    const hit = corner ? null : this.#at(x, y);
    const { bounds } = selection;
    const gesture = { from: sample, tap: () => {}, corner, bounds, before: new Set(selection.ids), isMoved: false };
    if (corner) return void (this.#gesture = { ...gesture, kind: 'size' });
    if (hit && !shift && !selection.has(hit.id) && !(selection.size > 1 && this.#isInside(x, y))) {
      selection.choose([hit.id]);
    }
    const moves = hit ? !shift || selection.has(hit.id) : !shift && this.#isInside(x, y);
    this.#gesture = {
      ...gesture,
      bounds: selection.bounds,
      kind: moves ? 'move' : 'box',
      tap: () => this.#tap(sample, hit),
    };
  }

  /** @param {Sample[]} samples */
  move(samples) {
    const gesture = this.#gesture;
    const last = samples.at(-1);
    if (!gesture || !last) return;
    const [dx, dy] = [last.x - gesture.from.x, last.y - gesture.from.y];
    if (!gesture.isMoved && Math.hypot(dx, dy) * this.#scale() < SLOP) return;
    gesture.isMoved = true;
    if (gesture.kind === 'box') this.#drawBox(gesture, last);
    else this.#commands.drag(this.#selection.ids, this.#transform(gesture, dx, dy));
  }

  end() {
    const gesture = this.#gesture;
    this.#gesture = null;
    if (!gesture) return;
    if (!gesture.isMoved) gesture.tap();
    else if (gesture.kind === 'box') this.#selectInBox(gesture.from, gesture.before);
    else this.#commands.commitDrag();
    this.#showBox(null);
  }

  cancel() {
    const gesture = this.#gesture;
    this.#gesture = null;
    this.#nudge = IDENTITY;
    this.#commands.cancelDrag();
    if (gesture?.kind === 'box') this.#selection.choose(gesture.before);
    this.#showBox(null);
  }

  /** By a key that is held down. @param {number} dx @param {number} dy pixels */
  nudge(dx, dy) {
    this.#nudgeBy({ factor: 1, x: rounded(dx / this.#scale()), y: rounded(dy / this.#scale()) });
  }

  /** By a key. @param {number} times as large */
  resize(times) {
    const { bounds } = this.#selection;
    if (!bounds || !this.#canGrow) return;
    this.#nudgeBy(scaleAbout(times, (bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2));
  }

  /** The key is up: what it did is one command. */
  commitNudge() {
    if (this.#nudge === IDENTITY) return;
    this.#nudge = IDENTITY;
    this.#commands.commitDrag();
  }

  /** A card alone has no other size. */
  get #canGrow() {
    const { soleItem } = this.#selection;
    return soleItem === null || soleItem.isPicture;
  }

  /** @param {Transform} transform */
  #nudgeBy(transform) {
    if (this.#gesture || this.#selection.size === 0) return;
    this.#nudge = compose(this.#nudge, transform);
    this.#commands.drag(this.#selection.ids, this.#nudge);
  }

  /** @param {number} x @param {number} y @returns {Drawable | null} */
  #at(x, y) {
    return topmostAt(this.#plane, x, y, NEAR / this.#scale());
  }

  /** @param {number} x @param {number} y @returns {Corner | null} */
  #cornerAt(x, y) {
    const { bounds } = this.#selection;
    return bounds && this.#canGrow ? cornerAt(bounds, x, y, REACH / this.#scale()) : null;
  }

  /** @param {number} x @param {number} y */
  #isInside(x, y) {
    const { bounds } = this.#selection;
    return bounds !== null && contains(bounds, x, y);
  }

  /** @param {Sample} sample @param {Drawable | null} hit */
  #tap({ x, y, shift }, hit) {
    const meant = hit ?? closedShapeAround(this.#plane, x, y);
    if (shift && meant) this.#selection.toggle(meant.id);
    else if (!shift) this.#selection.choose(meant ? [meant.id] : []);
    const last = this.#lastTap;
    const id = meant?.id ?? '';
    this.#lastTap = { id, at: this.#now(), x, y };
    if (!last || last.id !== id || this.#now() - last.at > DOUBLE_MS) return;
    if (Math.hypot(x - last.x, y - last.y) * this.#scale() > DOUBLE_REACH) return;
    this.#lastTap = null;
    this.dispatchEvent(new CustomEvent('edit', { detail: meant ?? [x, y] }));
  }

  /** @param {Gesture} gesture @param {number} dx @param {number} dy @returns {Transform} */
  #transform({ corner, bounds }, dx, dy) {
    if (!corner || !bounds) return { factor: 1, x: rounded(dx), y: rounded(dy) };
    const [right, down] = corner;
    const factor = resizeFactor(bounds, corner, dx, dy, this.#selection.soleItem !== null);
    return scaleAbout(factor, right > 0 ? bounds.left : bounds.right, down > 0 ? bounds.top : bounds.bottom);
  }

  /** @param {Gesture} gesture @param {Sample} to */
  #drawBox({ from, before }, to) {
    this.#showBox({
      left: Math.min(from.x, to.x),
      top: Math.min(from.y, to.y),
      right: Math.max(from.x, to.x),
      bottom: Math.max(from.y, to.y),
    });
    // Where very much lies, looking takes longer than a frame.
    if (this.#now() - this.#lastSearch.at >= SEARCH_PAUSE_FACTOR * this.#lastSearch.ms) this.#selectInBox(from, before);
  }

  /** @param {Sample} from @param {ReadonlySet<string>} before */
  #selectInBox({ shift }, before) {
    const at = this.#now();
    const found = this.#box ? touching(this.#plane, this.#box).map(({ id }) => id) : [];
    this.#selection.choose(shift ? [...before, ...found] : found);
    this.#lastSearch = { at: this.#now(), ms: this.#now() - at };
  }

  /** @param {Bounds | null} box */
  #showBox(box) {
    this.#box = box;
    this.dispatchEvent(new Event('box'));
  }
}

/** @param {number} value @returns {number} so that there and back again is the same place */
function rounded(value) {
  return Math.round(value * 100) / 100;
}
