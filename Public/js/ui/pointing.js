/** The laser, the pings and the reactions, which participants show each other for a few seconds. */

import { LaserSender, LaserTrails } from '../protocol/laserTrails.js';
import { Pings, Reactions } from '../protocol/moments.js';
import { TransientType } from '../protocol/transientMessages.js';
import { LaserTool } from '../tools/laserTool.js';
import { LaserLayer } from './laserLayer.js';
import { PingLayer } from './pingLayer.js';
import { ReactionLayer } from './reactionLayer.js';

/**
 * @typedef {object} Parts
 * @property {import('../protocol/transientMessages.js').TransientMessages} messages
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number, ratio: number }} view the canvas
 * @property {(number: number) => { name: string, color: string }} author
 * @property {() => number} me returns the number of this participant; 0: none
 * @property {() => void} requestFrame
 * @property {(x: number, y: number) => void} show moves the camera to a point
 * @property {(x: number, y: number) => boolean} isHere returns true if a point is on the shown sheet
 */

/** Event: `ping` (detail: the ping), after another participant showed a place. */
export class Pointing extends EventTarget {
  #parts;
  #sender;
  #trails = new LaserTrails();
  #pings = new Pings();
  #reactions = new Reactions();
  #lasers;
  #pingLayer;
  #reactionLayer;
  laserTool;

  /** @param {Parts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    const { messages, camera, view, author, me, requestFrame, isHere } = parts;
    this.#sender = new LaserSender((message) => {
      messages.send(TransientType.laser, message);
      // While the laser is held still, its point must not fade on this page, as it does not fade on the other pages.
      this.#trails.add(me(), message.points.slice(-1), false, performance.now());
    });
    this.laserTool = new LaserTool(this.#sender, (points, isFirst) => {
      this.#trails.add(me(), points, isFirst, performance.now());
      requestFrame();
    });
    this.#lasers = new LaserLayer(camera, view);
    const go = (/** @type {import('../protocol/moments.js').Ping} */ { number, x, y }) => {
      this.#pings.remove(number);
      parts.show(x, y);
    };
    this.#pingLayer = new PingLayer({ camera, view, author, go, isHere });
    this.#reactionLayer = new ReactionLayer(author);
    messages.on(TransientType.laser, (sender, message) => {
      this.#trails.receive(sender, message, performance.now());
      requestFrame();
    });
    messages.on(TransientType.ping, (sender, message) => {
      if (!this.#pings.receive(sender, message, performance.now())) return;
      this.dispatchEvent(new CustomEvent('ping', { detail: this.#pings.all.get(sender) }));
      requestFrame();
    });
    messages.on(TransientType.reaction, (sender, message) => {
      if (this.#reactions.receive(sender, message, performance.now())) requestFrame();
    });
  }

  /** Shows a point to all. @param {[number, number]} point @returns {boolean} false if the rate limit was exceeded */
  ping([x, y]) {
    const { messages, me, requestFrame } = this.#parts;
    /** @type {{ point: [number, number] }} */
    const message = { point: [Math.round(x * 10) / 10, Math.round(y * 10) / 10] };
    if (!this.#pings.receive(me(), message, performance.now())) return false;
    messages.send(TransientType.ping, message);
    requestFrame();
    return true;
  }

  /** Shows a reaction to all. @param {string} emoji */
  react(emoji) {
    const { messages, me, requestFrame } = this.#parts;
    if (!this.#reactions.receive(me(), { emoji }, performance.now())) return;
    messages.send(TransientType.reaction, { emoji });
    requestFrame();
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    for (const all of [this.#trails, this.#pings, this.#reactions]) all.keepOnly(isHere);
    this.#parts.requestFrame();
  }

  /** @param {number} now milliseconds @returns {boolean} true if another frame is needed */
  frame(now) {
    const { author } = this.#parts;
    const isSending = this.#sender.frame(now);
    const areVisible = [this.#trails.frame(now), this.#pings.frame(now), this.#reactions.frame(now)].includes(true);
    this.#lasers.frame(this.#trails.all, (number) => author(number).color, now);
    this.#pingLayer.frame(this.#pings.all);
    this.#reactionLayer.frame(this.#reactions.all);
    return isSending || areVisible;
  }
}
