/** Draws strokes on a canvas, once a frame. Finished ones lie on a layer behind, so that thousands cost as little as one. */

import { Layer } from './layer.js';
import { overlap } from './stroke.js';

/**
 * @typedef {import('./camera.js').Camera} Camera
 * @typedef {import('./stroke.js').Stroke} Stroke
 * @typedef {import('./strokes.js').Strokes} Strokes
 */

/** A stroke that nobody finishes counts as finished when it has not grown for so long. */
const STILL_MS = 1500;
/** Until the camera rests this long, the layer is shown shifted and scaled. */
const CAMERA_REST_MS = 120;
/** So few strokes are drawn anew even while the camera moves. */
const FEW = 250;

export class Renderer {
  #canvas;
  #context;
  #strokes;
  #camera;
  #layer;
  #now;
  /** @type {Map<Stroke, number>} when those that are not finished grew last */
  #grew = new Map();
  #isDirty = true;
  #cameraVersion = 0;
  #cameraMovedAt = -Infinity;
  #ratio = 1;

  /**
   * @param {HTMLCanvasElement} canvas @param {Strokes} strokes @param {Camera} camera
   * @param {() => number} [now] milliseconds
   */
  constructor(canvas, strokes, camera, now = () => performance.now()) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.#strokes = strokes;
    this.#camera = camera;
    this.#now = now;
    this.#layer = new Layer(canvas.ownerDocument.createElement('canvas'));
    strokes.watch({
      shown: (stroke) => this.#changed(stroke),
      changed: (stroke) => this.#changed(stroke),
      hidden: (stroke) => this.#hidden(stroke),
    });
  }

  get width() {
    return this.#canvas.width / this.#ratio;
  }

  get height() {
    return this.#canvas.height / this.#ratio;
  }

  /** @param {number} width @param {number} height of the canvas in device pixels @param {number} ratio of these to CSS pixels */
  resize(width, height, ratio) {
    if (this.#canvas.width === width && this.#canvas.height === height && this.#ratio === ratio) return;
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.#ratio = ratio;
    this.#layer.resize(width, height);
    this.#isDirty = true;
  }

  /** Whether something will look different later though nothing is done: a camera at rest, a stroke gone still. */
  get isUnsettled() {
    return this.#isDirty || this.#grew.size > 0;
  }

  /** The next frame draws everything anew. */
  redraw() {
    this.#layer.forget();
    this.#isDirty = true;
  }

  /** Draws, if there is something new to see. @returns {boolean} whether it did */
  frame() {
    const isMoving = this.#followCamera();
    if (!this.#isDirty && !this.#hasGoneStill()) return false;
    this.#isDirty = isMoving;
    const live = this.#drawLayer(isMoving && this.#strokes.size > FEW);
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#layer.show(context, this.#transform());
    this.#layer.paintOn(context, this.#transform(), live);
    return true;
  }

  /** Brings the layer up to date. @param {boolean} isMoving @returns {Stroke[]} what is above it */
  #drawLayer(isMoving) {
    const strokes = this.#strokes.all;
    const first = strokes.findIndex((stroke) => this.#isLive(stroke));
    const still = first < 0 ? strokes : strokes.slice(0, first);
    if (!isMoving) {
      const seen = this.#camera.seen(this.width, this.height);
      this.#layer.update(still, this.#transform(), (stroke) => overlap(stroke.bounds, seen));
    }
    return first < 0 ? [] : strokes.slice(first);
  }

  /** @returns {boolean} whether the camera moves, or has not rested long enough */
  #followCamera() {
    if (this.#cameraVersion !== this.#camera.version) {
      this.#cameraVersion = this.#camera.version;
      this.#cameraMovedAt = this.#now();
      this.#isDirty = true;
    }
    return this.#now() - this.#cameraMovedAt < CAMERA_REST_MS;
  }

  /** @param {Stroke} stroke */
  #isLive(stroke) {
    const grew = this.#grew.get(stroke);
    return grew !== undefined && this.#now() - grew < STILL_MS;
  }

  #hasGoneStill() {
    let has = false;
    for (const [stroke, grew] of this.#grew) {
      if (this.#now() - grew < STILL_MS) continue;
      this.#grew.delete(stroke);
      has = true;
    }
    return has;
  }

  /** @param {Stroke} stroke */
  #changed(stroke) {
    if (stroke.isFinished) this.#grew.delete(stroke);
    else if (this.#layer.version(stroke) !== stroke.version) this.#grew.set(stroke, this.#now());
    this.#isDirty = true;
  }

  /** @param {Stroke} stroke */
  #hidden(stroke) {
    this.#grew.delete(stroke);
    this.#isDirty = true;
  }

  /** @returns {import('./layer.js').Transform} from the plane to device pixels */
  #transform() {
    const scale = this.#camera.scale * this.#ratio;
    return { scale, x: -this.#camera.x * scale, y: -this.#camera.y * scale };
  }
}
