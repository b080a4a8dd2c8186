/** Rotation and snapping for the gestures of the select tool. */

import { boundsOfRotated, centerOf, mapping, RADIANS, rotationAbout, toBox } from '../model/rotation.js';
import { boundsWithHandle, boxOf, HANDLE_RADIUS, handleOf, transformedBox } from '../model/selectionBox.js';
import { union } from '../model/shapes.js';
import { scaleAbout } from '../protocol/transformSync.js';
import { dragTransform } from './selectTool.js';

/**
 * @typedef {import('../model/hitTest.js').Corner} Corner
 * @typedef {import('../model/rotation.js').Point} Point
 * @typedef {import('../model/rotation.js').Rotated} Rotated
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {import('./pointerInput.js').Sample} Sample
 * @typedef {import('./selectTool.js').Gesture} Gesture
 *
 * The selection when a gesture begins.
 * @typedef {object} Start
 * @property {Gesture} gesture
 * @property {Rotated} frame
 * @property {Bounds} extent of its points, without the widths of lines
 * @property {boolean} isItem true for a single picture or file
 *
 * @typedef {object} Parts
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {import('./snapping.js').Snapping} snapping
 */

/** In degrees: the step of the angle with Shift; a right angle; and the distance at which the angle snaps to a right angle. */
const STEP = 15;
const RIGHT = 90;
const NEAR_RIGHT = 2.5;
/** The margins of the view in which the handle is easy to reach, in pixels: at the sides, and below and above the bars. */
const SIDE = 16;
const TOP = 72;
const BOTTOM = 92;
/**
 * The maximum number of objects that are measured without the widths of their lines. For larger selections, their bounds snap.
 */
const MAX_MEASURED = 300;
/** The cursors of a diagonal by its direction, in steps of 45°. */
const CURSORS = ['across', 'down', 'along', 'up'];

/** The rotation of the selection by a handle, and corrections of moves and resizes. */
export class Transforms {
  #parts;
  /** @type {Start | null} */
  #start = null;
  /** The angle of the rotation under way, in degrees. */
  #angle = 0;
  #isBelow = false;
  /** The frame of the present selection, by its version. @type {{ version: number, frame: Rotated | null }} */
  #cached = { version: -1, frame: null };

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** True if the handle is below the selection, because there is no room above. */
  get isHandleBelow() {
    return this.#isBelow;
  }

  /** @returns {number | null} the angle of the selection while it is rotated by the handle, in degrees */
  get turning() {
    return this.#start?.gesture.kind === 'turn' ? this.#turned(this.#start).angle : null;
  }

