/** The select tool: selects shapes and items, moves them, and resizes them by the corners of the selection box. */

import { closedShapeAround, contains, cornerAt, resizeFactor, topmostAt, touching } from '../model/hitTest.js';
import { centerOf, mapping, rotationAbout } from '../model/rotation.js';
import { compose, IDENTITY, scaleAbout } from '../protocol/transformSync.js';

/**
 * @typedef {import('../model/hitTest.js').Corner} Corner
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {import('./pointerInput.js').Sample} Sample
 *
 * The action of a pointer that is down, which begins when it moves. `tap` is called if it never moves.
 * @typedef {object} Gesture
 * @property {'move' | 'size' | 'turn' | 'box'} kind
 * @property {Sample} from
 * @property {() => void} tap
 * @property {Corner | null} corner
 * @property {Bounds | null} bounds of the selection
 * @property {ReadonlySet<string>} before the selected ids at the beginning
 * @property {boolean} isMoved
 */

/** The maximum distance from a corner of the selection box, in pixels. */
const REACH = 22;
/** The maximum distance from a shape, in pixels, because thin lines are hard to hit. */
const NEAR = 9;
/** The distance from which a movement is no longer a tap, in pixels. */
const SLOP = 4;
/** Two taps within this time and this distance in pixels are a double tap. */
const DOUBLE_MS = 400;
const DOUBLE_REACH = 24;
/** The pause between two searches in the selection box, as a multiple of the time that a search takes. */
const SEARCH_PAUSE_FACTOR = 3;

