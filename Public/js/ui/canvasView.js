/** The view of the canvas: its size, the dots of the paper, the zoom, and the hint on an empty page. */

import { MIN_SCALE } from '../model/camera.js';
import { overlap } from '../model/stroke.js';
import { strings } from '../i18n/i18n.js';
import { element } from './elements.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {import('../render/renderer.js').Renderer} Renderer
 * @typedef {import('../model/scene.js').Scene} Scene
 */

/** The factor of one zoom step. */
export const CLOSER = 1.25;
const DOTS = 28;
/** The minimum distance of dots, in pixels. Closer dots would look like noise. */
const MIN_DOT_DISTANCE = 14;

export class CanvasView {
  #canvas = /** @type {HTMLCanvasElement} */ (element('canvas'));
  #fit = element('fit');
  #renderer;
  #scene;
  #camera;
  #requestFrame;
  #cameraVersion = -1;
  /** The version of the camera after `showAtFirst` moved it. */
  #shownVersion = -1;
  #isPictureNew = true;
  #hint = '';

  /** @param {Renderer} renderer @param {Scene} scene @param {Camera} camera @param {() => void} requestFrame */
  constructor(renderer, scene, camera, requestFrame) {
    this.#renderer = renderer;
    this.#scene = scene;
    this.#camera = camera;
    this.#requestFrame = requestFrame;
    const { width, height } = this.#canvas.getBoundingClientRect();
    renderer.resize(Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio), devicePixelRatio);
    const observer = new ResizeObserver((entries) => {
      this.#resized(entries[0]);
      requestFrame();
    });
    try {
      observer.observe(this.#canvas, { box: 'device-pixel-content-box' });
    } catch {
      observer.observe(this.#canvas);
    }
    this.#fit.addEventListener('click', () => this.showEverything());
    element('zoom-in').addEventListener('click', () => this.zoom(CLOSER));
    element('zoom-out').addEventListener('click', () => this.zoom(1 / CLOSER));
    element('zoom-level').addEventListener('click', () => camera.scale === 1 ? this.showEverything() : this.zoomTo(1));
  }

  /** Draws changes. @returns {boolean} true if another frame is needed */
  frame() {
    if (this.#cameraVersion !== this.#camera.version) this.#moved();
    if (this.#isPictureNew) this.#describe();
    this.#renderer.frame();
    return this.#renderer.hasPendingWork;
  }

  /** True if the camera has not moved since `showAtFirst` handled a drawing that the initial view does not contain. */
  get isFirstView() {
    return this.#camera.version === this.#shownVersion;
  }

  /** Shows the initial view if it contains the whole drawing; otherwise zooms out until the whole drawing is visible. */
  showEverything() {
    const { bounds } = this.#scene.sheet;
    if (!bounds || this.#isHomeEnough(bounds)) this.#camera.home();
    else this.#camera.fit(bounds, this.#renderer.width, this.#renderer.height);
    this.#requestFrame();
  }

  /**
   * Shows the whole drawing if a part of it is outside of the initial view, for example because it was drawn on a larger screen.
   * Called again while the drawing arrives. Has no effect after the person moved the camera.
   */
  showAtFirst() {
    const { bounds } = this.#scene.sheet;
    if (!bounds) return this.#camera.home();
    if (!this.#camera.isHome && !this.isFirstView) return;
    const { width, height } = this.#renderer;
    const { left, top, right, bottom } = this.#camera.seen(width, height);
    const isSeen = bounds.left >= left && bounds.top >= top && bounds.right <= right && bounds.bottom <= bottom;
    if (isSeen || this.#isHomeEnough(bounds)) return;
    const scale = Math.min(width / (bounds.right - bounds.left), height / (bounds.bottom - bounds.top));
    // Until the sheets are known, the objects of several sheets look like one drawing that is too large.
    if (scale >= MIN_SCALE) this.showEverything();
    this.#shownVersion = this.#camera.version;
  }

  /** Zooms about the center of the canvas. @param {number} factor */
  zoom(factor) {
    this.#camera.zoom(factor, this.#renderer.width / 2, this.#renderer.height / 2);
    this.#requestFrame();
  }

  /** @param {number} scale 1: the actual size */
  zoomTo(scale) {
    this.zoom(scale / this.#camera.scale);
  }

  /**
   * Updates the hint and the summary in the next frame, after a change of the drawing.
   * @param {string} hint the text on an empty page
   */
  changed(hint) {
    this.#isPictureNew = true;
    this.#hint = hint;
  }

  #describe() {
    this.#isPictureNew = false;
    element('hint').toggleAttribute('data-gone', !this.#scene.sheet.isEmpty);
    element('hint').textContent = this.#hint;
    element('summary').textContent = summary(this.#scene.sheet);
    this.#showFit();
  }

  /** @param {import('../model/stroke.js').Bounds} bounds @returns {boolean} true if the initial view shows all of it */
  #isHomeEnough({ left, top, right, bottom }) {
    const { homeX, homeY } = this.#camera;
    return left >= homeX - 8 && top >= homeY - 8 && right <= homeX + this.#renderer.width + 8 &&
      bottom <= homeY + this.#renderer.height + 8;
  }

  #moved() {
    this.#cameraVersion = this.#camera.version;
    const { x, y, scale } = this.#camera;
    let size = DOTS * scale;
    while (size < MIN_DOT_DISTANCE) size *= 4;
    const { style } = this.#canvas;
    style.backgroundSize = `${size}px ${size}px`;
    style.backgroundPosition = `${-x * scale - size / 2}px ${-y * scale - size / 2}px`;
    this.#showFit();
  }

  /** Shows the button that resets the view, if no part of the drawing is visible or the scale is not 100 %. */
  #showFit() {
    const { bounds } = this.#scene.sheet;
    const seen = this.#camera.seen(this.#renderer.width, this.#renderer.height);
    const isLost = bounds !== null && !overlap(bounds, seen);
    this.#fit.hidden = !isLost && this.#camera.scale === 1;
    this.#fit.toggleAttribute('data-lost', isLost);
    const percent = strings.percent(Math.round(this.#camera.scale * 100));
    element('fit-label').textContent = isLost ? strings.showEverything : percent;
    element('zoom-level').textContent = percent;
  }

  /** @param {ResizeObserverEntry} entry */
  #resized({ devicePixelContentBoxSize, contentRect }) {
    const ratio = devicePixelRatio;
    const exact = devicePixelContentBoxSize?.[0];
    const width = pixels(contentRect.width * ratio, exact?.inlineSize);
    const height = pixels(contentRect.height * ratio, exact?.blockSize);
    this.#renderer.resize(width, height, ratio);
    // Draws at once, because the canvas would be empty until the next frame.
    this.#renderer.frame();
  }
}

/** @param {Scene['sheet']} sheet */
function summary({ strokes, pictures, files, isEmpty }) {
  if (isEmpty) return strings.nothingDrawn;
  const lines = [];
  if (strokes > 0) lines.push(strings.strokesDrawn(strokes));
  if (pictures + files > 0) lines.push(strings.itemsOnPage(pictures, files));
  return lines.join(' ');
}

/**
 * Returns the exact number of device pixels, unless it is wrong: a browser that emulates another screen reports its own pixels.
 * @param {number} expected @param {number | undefined} exact
 */
function pixels(expected, exact) {
  return exact !== undefined && Math.abs(exact - expected) < 2 ? exact : Math.round(expected);
}
