/** The canvas that shows the picture of a past moment. Objects can be selected in it, but not changed. */

import { Selection } from '../edit/selection.js';
import { Camera } from '../model/camera.js';
import { overlap } from '../model/stroke.js';
import { BitmapCache } from '../render/bitmaps.js';
import { PreviewCache } from '../render/previews.js';
import { Renderer } from '../render/renderer.js';
import { TiledRenderer } from '../render/tiles/tiledRenderer.js';
import { MomentTool } from '../tools/momentTool.js';
import { PointerInput } from '../tools/pointerInput.js';
import { laterStrings } from '../i18n/later.js';
import { make } from './elements.js';
import { pageColors } from './itemView.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 *
 * @typedef {object} Parts
 * @property {import('../edit/pastScene.js').PastScene} past
 * @property {import('../model/item.js').ItemPainter} painter
 * @property {() => void} requestFrame
 * @property {Pick<typeof import('../app/session.js'), 'SheetContents' | 'SheetView'>} sessionModule
 */

/** The time without camera movement after which pictures are decoded. */
const CAMERA_REST_MS = 150;
/** The frame around a selected object, in pixels: its distance from the object, the radius of its corners, and its line width. */
const GAP = 3;
const CORNER = 4;
const LINE = 2;

export class PastView {
  canvas = make('canvas', { class: 'past', tabindex: '0', role: 'img', 'aria-label': laterStrings.pastPage });
  #marks = make('canvas', { class: 'past-marks', 'aria-hidden': 'true' });
  elements = [this.canvas, this.#marks];
  camera = new Camera();
  /** Returns the height of the bar at the bottom, in pixels. */
  covered = () => 0;
  #parts;
  #renderer;
  #tool;
  selection;
  sheetView;
  #bitmaps;
  #previews;
  /** @type {PointerInput | null} null while the canvas is not shown */
  #input = null;
  #lifetime = new AbortController();
  #arePicturesChanged = true;
  #cameraVersion = -1;
  #cameraMovedAt = -Infinity;
  #marked = '';

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { past, painter, requestFrame, sessionModule } = parts;
    const { shapes, items, scene, sheets } = past;
    this.#renderer = new Renderer(this.canvas, scene, this.camera, painter, requestFrame);
    this.#renderer.useTiles(TiledRenderer);
    this.selection = new Selection(shapes, items);
    this.#tool = new MomentTool(past, this.selection, () => this.camera.scale, requestFrame);
    this.sheetView = new sessionModule.SheetView({
      sheets,
      contents: new sessionModule.SheetContents(scene),
      scene,
      camera: this.camera,
      canvas: this.#renderer,
      // `open` sets the first view, so the sheet view chooses none.
      view: { isFirstView: false, showAtFirst: () => this.showEverything() },
      find: (id) => shapes.find(id) ?? items.find(id),
      isWorking: () => this.#input?.isWorking ?? false,
      finish: () => this.#input?.finish(),
      requestFrame,
    });
    const decoded = (/** @type {import('../model/item.js').Item} */ item) => past.pictureChanged(item);
    this.#bitmaps = new BitmapCache(items, decoded);
    this.#previews = new PreviewCache(items, decoded);
    const changed = () => {
      this.#arePicturesChanged = true;
    };
    items.observe({ shown: changed, changed, hidden: changed });
    scene.observe({ shown: requestFrame, changed: requestFrame, hidden: requestFrame });
    this.selection.addEventListener('change', requestFrame);
    document.addEventListener('themechange', () => {
      this.#renderer.redraw();
      this.#marked = '';
      requestFrame();
    });
    new ResizeObserver(requestFrame).observe(this.canvas);
  }

