/** The tool for the picture of a past moment: a tap selects or deselects an object, and a drag selects all objects in a box. */

import { closedShapeAround, topmostAt, touching } from '../model/hitTest.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('./pointerInput.js').Sample} Sample
 */

/** The maximum distance from a shape, in pixels, because thin lines are hard to hit. */
const NEAR = 9;
/** The minimum distance of a drag, in pixels. A shorter movement is a tap. */
const SLOP = 4;

export class MomentTool {
  #plane;
  #selection;
  #scale;
  #changed;
  /** @type {Sample | null} */
  #from = null;
  /** The selected ids at the beginning of the movement. @type {ReadonlySet<string>} */
  #before = new Set();
  /** The box that the person draws. @type {Bounds | null} */
  box = null;

  /**
   * @param {import('../model/hitTest.js').Plane} plane @param {import('../edit/selection.js').Selection} selection
   * @param {() => number} scale pixels per point @param {() => void} changed the box has changed
   */
  constructor(plane, selection, scale, changed) {
    this.#plane = plane;
    this.#selection = selection;
    this.#scale = scale;
    this.#changed = changed;
  }

  /** @param {Sample} sample */
  begin(sample) {
    this.#from = sample;
    this.#before = new Set(this.#selection.ids);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    const [from, to] = [this.#from, samples.at(-1)];
    if (!from || !to || !this.box && Math.hypot(to.x - from.x, to.y - from.y) * this.#scale() < SLOP) return;
    this.box = {
      left: Math.min(from.x, to.x),
      top: Math.min(from.y, to.y),
      right: Math.max(from.x, to.x),
      bottom: Math.max(from.y, to.y),
    };
    this.#changed();
  }

  end() {
    const [from, box] = [this.#from, this.box];
    this.#finish();
    if (!from) return;
    if (box) this.#selection.choose([...this.#before, ...touching(this.#plane, box).map(({ id }) => id)]);
    else this.#tap(from);
  }

  cancel() {
    this.#finish();
  }

  /** @param {Sample} sample */
  #tap({ x, y }) {
    const hit = topmostAt(this.#plane, x, y, NEAR / this.#scale()) ?? closedShapeAround(this.#plane, x, y);
    if (hit) this.#selection.toggle(hit.id);
    else this.#selection.choose([]);
  }

  #finish() {
    this.#from = this.box = null;
    this.#changed();
  }
}
