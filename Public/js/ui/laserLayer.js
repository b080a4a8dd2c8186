/** The laser trails, on a canvas above the drawing. The canvas exists only while there are trails. */

import { FADE_MS } from '../protocol/laserTrails.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {import('../protocol/laserTrails.js').LaserTrails} LaserTrails
 * @typedef {import('../protocol/laserTrails.js').TrailPoint} TrailPoint
 */

/**
 * The width of a fresh line, in pixels, and the width of the rim around it. The rim makes the line visible on ink of the same
 * color.
 */
const WIDTH = 6;
const RIM = 3;

export class LaserLayer {
  /** @type {HTMLCanvasElement | null} */
  #canvas = null;
  #camera;
  #view;

  /** @param {Camera} camera @param {{ width: number, height: number, ratio: number }} view the size in pixels, and their ratio */
  constructor(camera, view) {
    this.#camera = camera;
    this.#view = view;
  }

  /**
   * Draws the trails.
   * @param {LaserTrails['all']} trails @param {(number: number) => string} colorOf returns a participant's color
   * @param {number} now milliseconds
   */
  frame(trails, colorOf, now) {
    if (trails.size === 0) {
      this.#canvas?.remove();
      this.#canvas = null;
      return;
    }
    const context = this.#prepare();
    if (!context) return;
    const rim = getComputedStyle(document.documentElement).getPropertyValue('--paper');
    for (const [number, trail] of trails) {
      const color = colorOf(number);
      this.#line(context, trail, now, rim, RIM);
      this.#line(context, trail, now, color, 0);
    }
  }

  /** @returns {CanvasRenderingContext2D | null} of the empty canvas, in pixels of the page */
  #prepare() {
    if (!this.#canvas) {
      this.#canvas = make('canvas', { class: 'lasers', 'aria-hidden': 'true' });
      element('cursors').before(this.#canvas);
    }
    const canvas = this.#canvas;
    const { ratio } = this.#view;
    const [width, height] = [Math.round(this.#view.width * ratio), Math.round(this.#view.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    if (!context) return null;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineCap = 'round';
    return context;
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {readonly TrailPoint[]} trail @param {number} now
   * @param {string} color @param {number} rim the additional width
   */
  #line(context, trail, now, color, rim) {
    context.strokeStyle = color;
    let [x, y] = [0, 0];
    trail.forEach((point, index) => {
      const [toX, toY] = this.#camera.toCanvas(point.x, point.y);
      // A line becomes thinner until it is gone. If it became transparent, the overlaps of its pieces would be visible.
      const life = Math.min(1, Math.max(0, 1 - (now - point.at) / FADE_MS));
      context.lineWidth = (WIDTH + rim) * life;
      context.beginPath();
      // The points before the first one have faded.
      const isFirst = point.isFirst || index === 0;
      context.moveTo(isFirst ? toX : x, isFirst ? toY - 0.1 : y);
      context.lineTo(toX, toY);
      if (life > 0) context.stroke();
      [x, y] = [toX, toY];
    });
  }
}
