/**
 * Draws shapes and items on a canvas, once a frame. Finished ones are on a layer behind it, so that thousands cost as little as
 * one. If there are too many for a layer, they are on tiles.
 */

import { Layer } from './layer.js';
import { overlap } from '../model/stroke.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/scene.js').Scene} Scene
 * @typedef {import('./tiles/tiledRenderer.js').TiledRenderer} TiledRenderer
 */

/** An unfinished stroke counts as finished if it has not grown for this time. */
const STILL_MS = 1500;
/** The time without camera movement after which the layer is repainted. Until then, it is shown shifted and scaled. */
const CAMERA_REST_MS = 120;
/** The maximum weight of a scene that is repainted even while the camera moves. */
const MAX_WEIGHT_IN_MOTION = 250;
/** A scene is painted on tiles above the first weight, until it is below the second one. */
const MIN_TILED_WEIGHT = 1500;
const MAX_UNTILED_WEIGHT = 700;

export class Renderer {
  #canvas;
  #context;
  #scene;
  #camera;
  #layer;
  #paint;
  #ink;
  #now;
  #requestFrame;
  /** @type {TiledRenderer | null} */
  #tiled = null;
  /** @type {typeof import('./tiles/tiledRenderer.js').TiledRenderer | null} null until it is loaded */
  #TiledRenderer = null;
  /** False after a worker has failed. */
  #canWork = true;
  /** True while the layer is still shown below missing tiles. */
  #isLayerUsable = false;
  /** @type {Map<Drawable, number>} the times of the last growth of unfinished drawables */
  #grownAt = new Map();
  #isDirty = true;
  #cameraVersion = 0;
  #cameraMovedAt = -Infinity;
  #cameraScale = 0;
  #cameraZoomedAt = -Infinity;
  #ratio = 1;