/** Events: `edit` (detail: the shape or item that was tapped twice, or the point if there is none), `box` (`box` has changed). */
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
  /** The time and the duration of the last search in the box, in milliseconds. */
  #lastSearch = { at: -Infinity, ms: 0 };
  /** The transform of the keys that are held down, and the center of the selection before this transform. */
  #nudge = IDENTITY;
  /** @type {[number, number]} */
  #nudgeCenter = [0, 0];
  /** @type {{ id: string, at: number, x: number, y: number } | null} */
  #lastTap = null;
  /** Rotation and snapping; null until they are loaded. @type {import('./transforms.js').Transforms | null} */
  transforms = null;

  /**
   * @param {import('../model/hitTest.js').Plane} plane
   * @param {import('../edit/selection.js').Selection} selection
   * @param {import('../edit/selectionCommands.js').SelectionCommands} commands
   * @param {() => number} scale pixels per point @param {() => number} [now] milliseconds
   */
  constructor(plane, selection, commands, scale, now = () => performance.now()) {
    super();
    this.#plane = plane;
    this.#selection = selection;
    this.#commands = commands;
    this.#scale = scale;
    this.#now = now;
  }

  /** @returns {Bounds | null} the box that the person draws to select things */
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

  /**
   * Returns the cursor for a point.
   * @param {number} x @param {number} y
   * @returns {string} `move`, `turn`, or '' for none; `down` or `up`: a corner, by the slope of its diagonal; `across` or `along`: a
   *   corner whose diagonal is horizontal or vertical, because the box is rotated
   */
  cursorAt(x, y) {
    const corner = this.#cornerAt(x, y);
    if (corner) return this.transforms?.cursorOf(corner) ?? (corner[0] === corner[1] ? 'down' : 'up');
    if (this.#isOnHandle(x, y)) return 'turn';
    return this.#isInside(x, y) || this.#at(x, y) ? 'move' : '';
  }

  /** @param {Sample} sample */
  begin(sample) {
    this.commitNudge();
    const { x, y, shift } = sample;
    const selection = this.#selection;
    const corner = this.#cornerAt(x, y);
    const turns = !corner && this.#isOnHandle(x, y);
    const hit = corner || turns ? null : this.#at(x, y);
    const { bounds } = selection;
    const gesture = { from: sample, tap: () => {}, corner, bounds, before: new Set(selection.ids), isMoved: false };
    if (corner || turns) return void (this.#gesture = { ...gesture, kind: corner ? 'size' : 'turn' });
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
    if (!gesture.isMoved) this.transforms?.begin(gesture);
    gesture.isMoved = true;
    if (gesture.kind === 'box') this.#drawBox(gesture, last);
    else {
      const isItem = this.#selection.soleItem !== null;
      const transform = this.transforms?.transform(gesture, last) ?? dragTransform(gesture, dx, dy, isItem);
      this.#commands.drag(this.#selection.ids, transform);
    }
  }

  end() {
    const gesture = this.#gesture;
    this.#gesture = null;
    this.transforms?.end();
    if (!gesture) return;
    if (!gesture.isMoved) gesture.tap();
    else if (gesture.kind === 'box') this.#selectInBox(gesture.from, gesture.before);
    else this.#commands.commitDrag();
    this.#showBox(null);
  }

  cancel() {
    const gesture = this.#gesture;
    this.#gesture = null;
    this.transforms?.end();
    this.#nudge = IDENTITY;
    this.#commands.cancelDrag();
    if (gesture?.kind === 'box') this.#selection.choose(gesture.before);
    this.#showBox(null);
  }

  /** Moves the selection by a key. @param {number} dx @param {number} dy pixels */
  nudge(dx, dy) {
    this.#nudgeBy(() => ({ factor: 1, x: rounded(dx / this.#scale()), y: rounded(dy / this.#scale()) }));
  }

  /** Resizes the selection by a key. @param {number} times the factor */
  resize(times) {
    if (this.#canGrow) this.#nudgeBy((center) => scaleAbout(times, ...center));
  }

  /** Rotates the selection by a key. @param {number} angle degrees */
  turn(angle) {
    if (this.#canGrow) this.#nudgeBy((center) => rotationAbout(angle, center));
  }

  /** Applies the changes by keys as one command, after the key is released. */
  commitNudge() {
    if (this.#nudge === IDENTITY) return;
    this.#nudge = IDENTITY;
    this.#commands.commitDrag();
  }

  /** False for a single card, which has a fixed size and stays upright. */
  get #canGrow() {
    const { soleItem } = this.#selection;
    return soleItem === null || soleItem.isPicture;
  }

  /** @param {(center: [number, number]) => Transform} transformAbout receives the center of the selection */
  #nudgeBy(transformAbout) {
    const { bounds } = this.#selection;
    if (this.#gesture || !bounds) return;
    if (this.#nudge === IDENTITY) this.#nudgeCenter = centerOf(bounds);
    this.#nudge = compose(this.#nudge, transformAbout(mapping(this.#nudge)(...this.#nudgeCenter)));
    this.#commands.drag(this.#selection.ids, this.#nudge);
  }

  /** @param {number} x @param {number} y @returns {Drawable | null} */
  #at(x, y) {
    return topmostAt(this.#plane, x, y, NEAR / this.#scale());
  }

  /** @param {number} x @param {number} y @returns {Corner | null} */
  #cornerAt(x, y) {
    const { bounds } = this.#selection;
    if (!bounds || !this.#canGrow) return null;
    const { box, point } = this.transforms?.inFrame(x, y) ?? { box: bounds, point: [x, y] };
    return cornerAt(box, point[0], point[1], REACH / this.#scale());
  }

  /** @param {number} x @param {number} y @returns {boolean} true if a drag from there rotates the selection */
  #isOnHandle(x, y) {
    return this.#canGrow && (this.transforms?.isOnHandle(x, y) ?? false);
  }

  /** @param {number} x @param {number} y */
  #isInside(x, y) {
    const { bounds } = this.#selection;
    if (!bounds) return false;
    const { box, point } = this.transforms?.inFrame(x, y) ?? { box: bounds, point: [x, y] };
    return contains(box, point[0], point[1]);
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

  /** @param {Gesture} gesture @param {Sample} to */
  #drawBox({ from, before }, to) {
    this.#showBox({
      left: Math.min(from.x, to.x),
      top: Math.min(from.y, to.y),
      right: Math.max(from.x, to.x),
      bottom: Math.max(from.y, to.y),
    });
    // With very many shapes, a search takes longer than a frame.
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

/**
 * Returns the transform of a drag: a move, or a resize by a corner.
 * @param {Pick<Gesture, 'corner' | 'bounds'>} gesture @param {number} dx @param {number} dy
 * @param {boolean} isItem true for a single picture or file @returns {Transform}
 */
export function dragTransform({ corner, bounds }, dx, dy, isItem) {
  if (!corner || !bounds) return { factor: 1, x: rounded(dx), y: rounded(dy) };
  const [right, down] = corner;
  const factor = resizeFactor(bounds, corner, dx, dy, isItem);
  return scaleAbout(factor, right > 0 ? bounds.left : bounds.right, down > 0 ? bounds.top : bounds.bottom);
}

/** @param {number} value @returns {number} rounded, so that a move back leads to the same position */
function rounded(value) {
  return Math.round(value * 100) / 100;
}
