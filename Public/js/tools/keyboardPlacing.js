/** The placement of shapes and texts by a key. */

import { freePlace } from '../model/freePlace.js';
import { Text } from '../model/text.js';
import { freeView } from '../model/viewPlace.js';
import { sampleAt } from './keyboardPointer.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('./pointerInput.js').Tool} Tool
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {Pick<import('../edit/drawing.js').Drawing, 'nextZ'>} drawing
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {boolean} [isFromRight] true if the person writes from right to left
 */

/** The size of a new shape and the gap between shapes, in pixels. */
const WIDTH = 160;
const HEIGHT = 100;
const NOTE_SIDE = 160;
const GAP = 24;
/** The room for a new text, in pixels. */
const TEXT_WIDTH = 200;
const TEXT_HEIGHT = 60;
/** The maximum number of placed objects that are remembered. */
const MAX_REMEMBERED = 100;
/** The tools whose new lines are horizontal. */
const FLAT = ['line', 'arrow'];

/** Places objects in the middle of the view, or beside objects that were placed before. */
export class KeyboardPlacing {
  #parts;
  /** The ids of the objects that were placed. @type {string[]} */
  #placed = [];

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Draws a shape with its tool. @param {string} name of the tool @param {Tool} tool @returns {Shape[]} the new shapes */
  place(name, tool) {
    const height = FLAT.includes(name) ? 0 : name === 'note' ? NOTE_SIDE : HEIGHT;
    const { center: [x, y], size } = this.#freePlace(WIDTH, height, this.#earlier);
    const from = this.#parts.drawing.nextZ;
    tool.begin(sampleAt(x - size.width / 2, y - size.height / 2));
    tool.move([sampleAt(x + size.width / 2, y + size.height / 2)]);
    tool.end();
    return this.#remembered(this.#from(from));
  }

  /** @returns {[number, number]} the start of the first line of a new text that covers no earlier object */
  get textPoint() {
    const { index, camera, view, isFromRight } = this.#parts;
    const texts = index.within(freeView(camera, view)).filter((shape) => shape instanceof Text);
    const { center: [x, y], size } = this.#freePlace(TEXT_WIDTH, TEXT_HEIGHT, [...texts, ...this.#earlier]);
    return [isFromRight ? x + size.width / 2 : x - size.width / 2, y];
  }

  /**
   * Ends the use of a tool by a pointer.
   * @param {import('./keyboardPointer.js').KeyboardPointer} pointer @param {number} from the lowest `z` that the tool could use
   * @returns {Shape[]} the shapes that this person has drawn with it
   */
  endDrawing(pointer, from) {
    const { shapes } = this.#parts;
    // Other participants may have added shapes since then, so only drafts count.
    const drafts = this.#from(from).filter(({ id }) => shapes.pendingEdit(id)?.isDraft);
    pointer.lift();
    return this.#remembered(drafts.filter(({ id }) => shapes.find(id)));
  }

  /** Remembers an object, so that later ones are placed beside it. @param {string} id */
  remember(id) {
    this.#placed = [...this.#placed.filter((one) => one !== id), id].slice(-MAX_REMEMBERED);
  }

  /** @param {number} z @returns {Shape[]} the shapes from this `z` on, lowest first */
  #from(z) {
    const { all } = this.#parts.shapes;
    return all.slice(all.findLastIndex((shape) => shape.z < z) + 1);
  }

  /** @param {Shape[]} shapes @returns {Shape[]} the same shapes */
  #remembered(shapes) {
    for (const { id } of shapes) this.remember(id);
    return shapes;
  }

  /** @returns {Shape[]} the placed objects that still exist, the latest last */
  get #earlier() {
    const { shapes } = this.#parts;
    return this.#placed.map((id) => shapes.find(id)).filter((shape) => shape !== null);
  }

  /**
   * @param {number} width @param {number} height in pixels; smaller in a small view
   * @param {Shape[]} earlier the objects that must not be covered, the latest last
   */
  #freePlace(width, height, earlier) {
    const { camera, view } = this.#parts;
    const free = freeView(camera, view);
    const size = {
      width: Math.min(width / camera.scale, (free.right - free.left) / 2),
      height: Math.min(height / camera.scale, (free.bottom - free.top) / 2),
    };
    const center = freePlace(free, size, earlier.map(({ bounds }) => bounds), GAP / camera.scale);
    return { size, center };
  }
}
