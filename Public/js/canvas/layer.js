/** A canvas behind the canvas, with the strokes that no longer change. Only what differs is painted again. */

import { strokePath } from './strokePath.js';

/**
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {{ scale: number, x: number, y: number }} Transform from the plane to device pixels
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Box in device pixels, whole ones
 */

/** With more places than this to mend, all is painted anew. */
const MAXIMUM_BOXES = 12;

export class Layer {
  #canvas;
  #context;
  /** @type {Map<Stroke, { version: number, box: Box }>} what is on it, in the order of painting */
  #painted = new Map();
  /** @type {Transform | null} null: nothing of it is good */
  #transform = null;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.forget();
  }

  forget() {
    this.#transform = null;
  }

  /** @param {Stroke} stroke @returns {number | undefined} the version of it that is painted */
  version(stroke) {
    return this.#painted.get(stroke)?.version;
  }

  /**
   * Makes the layer show these strokes.
   * @param {readonly Stroke[]} strokes in the order of drawing @param {Transform} transform @param {(stroke: Stroke) => boolean} isSeen
   */
  update(strokes, transform, isSeen) {
    if (!this.#transform || !same(this.#transform, transform)) return this.#paintAll(strokes, transform, isSeen);
    const { added, boxes } = this.#difference(strokes);
    if (boxes.length > MAXIMUM_BOXES) return this.#paintAll(strokes, transform, isSeen);
    for (const stroke of added) this.#paint(stroke);
    for (const box of boxes) this.#mend(strokes, box);
  }

  /** @param {CanvasRenderingContext2D} context @param {Transform} now where the camera is; the layer may be behind */
  show(context, now) {
    const then = this.#transform ?? now;
    const scale = now.scale / then.scale;
    context.setTransform(scale, 0, 0, scale, now.x - then.x * scale, now.y - then.y * scale);
    if (this.#canvas.width > 0) context.drawImage(this.#canvas, 0, 0);
  }

  /** @param {CanvasRenderingContext2D} context @param {Transform} transform @param {Iterable<Stroke>} strokes */
  paintOn(context, transform, strokes) {
    context.setTransform(transform.scale, 0, 0, transform.scale, transform.x, transform.y);
    for (const stroke of strokes) {
      context.fillStyle = stroke.rgb;
      context.fill(strokePath(stroke));
    }
  }

  /** @param {readonly Stroke[]} strokes @param {Transform} transform @param {(stroke: Stroke) => boolean} isSeen */
  #paintAll(strokes, transform, isSeen) {
    this.#transform = transform;
    this.#painted.clear();
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    for (const stroke of strokes) {
      if (isSeen(stroke)) this.#paint(stroke);
      else this.#painted.set(stroke, { version: stroke.version, box: this.#box(stroke) });
    }
  }

  /**
   * @param {readonly Stroke[]} strokes
   * @returns {{ added: Stroke[], boxes: Box[] }} what goes on top of all that is there, and where to mend the rest
   */
  #difference(strokes) {
    /** @type {Box[]} */
    const boxes = [];
    const wanted = new Set(strokes);
    for (const [stroke, { version, box }] of this.#painted) {
      if (wanted.has(stroke) && version === stroke.version) continue;
      boxes.push(box);
      this.#painted.delete(stroke);
    }
    let last = strokes.length - 1;
    while (last >= 0 && !this.#painted.has(strokes[last])) last -= 1;
    for (const stroke of strokes.slice(0, last + 1)) {
      if (this.#painted.has(stroke)) continue;
      const box = this.#box(stroke);
      boxes.push(box);
      this.#painted.set(stroke, { version: stroke.version, box });
    }
    return { added: strokes.slice(last + 1), boxes };
  }

  /** @param {Stroke} stroke */
  #paint(stroke) {
    this.#painted.set(stroke, { version: stroke.version, box: this.#box(stroke) });
    this.paintOn(this.#context, /** @type {Transform} */ (this.#transform), [stroke]);
  }

  /** @param {readonly Stroke[]} strokes @param {Box} box */
  #mend(strokes, box) {
    const context = this.#context;
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    context.rect(box.left, box.top, width, height);
    context.clip();
    context.clearRect(box.left, box.top, width, height);
    const inBox = strokes.filter((stroke) => meet(this.#painted.get(stroke)?.box, box));
    this.paintOn(context, /** @type {Transform} */ (this.#transform), inBox);
    context.restore();
  }

  /** @param {Stroke} stroke @returns {Box} */
  #box({ bounds }) {
    const { scale, x, y } = /** @type {Transform} */ (this.#transform);
    return {
      left: Math.floor(bounds.left * scale + x) - 1,
      top: Math.floor(bounds.top * scale + y) - 1,
      right: Math.ceil(bounds.right * scale + x) + 1,
      bottom: Math.ceil(bounds.bottom * scale + y) + 1,
    };
  }
}

/** @param {Transform} a @param {Transform} b */
function same(a, b) {
  return a.scale === b.scale && a.x === b.x && a.y === b.y;
}

/** @param {Box | undefined} a @param {Box} b */
function meet(a, b) {
  return a !== undefined && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
