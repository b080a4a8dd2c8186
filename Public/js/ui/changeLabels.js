/** Labels beside the changes of other participants. */

import { textOn } from '../model/palette.js';
import { overlap } from '../model/stroke.js';
import { strings } from '../i18n/i18n.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {{ id: string, hidden: Drawable | null, shown: Drawable | null }} SceneChange
 *
 * @typedef {object} Parts
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../model/camera.js').Camera} camera
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
  /** The last change of the scene. @type {SceneChange | null} */
  #lastChange = null;
  /** @type {Map<number, { shown: HTMLElement, bounds: Bounds, until: number }>} by the participant's number */
  #labels = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.scene.observe({
      shown: (one) => (this.#changeOf(one).shown = one),
      // Only items: a changed shape is a growing stroke, whose author is seen by the pointer.
      changed: (one) => 'place' in one && (this.#changeOf(one).shown = one),
      hidden: (one) => (this.#changeOf(one).hidden = one),
    });
  }

  /** @param {GroupSession} session whose entries are already applied to the scene when this observer receives them */
  observe(session) {
    session.observe({
      entry: ({ sender, key, system }) => {
        const change = this.#lastChange;
        this.#lastChange = null;
        const isOther = !system && sender !== session.localParticipant?.number;
        if (isOther && session.isConnected && change?.id === key) this.#label(session, sender, change);
      },
    });
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
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

  /** @param {Drawable} one @returns {SceneChange} */
  #changeOf({ id }) {
    if (this.#lastChange?.id !== id) this.#lastChange = { id, hidden: null, shown: null };
    return /** @type {SceneChange} */ (this.#lastChange);
  }

  /** @param {GroupSession} session @param {number} sender @param {SceneChange} change */
  #label(session, sender, { hidden, shown }) {
    const one = shown ?? hidden;
    const who = session.participant(sender);
    // A stroke is labelled only when it is finished.
    if (!one || !who || !(hidden ?? one).isFinished || !one.isFinished) return;
    const { bounds } = one;
    const { camera, requestFrame, isSeenAt } = this.#parts;
    if (!overlap(bounds, camera.seen(innerWidth, innerHeight)) || isSeenAt(sender, bounds)) return;
    this.#labels.get(sender)?.shown.remove();
    this.#labels.delete(sender);
    if (this.#labels.size >= MAX_LABELS) return;
    const tag = make('div', { class: 'change-label' }, shown ? who.name : strings.tookAway(who.name));
    tag.style.setProperty('--own', who.color);
    tag.style.setProperty('--on-own', textOn(who.color));
    this.#layer.append(tag);
    this.#labels.set(sender, { shown: tag, bounds, until: performance.now() + SHOWN_MS });
    requestFrame();
  }
}
