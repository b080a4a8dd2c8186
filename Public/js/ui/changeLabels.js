/** Labels beside the changes of other participants. */

import { textOn } from '../model/palette.js';
import { overlap } from '../model/stroke.js';
import { strings } from '../i18n/i18n.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 *
 * @typedef {object} Parts
 * @property {import('../model/camera.js').Camera} camera
 * @property {(number: number) => import('../sync/participants.js').Participant | null} participant
 * @property {(number: number, bounds: Bounds) => boolean} isSeenAt returns true if a participant's pointer is shown there
 * @property {() => void} requestFrame
 */

const SHOWN_MS = 1600;
/** The maximum number of labels. Each participant has one, for the latest change. */
const MAX_LABELS = 6;

/** Short-lived labels with the name of the participant who added, changed or removed something. Not shown near their pointer. */
export class ChangeLabels {
  #parts;
  #layer = element('cursors');
  /** @type {Map<number, { shown: HTMLElement, bounds: Bounds, until: number }>} by the participant's number */
  #labels = new Map();
  /**
   * The labels of the next frame, by the participant's number. Thousands of changes may arrive before it.
   * @type {Map<number, { text: string, color: string, bounds: Bounds, until: number }>}
   */
  #next = new Map();
  /** The visible part of the plane at the first change since the last frame. @type {Bounds | null} */
  #seen = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
    // A hidden page gets no frames. When it is visible again, its old changes get no labels.
    for (const [number, label] of this.#next) if (now < label.until) this.#replace(number, label);
    this.#next.clear();
    this.#seen = null;
    for (const [number, { shown, bounds, until }] of this.#labels) {
      if (now >= until) {
        shown.remove();
        this.#labels.delete(number);
        continue;
      }
      const [left, top] = this.#parts.camera.toCanvas(bounds.left, bounds.top);
      shown.style.transform = `translate(${Math.max(8, left).toFixed(1)}px, ${Math.max(76, top).toFixed(1)}px)`;
    }
    return this.#labels.size > 0;
  }

  /** Shows in the next frame who changed something. @param {import('../model/scene.js').RemoteChange} change */
  show({ sender, before, after }) {
    const one = after ?? before;
    const { camera, participant, requestFrame, isSeenAt } = this.#parts;
    const who = participant(sender);
    // A stroke is labelled only when it is finished.
    if (!who || !one?.isFinished || before?.isFinished === false) return;
    const { bounds } = one;
    this.#seen ??= camera.seen(innerWidth, innerHeight);
    if (!overlap(bounds, this.#seen) || isSeenAt(sender, bounds)) return;
    const text = after ? who.name : strings.tookAway(who.name);
    this.#next.set(sender, { text, color: who.color, bounds, until: performance.now() + SHOWN_MS });
    requestFrame();
  }

  /** @param {number} number @param {{ text: string, color: string, bounds: Bounds, until: number }} label */
  #replace(number, { text, color, bounds, until }) {
    this.#labels.get(number)?.shown.remove();
    this.#labels.delete(number);
    if (this.#labels.size >= MAX_LABELS) return;
    const shown = make('div', { class: 'change-label' }, text);
    shown.style.setProperty('--own', color);
    shown.style.setProperty('--on-own', textOn(color));
    this.#layer.append(shown);
    this.#labels.set(number, { shown, bounds, until });
  }
}