  /**
   * @param {HTMLCanvasElement} canvas @param {Scene} scene @param {Camera} camera
   * @param {{ paint: import('./layer.js').Paint, ink: string }} painter `ink`: the color of adaptive ink, which may change
   * @param {() => void} requestFrame @param {() => number} [now] milliseconds
   */
  constructor(canvas, scene, camera, painter, requestFrame, now = () => performance.now()) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.#scene = scene;
    this.#camera = camera;
    this.#paint = painter.paint.bind(painter);
    this.#ink = () => painter.ink;
    this.#requestFrame = requestFrame;
    this.#now = now;
    this.#layer = new Layer(canvas.ownerDocument.createElement('canvas'), this.#paint);
    scene.observe({
      shown: (drawable) => this.#tiled ? this.#tiled.shown(drawable) : this.#changed(drawable),
      changed: (drawable) => this.#tiled ? this.#tiled.changed(drawable) : this.#changed(drawable),
      hidden: (drawable) => this.#tiled ? this.#tiled.hidden(drawable) : this.#hidden(drawable),
      repainted: (drawable) => this.#tiled ? this.#tiled.changed(drawable) : this.#changed(drawable),
    });
  }

  get width() {
    return this.#canvas.width / this.#ratio;
  }

  get height() {
    return this.#canvas.height / this.#ratio;
  }

  /** Device pixels per CSS pixel. */
  get ratio() {
    return this.#ratio;
  }

  /**
   * Paints large scenes on tiles from now on.
   * @param {typeof import('./tiles/tiledRenderer.js').TiledRenderer} TiledRenderer
   */
  useTiles(TiledRenderer) {
    this.#TiledRenderer = TiledRenderer;
    this.#requestFrame();
  }

  /** @param {number} width @param {number} height of the canvas in device pixels @param {number} ratio of these to CSS pixels */
  resize(width, height, ratio) {
    if (this.#canvas.width === width && this.#canvas.height === height && this.#ratio === ratio) return;
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.#ratio = ratio;
    this.#layer.resize(width, height);
    this.#isLayerUsable = false;
    this.#isDirty = true;
  }

  /** True if the scene is painted on tiles, so that changes may appear later. */
  get isLarge() {
    return this.#tiled !== null;
  }

  /** True while later frames will change without any input, for example because tiles are missing. */
  get hasPendingWork() {
    return this.#isDirty || this.#grownAt.size > 0 || (this.#tiled?.hasPendingWork ?? false);
  }

  /** Draws everything again in the next frame. */
  redraw() {
    this.#layer.forget();
    this.#tiled?.redraw();
    this.#isDirty = true;
  }

  /** Draws a frame if something has changed. @returns {boolean} true if it was drawn */
  frame() {
    const isMoving = this.#followCamera();
    this.#chooseRenderer();
    if (this.#tiled) return this.#tiledFrame(this.#tiled);
    if (!this.#isDirty && !this.#hasGoneStill()) return false;
    this.#isDirty = isMoving;
    const live = this.#drawLayer(isMoving && this.#scene.weight > MAX_WEIGHT_IN_MOTION);
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#layer.show(context, this.#transform());
    this.#layer.paintOn(context, this.#transform(), live);
    return true;
  }

  /** Chooses tiles or the layer, by the weight of the scene. */
  #chooseRenderer() {
    if (!this.#tiled && this.#TiledRenderer && this.#scene.weight > MIN_TILED_WEIGHT) {
      this.#tiled = new this.#TiledRenderer(this.#scene.all, {
        paint: this.#paint,
        ink: this.#ink,
        requestFrame: this.#requestFrame,
        now: this.#now,
        newCanvas: (width, height) => {
          const canvas = this.#canvas.ownerDocument.createElement('canvas');
          return Object.assign(canvas, { width, height });
        },
      }, this.#canWork ? () => this.#workerBroke() : null);
      this.#grownAt.clear();
      this.#isLayerUsable = true;
    } else if (this.#tiled && this.#scene.weight < MAX_UNTILED_WEIGHT) this.#stopTiles();
  }

  #stopTiles() {
    this.#tiled?.stop();
    this.#tiled = null;
    this.redraw();
  }

  #workerBroke() {
    this.#canWork = false;
    this.#stopTiles();
    this.#requestFrame();
  }

  /** @param {TiledRenderer} tiled @returns {boolean} true if it was drawn */
  #tiledFrame(tiled) {
    if (this.#isDirty) tiled.markDirty();
    const transform = this.#transform();
    const { width, height } = this.#canvas;
    const isZooming = this.#now() - this.#cameraZoomedAt < CAMERA_REST_MS;
    // While the camera zooms, the next frame checks again.
    this.#isDirty = isZooming;
    const under = () => this.#isLayerUsable && this.#layer.show(this.#context, transform);
    this.#isLayerUsable &&= !tiled.hasOverview;
    return tiled.frame(this.#context, { transform, width, height, bounds: this.#scene.sheet.bounds }, isZooming, under);
  }

  /** Brings the layer up to date. @param {boolean} isMoving @returns {Drawable[]} the drawables above the layer */
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

  /** @returns {boolean} true if the camera moves, or has not rested long enough */
  #followCamera() {
    if (this.#cameraVersion !== this.#camera.version) {
      this.#cameraVersion = this.#camera.version;
      this.#cameraMovedAt = this.#now();
      this.#isDirty = true;
      if (this.#cameraScale !== this.#camera.scale) this.#cameraZoomedAt = this.#now();
      this.#cameraScale = this.#camera.scale;
    }
    return this.#now() - this.#cameraMovedAt < CAMERA_REST_MS;
  }

  /** @param {Drawable} drawable */
  #isLive(drawable) {
    const grew = this.#grownAt.get(drawable);
    return grew !== undefined && this.#now() - grew < STILL_MS;
  }

  #hasGoneStill() {
    let has = false;
    for (const [drawable, grew] of this.#grownAt) {
      if (this.#now() - grew < STILL_MS) continue;
      this.#grownAt.delete(drawable);
      has = true;
    }
    return has;
  }

  /** @param {Drawable} drawable */
  #changed(drawable) {
    if (drawable.isFinished) this.#grownAt.delete(drawable);
    else if (this.#layer.version(drawable) !== drawable.version) this.#grownAt.set(drawable, this.#now());
    this.#isDirty = true;
  }

  /** @param {Drawable} drawable */
  #hidden(drawable) {
    this.#grownAt.delete(drawable);
    this.#isDirty = true;
  }

  /** @returns {import('./layer.js').ViewTransform} from the plane to device pixels */
  #transform() {
    const scale = this.#camera.scale * this.#ratio;
    // Whole pixels, so that a painted layer stays sharp when it is shifted.
    return { scale, x: Math.round(-this.#camera.x * scale), y: Math.round(-this.#camera.y * scale) };
  }
}
