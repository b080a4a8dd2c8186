/**
 * Draws strokes and pictures on a canvas, once a frame. What is finished lies on a layer behind, so that thousands cost as
 * little as one.
 */

import { Layer } from './layer.js';
import { overlap } from './stroke.js';

/**
 * @typedef {import('./camera.js').Camera} Camera
 * @typedef {import('./scene.js').Drawable} Drawable
 * @typedef {import('./scene.js').Scene} Scene
 */

/** A stroke that nobody finishes counts as finished when it has not grown for so long. */
const STILL_MS = 1500;
/** Until the camera rests this long, the layer is shown shifted and scaled. */
const CAMERA_REST_MS = 120;
/** So little is drawn anew even while the camera moves. */
const FEW = 250;

export class Renderer {
  #canvas;
  #context;
  #scene;
  #camera;
  #layer;
  #now;
  /** @type {Map<Drawable, number>} when those that are not finished grew last */
  #grew = new Map();
  #isDirty = true;
  #cameraVersion = 0;
  #cameraMovedAt = -Infinity;
  #ratio = 1;

  /**
   * @param {HTMLCanvasElement} canvas @param {Scene} scene @param {Camera} camera
   * @param {import('./layer.js').Paint} paint
   * @param {() => number} [now] milliseconds
   */
  constructor(canvas, scene, camera, paint, now = () => performance.now()) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.#scene = scene;
    this.#camera = camera;
    this.#now = now;
    this.#layer = new Layer(canvas.ownerDocument.createElement('canvas'), paint);
    scene.watch({
      shown: (drawable) => this.#changed(drawable),
      changed: (drawable) => this.#changed(drawable),
      hidden: (drawable) => this.#hidden(drawable),
    });
  }

  get width() {
    return this.#canvas.width / this.#ratio;
  }

  get height() {
    return this.#canvas.height / this.#ratio;
  }

  /** Device pixels a pixel of CSS. */
  get ratio() {
    return this.#ratio;
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
    const live = this.#drawLayer(isMoving && this.#scene.weight > FEW);
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#layer.show(context, this.#transform());
    this.#layer.paintOn(context, this.#transform(), live);
    return true;
  }

  /** Brings the layer up to date. @param {boolean} isMoving @returns {Drawable[]} what is above it */
  #drawLayer(isMoving) {
    const all = this.#scene.all;
    const first = all.findIndex((drawable) => this.#isLive(drawable));
    const still = first < 0 ? all : all.slice(0, first);
    if (!isMoving) {
      const seen = this.#camera.seen(this.width, this.height);
      this.#layer.update(still, this.#transform(), ({ bounds }) => overlap(bounds, seen));
    }
    return first < 0 ? [] : all.slice(first);
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

  /** @param {Drawable} drawable */
  #isLive(drawable) {
    const grew = this.#grew.get(drawable);
    return grew !== undefined && this.#now() - grew < STILL_MS;
  }

  #hasGoneStill() {
    let has = false;
    for (const [drawable, grew] of this.#grew) {
      if (this.#now() - grew < STILL_MS) continue;
      this.#grew.delete(drawable);
      has = true;
    }
    return has;
  }

  /** @param {Drawable} drawable */
  #changed(drawable) {
    if (drawable.isFinished) this.#grew.delete(drawable);
    else if (this.#layer.version(drawable) !== drawable.version) this.#grew.set(drawable, this.#now());
    this.#isDirty = true;
  }

  /** @param {Drawable} drawable */
  #hidden(drawable) {
    this.#grew.delete(drawable);
    this.#isDirty = true;
  }

  /** @returns {import('./layer.js').Transform} from the plane to device pixels */
  #transform() {
    const scale = this.#camera.scale * this.#ratio;
    return { scale, x: -this.#camera.x * scale, y: -this.#camera.y * scale };
  }
}
