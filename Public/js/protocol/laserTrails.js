/** The laser pointer: lines that are shown for a moment and are no part of the drawing. */

import { sheetAt } from '../model/sheets.js';
import { isPoint } from './shapeMessages.js';

/**
 * @typedef {[number, number]} Point
 * @typedef {{ x: number, y: number, at: number, isFirst: boolean }} TrailPoint `at`: when it was added, in milliseconds;
 *   `isFirst`: no line leads to it
 */

/** The minimum interval between two messages: about 30 a second. */
const SEND_INTERVAL_MS = 33;
/** The interval at which a laser that is held still repeats its point, so that it does not fade. */
const HOLD_INTERVAL_MS = 300;
/** The maximum number of points in a message. If a fast pen has more, every second one is left out. */
export const MAX_MESSAGE_POINTS = 24;
/** The time in which a point fades. */
export const FADE_MS = 900;
/** The maximum number of points of a trail, and of trails. Beyond these, the oldest points and any new trails are dropped. */
export const MAX_POINTS = 160;
export const MAX_TRAILS = 16;

/** Sends the points of this person's laser, at a limited rate. */
export class LaserSender {
  #send;
  /** The points that are not sent yet. @type {Point[]} */
  #points = [];
  #isFirst = false;
  #sentAt = -Infinity;
  /** The last point while the pointer is down. @type {Point | null} */
  #held = null;

  /** @param {(message: { points: Point[], first?: boolean }) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /** Begins a line. @param {Point} point */
  begin(point) {
    this.#points = [];
    this.#isFirst = true;
    this.move([point]);
  }

  /** @param {Point[]} points */
  move(points) {
    for (const [x, y] of points) this.#points.push([Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
    while (this.#points.length > MAX_MESSAGE_POINTS) {
      const last = this.#points.length - 1;
      this.#points = this.#points.filter((_, at) => at === 0 || at === last || at % 2 === 0);
    }
    this.#held = this.#points.at(-1) ?? this.#held;
  }

  end() {
    this.#held = null;
  }

  /** @param {number} now milliseconds @returns {boolean} true if a later frame has something to send */
  frame(now) {
    if (this.#points.length === 0 && this.#held && now - this.#sentAt >= HOLD_INTERVAL_MS) this.#points = [this.#held];
    if (this.#points.length > 0 && now - this.#sentAt >= SEND_INTERVAL_MS) {
      this.#sentAt = now;
      this.#send({ points: this.#points, ...this.#isFirst && { first: true } });
      this.#points = [];
      this.#isFirst = false;
    }
    return this.#points.length > 0 || this.#held !== null;
  }
}

/** The trails of all participants, this one included. */
export class LaserTrails {
  /** @type {Map<number, TrailPoint[]>} by the participant's number */
  #trails = new Map();

  /** @returns {ReadonlyMap<number, readonly TrailPoint[]>} */
  get all() {
    return this.#trails;
  }

  /** @param {number} sender @param {{ points?: unknown, first?: unknown }} message @param {number} now */
  receive(sender, { points, first }, now) {
    if (!Array.isArray(points)) return;
    this.add(sender, points.slice(0, MAX_MESSAGE_POINTS).filter(isPoint), first === true, now);
  }

  /**
   * Adds points to a trail. They were collected since the last message, so their times are spread over that interval.
   * @param {number} number @param {Point[]} points @param {boolean} isFirst true if they begin a line @param {number} now
   */
  add(number, points, isFirst, now) {
    const trail = this.#trails.get(number) ?? [];
    if (points.length === 0 || (trail.length === 0 && this.#trails.size >= MAX_TRAILS)) return;
    const step = SEND_INTERVAL_MS / points.length;
    points.forEach(([x, y], index) => {
      const at = now - (points.length - 1 - index) * step;
      const before = trail.at(-1);
      // A point on another sheet begins a line, because the message with its beginning may be lost.
      const isElsewhere = !before || sheetAt(before.x, before.y) !== sheetAt(x, y);
      trail.push({ x, y, at, isFirst: isElsewhere || isFirst && index === 0 });
    });
    trail.splice(0, trail.length - MAX_POINTS);
    this.#trails.set(number, trail);
  }

  /** Removes the trails of participants who are not here. @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    for (const number of this.#trails.keys()) if (!isHere(number)) this.#trails.delete(number);
  }

  /** Removes the faded points. @param {number} now @returns {boolean} true if something is still visible */
  frame(now) {
    for (const [number, trail] of this.#trails) {
      // The first visible point is the first one that has not faded: no line leads to it from a faded one.
      const faded = trail.findIndex(({ at }) => now - at < FADE_MS);
      trail.splice(0, faded < 0 ? trail.length : faded);
      if (trail.length === 0) this.#trails.delete(number);
    }
    return this.#trails.size > 0;
  }
}