  /**
   * Returns what the page shows of the selection.
   * @param {Transform | null} outline of its box, if only the box moves
   * @returns {(Rotated & { around: Bounds }) | null} `around`: the bounds of the box and the handle
   */
  frame(outline) {
    const start = this.#start;
    const now = this.#frame;
    if (!now) return null;
    const shown = start?.gesture.kind === 'turn' ? this.#turned(start) : outline ? transformedBox(now, outline) : now;
    const { camera, selection } = this.#parts;
    if (!start) this.#placeHandle(shown);
    const isFixed = selection.soleItem?.isPicture === false;
    const around = isFixed
      ? boundsOfRotated(shown.box, shown.angle)
      : boundsWithHandle(shown, handleOf(shown, camera.scale, this.#isBelow), camera.scale);
    return { ...shown, around };
  }

  /** @param {number} x @param {number} y @returns {boolean} true if the point is on the handle */
  isOnHandle(x, y) {
    const frame = this.#frame;
    if (!frame) return false;
    const { scale } = this.#parts.camera;
    const [atX, atY] = handleOf(frame, scale, this.#isBelow);
    return Math.hypot(x - atX, y - atY) * scale <= HANDLE_RADIUS;
  }

  /** @param {number} x @param {number} y @returns {{ box: Bounds, point: Point } | null} the box, and the point relative to it */
  inFrame(x, y) {
    const frame = this.#frame;
    return frame && { box: frame.box, point: toBox(frame, [x, y]) };
  }

  /** @param {Corner} corner @returns {string} the name of its cursor */
  cursorOf([right, down]) {
    const diagonal = right === down ? 45 : 135;
    return CURSORS[Math.round((diagonal + (this.#frame?.angle ?? 0)) / 45) % CURSORS.length];
  }

  /** Begins a gesture, with its first movement. @param {Gesture} gesture */
  begin(gesture) {
    const { selection, snapping } = this.#parts;
    const { bounds } = selection;
    const frame = this.#frame;
    if (!frame || !bounds || gesture.kind === 'box') return;
    const measured = selection.size <= MAX_MEASURED ? [...selection.shapes, ...selection.items] : [];
    const extent = measured.reduce((/** @type {Bounds | null} */ all, one) => union(all, one.extent), null) ?? bounds;
    this.#start = { gesture, frame, extent, isItem: selection.soleItem !== null };
    this.#angle = 0;
    snapping.begin(selection.ids);
  }

  end() {
    this.#start = null;
    this.#parts.snapping.end();
  }

  /** @param {Gesture} gesture that has begun @param {Sample} to @returns {Transform | null} null: that of a plain drag */
  transform({ kind, from, corner }, to) {
    const start = this.#start;
    if (!start) return null;
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    if (kind === 'turn') return this.#turn(start, from, to);
    if (kind === 'size' && corner) return this.#resize(start, corner, [dx, dy], to);
    const { left, top, right, bottom } = start.extent;
    const moved = { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy };
    const [byX, byY] = this.#parts.snapping.snapBox(moved, to);
    return dragTransform({ corner: null, bounds: null }, dx + byX, dy + byY, start.isItem);
  }

  /** @param {Start} start @param {Sample} from @param {Sample} to @returns {Transform} */
  #turn({ frame }, from, to) {
    const center = centerOf(frame.box);
    const direction = (/** @type {Sample} */ { x, y }) => Math.atan2(y - center[1], x - center[0]) / RADIANS;
    const wanted = frame.angle + direction(to) - direction(from);
    const near = Math.round(wanted / RIGHT) * RIGHT;
    const isNear = this.#parts.snapping.isOn && !to.alt && Math.abs(wanted - near) <= NEAR_RIGHT;
    const angle = to.shift ? Math.round(wanted / STEP) * STEP : isNear ? near : Math.round(wanted * 10) / 10;
    this.#angle = angle - frame.angle;
    return rotationAbout(this.#angle, center);
  }

  /** @param {Start} start @param {Corner} corner @param {Point} by @param {Sample} to @returns {Transform} */
  #resize({ frame: { box, angle }, extent, isItem }, corner, by, to) {
    const center = centerOf(box);
    // The resize is computed as if the box were not rotated, about the opposite corner.
    const [dx, dy] = mapping({ factor: 1, x: 0, y: 0, angle: -angle })(...by);
    const plain = dragTransform({ corner, bounds: box }, dx, dy, isItem);
    const [right, down] = corner;
    const anchor = /** @type {Point} */ ([right > 0 ? box.left : box.right, down > 0 ? box.top : box.bottom]);
    if (angle !== 0) return scaleAbout(plain.factor, ...mapping(rotationAbout(angle, center))(...anchor));
    const dragged =
      /** @type {Point} */ ([right > 0 ? extent.right : extent.left, down > 0 ? extent.bottom : extent.top]);
    return scaleAbout(this.#parts.snapping.snapFactor(extent, anchor, dragged, plain.factor, to), ...anchor);
  }

  /** @param {Start} start of a rotation @returns {Rotated} the frame where it is now */
  #turned({ frame }) {
    return transformedBox(frame, rotationAbout(this.#angle, centerOf(frame.box)));
  }

  /** @returns {Rotated | null} the box of the selection, which is rotated with a single object; null: nothing is selected */
  get #frame() {
    const { selection } = this.#parts;
    // Reading the size updates the version if a selected object was removed.
    const isEmpty = selection.size === 0;
    if (this.#cached.version !== selection.version) {
      const { sole, bounds, version } = selection;
      const frame = isEmpty || !bounds ? null : sole ? boxOf(sole) : { box: bounds, angle: 0 };
      this.#cached = { version, frame };
    }
    return this.#cached.frame;
  }

  /** Decides whether the handle is above or below. @param {Rotated} frame */
  #placeHandle(frame) {
    const { camera, view } = this.#parts;
    const isReachable = (/** @type {boolean} */ isBelow) => {
      const [x, y] = camera.toCanvas(...handleOf(frame, camera.scale, isBelow));
      return x >= SIDE && x <= view.width - SIDE && y >= TOP && y <= view.height - BOTTOM;
    };
    this.#isBelow = !isReachable(false) && isReachable(true);
  }
}