  /** Starts the input, and shows a part of the plane. @param {{ x: number, y: number, scale: number }} view */
  open(view) {
    this.#lifetime = new AbortController();
    this.#input = new PointerInput(this.canvas, this.camera, {
      tool: () => this.#tool,
      hovered: () => {},
      moved: this.#parts.requestFrame,
      signal: this.#lifetime.signal,
    });
    this.#resize();
    this.see(view);
  }

  /** Shows a part of the plane. @param {{ x: number, y: number, scale: number }} view */
  see({ x, y, scale }) {
    const { camera } = this;
    camera.zoom(scale / camera.scale, 0, 0);
    camera.pan((camera.x - x) * scale, (camera.y - y) * scale);
    this.#parts.requestFrame();
  }

  /** Ends the input, and clears the selection. The tiles and pictures are dropped when the scene is cleared. */
  close() {
    this.#lifetime.abort();
    this.#input = null;
    // The session may have ended in the middle of a movement.
    this.#tool.cancel();
    this.selection.choose([]);
  }

  /** Draws changes. @param {number} now milliseconds @returns {boolean} true if another frame is needed */
  frame(now) {
    this.#resize();
    this.sheetView.frame();
    this.#renderer.frame();
    this.#mark();
    return this.#updatePictures(now) || this.#renderer.hasPendingWork;
  }

  showEverything() {
    const { bounds } = this.#parts.past.scene.sheet;
    if (bounds) this.camera.fit(bounds, this.room.width, this.room.height);
    this.#parts.requestFrame();
  }

  /** True if a part of the picture is in view. */
  get isFilled() {
    const { bounds } = this.#parts.past.scene.sheet;
    return bounds !== null && overlap(bounds, this.camera.seen(this.room.width, this.room.height));
  }

  /** @param {number} factor */
  zoom(factor) {
    this.camera.zoom(factor, this.room.width / 2, this.room.height / 2);
    this.#parts.requestFrame();
  }

  /** @param {number} number of a sheet @returns {string} '' if it has none */
  nameOfSheet(number) {
    return this.#parts.past.sheets.find(number)?.name ?? '';
  }

  /** The part of the canvas that the bar at the bottom does not cover, in pixels. @returns {{ width: number, height: number }} */
  get room() {
    const { width, height } = this.#renderer;
    return { width, height: Math.max(1, height - this.covered()) };
  }

  #resize() {
    const { clientWidth, clientHeight } = this.canvas;
    const [width, height] = [clientWidth, clientHeight].map((side) => Math.round(side * devicePixelRatio));
    if (width === 0 || height === 0) return;
    this.#renderer.resize(width, height, devicePixelRatio);
  }

  /** @param {number} now @returns {boolean} true if it waits until the camera rests */
  #updatePictures(now) {
    const { camera } = this;
    if (this.#cameraVersion !== camera.version) {
      this.#cameraVersion = camera.version;
      this.#cameraMovedAt = now;
      this.#arePicturesChanged = true;
    }
    if (!this.#arePicturesChanged || this.#parts.past.items.size === 0) return false;
    if (now - this.#cameraMovedAt < CAMERA_REST_MS) return true;
    this.#arePicturesChanged = false;
    const { width, height, ratio } = this.#renderer;
    const seen = camera.seen(width, height);
    this.#bitmaps.update(seen, camera.scale * ratio);
    this.#previews.update(seen);
    return false;
  }

  /** Marks the chosen objects, and shows the box that the person draws. */
  #mark() {
    const { selection, camera } = this;
    const { width, height, ratio } = this.#renderer;
    const { box } = this.#tool;
    const marked = [selection.version, camera.version, width, height, ratio, ...Object.values(box ?? {})].join();
    const context = this.#marks.getContext('2d');
    if (marked === this.#marked || !context) return;
    this.#marked = marked;
    this.#marks.width = width * ratio;
    this.#marks.height = height * ratio;
    if (selection.size === 0 && !box) return;
    context.scale(ratio, ratio);
    const { accent } = pageColors();
    context.strokeStyle = accent;
    context.lineWidth = LINE;
    for (const one of [...selection.shapes, ...selection.items]) this.#outline(context, one.bounds);
    if (!box) return;
    context.fillStyle = accent;
    context.globalAlpha = 0.1;
    this.#outline(context, box);
    context.fill();
  }

  /** @param {CanvasRenderingContext2D} context @param {Bounds} bounds */
  #outline(context, { left, top, right, bottom }) {
    const { camera } = this;
    const [x, y] = camera.toCanvas(left, top);
    const [width, height] = [(right - left) * camera.scale, (bottom - top) * camera.scale];
    context.beginPath();
    context.roundRect(x - GAP, y - GAP, width + 2 * GAP, height + 2 * GAP, CORNER);
    context.stroke();
  }
}
