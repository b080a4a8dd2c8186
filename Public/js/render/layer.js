/** A canvas behind the visible one, with the strokes and items that no longer change. It repaints only the changed parts. */

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {(context: CanvasRenderingContext2D, drawable: Drawable) => void} Paint in points of the plane
 * @typedef {{ scale: number, x: number, y: number }} ViewTransform from the plane to device pixels
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Box in whole device pixels
 */

/** The maximum number of parts to repaint. With more of them, the whole layer is painted again. */
const MAX_BOXES = 12;

export class Layer {
  #canvas;
  #context;
  #paintOne;
  /** @type {Map<Drawable, { version: number, box: Box }>} the painted drawables, in the order of painting */
  #painted = new Map();
  /** @type {ViewTransform | null} null: the layer must be painted again */
  #transform = null;

  /** @param {HTMLCanvasElement} canvas @param {Paint} paint */
  constructor(canvas, paint) {
    this.#canvas = canvas;
    this.#paintOne = paint;
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

  /** @param {Drawable} drawable @returns {number | undefined} its painted version */
  version(drawable) {
    return this.#painted.get(drawable)?.version;
  }

  /**
   * Updates the layer so that it shows exactly these drawables.
   * @param {readonly Drawable[]} drawables in the order of drawing @param {ViewTransform} transform
   * @param {(drawable: Drawable) => boolean} isSeen
   */
  update(drawables, transform, isSeen) {
    if (!this.#transform || !same(this.#transform, transform)) return this.#paintAll(drawables, transform, isSeen);
    const { added, boxes } = this.#difference(drawables);
    if (boxes.length > MAX_BOXES) return this.#paintAll(drawables, transform, isSeen);
    for (const drawable of added) this.#paint(drawable);
    for (const box of boxes) this.#mend(drawables, box);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {ViewTransform} now the camera's transform; the layer may still have an earlier one
   */
  show(context, now) {
    const then = this.#transform ?? now;
    const scale = now.scale / then.scale;
    context.setTransform(scale, 0, 0, scale, now.x - then.x * scale, now.y - then.y * scale);
    if (this.#canvas.width > 0) context.drawImage(this.#canvas, 0, 0);
  }

  /** @param {CanvasRenderingContext2D} context @param {ViewTransform} transform @param {Iterable<Drawable>} drawables */
  paintOn(context, transform, drawables) {
    context.setTransform(transform.scale, 0, 0, transform.scale, transform.x, transform.y);
    for (const drawable of drawables) {
      this.#paintOne(context, drawable);
    }
  }

  /** @param {readonly Drawable[]} drawables @param {ViewTransform} transform @param {(drawable: Drawable) => boolean} isSeen */
  #paintAll(drawables, transform, isSeen) {
    this.#transform = transform;
    this.#painted.clear();
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    for (const drawable of drawables) {
      if (isSeen(drawable)) this.#paint(drawable);
      else this.#painted.set(drawable, { version: drawable.version, box: this.#box(drawable) });
    }
  }

  /**
   * @param {readonly Drawable[]} drawables
   * @returns {{ added: Drawable[], boxes: Box[] }} the drawables above all painted ones, and the parts to repaint
   */
  #difference(drawables) {
    /** @type {Box[]} */
    const boxes = [];
    const wanted = new Set(drawables);
    for (const [drawable, { version, box }] of this.#painted) {
      if (wanted.has(drawable) && version === drawable.version) continue;
      boxes.push(box);
      this.#painted.delete(drawable);
    }
    let last = drawables.length - 1;
    while (last >= 0 && !this.#painted.has(drawables[last])) last -= 1;
    for (const drawable of drawables.slice(0, last + 1)) {
      if (this.#painted.has(drawable)) continue;
      const box = this.#box(drawable);
      boxes.push(box);
      this.#painted.set(drawable, { version: drawable.version, box });
    }
    return { added: drawables.slice(last + 1), boxes };
  }

  /** @param {Drawable} drawable */
  #paint(drawable) {
    this.#painted.set(drawable, { version: drawable.version, box: this.#box(drawable) });
    this.paintOn(this.#context, /** @type {ViewTransform} */ (this.#transform), [drawable]);
  }

  /** @param {readonly Drawable[]} drawables @param {Box} box */
  #mend(drawables, box) {
    const context = this.#context;
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    context.rect(box.left, box.top, width, height);
    context.clip();
    context.clearRect(box.left, box.top, width, height);
    const inBox = drawables.filter((drawable) => meet(this.#painted.get(drawable)?.box, box));
    this.paintOn(context, /** @type {ViewTransform} */ (this.#transform), inBox);
    context.restore();
  }

  /** @param {Drawable} drawable @returns {Box} */
  #box({ bounds }) {
    const { scale, x, y } = /** @type {ViewTransform} */ (this.#transform);
    return {
      left: Math.floor(bounds.left * scale + x) - 1,
      top: Math.floor(bounds.top * scale + y) - 1,
      right: Math.ceil(bounds.right * scale + x) + 1,
      bottom: Math.ceil(bounds.bottom * scale + y) + 1,
    };
  }
}

/** @param {ViewTransform} a @param {ViewTransform} b */
function same(a, b) {
  return a.scale === b.scale && a.x === b.x && a.y === b.y;
}

/** @param {Box | undefined} a @param {Box} b */
function meet(a, b) {
  return a !== undefined && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
