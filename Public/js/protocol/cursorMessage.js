/** The messages about pointers: sends this person's position, and receives those of the others. */

import { sheetAt } from '../model/sheets.js';
import { isPoint } from './shapeMessages.js';
import { ThrottledSender } from './throttledSender.js';

/** The minimum interval between two messages: about 30 a second. */
const SEND_INTERVAL_MS = 33;
/** The message type of a pointer's position. */
export const CURSOR_TYPE = 'CursorMessage';

/** Sends the position of this person's pointer, at a limited rate. */
export class CursorSender {
  #sender;
  #isOut = true;

  /** @param {(message: { point?: [number, number] }) => void} send */
  constructor(send) {
    this.#sender = new ThrottledSender(send, SEND_INTERVAL_MS);
  }

  /** @param {[number, number] | null} point of the plane; null: the pointer left */
  moved(point) {
    if (point === null && this.#isOut) return;
    this.#isOut = point === null;
    this.#sender.set(point ? { point: [Math.round(point[0] * 10) / 10, Math.round(point[1] * 10) / 10] } : {});
  }

  /** @param {number} now milliseconds @returns {boolean} true if a later frame has a position to send */
  frame(now) {
    return this.#sender.frame(now);
  }
}

/** @typedef {{ x: number, y: number, toX: number, toY: number, receivedAt: number, isIdle: boolean }} RemoteCursor */

const FADE_MS = 2000;
/** The time after which an idle pointer is removed. */
const REMOVE_MS = 10_000;
/** The time constant of the gliding: a pointer covers most of the distance in this time. */
const GLIDE_MS = 45;

/** The pointers of the others. They glide to the last received position on a sheet, and fade without new messages. */
export class RemoteCursors {
  /** @type {Map<number, RemoteCursor>} by the participant's number */
  #cursors = new Map();
  #frameAt = 0;
  #glides;

  /** @param {{ glides?: () => boolean }} [options] `glides`: false if they jump */
  constructor({ glides = () => true } = {}) {
    this.#glides = glides;
  }

  /** @returns {ReadonlyMap<number, Readonly<RemoteCursor>>} */
  get all() {
    return this.#cursors;
  }

  /** @param {number} number @param {unknown} message @param {number} now */
  receive(number, message, now) {
    const { point } = /** @type {{ point?: unknown }} */ (message ?? {});
    if (!isPoint(point)) {
      const cursor = this.#cursors.get(number);
      if (cursor) cursor.receivedAt = -Infinity;
      return;
    }
    const [toX, toY] = point;
    const cursor = this.#cursors.get(number);
    // A pointer jumps to another sheet: a glide would cross the views of both sheets.
    const isNear = cursor && sheetAt(cursor.toX, cursor.toY) === sheetAt(toX, toY);
    if (isNear && !cursor.isIdle) Object.assign(cursor, { toX, toY, receivedAt: now });
    else this.#cursors.set(number, { x: toX, y: toY, toX, toY, receivedAt: now, isIdle: false });
  }

  /** Removes the pointers of participants who are not here. @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    for (const number of this.#cursors.keys()) if (!isHere(number)) this.#cursors.delete(number);
  }

  /** @param {number} now @returns {boolean} true if a pointer will still move or fade */
  frame(now) {
    const elapsed = Math.min(100, now - this.#frameAt);
    this.#frameAt = now;
    const part = this.#glides() ? 1 - Math.exp(-elapsed / GLIDE_MS) : 1;
    for (const [number, cursor] of this.#cursors) {
      cursor.x += (cursor.toX - cursor.x) * part;
      cursor.y += (cursor.toY - cursor.y) * part;
      cursor.isIdle = now - cursor.receivedAt >= FADE_MS;
      if (now - cursor.receivedAt >= REMOVE_MS && cursor.receivedAt > -Infinity) this.#cursors.delete(number);
    }
    return [...this.#cursors.values()].some(({ isIdle }) => !isIdle);
  }
}
