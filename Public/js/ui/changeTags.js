/** For a moment, at the place: who added, changed or took away something there. Not where their pointer shows it anyway. */

import { textOn } from '../canvas/colors.js';
import { overlap } from '../canvas/stroke.js';
import { words } from '../words/words.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../canvas/scene.js').Drawable} Drawable
 * @typedef {import('../canvas/stroke.js').Bounds} Bounds
 * @typedef {import('../session/groupSession.js').GroupSession} GroupSession
 * @typedef {{ id: string, hidden: Drawable | null, shown: Drawable | null }} Seen
 *
 * @typedef {object} Parts
 * @property {import('../canvas/scene.js').Scene} scene
 * @property {import('../canvas/camera.js').Camera} camera
 * @property {(number: number, bounds: Bounds) => boolean} isSeenAt whether a participant's pointer is there
 * @property {() => void} ask for a frame
 */

const SHOWN_MS = 1600;
/** So many at once are enough; of one person, the last. */
const MOST = 6;

export class ChangeTags {
  #parts;
  #layer = element('cursors');
  /** What was seen to happen last. @type {Seen | null} */
  #seen = null;
  /** @type {Map<number, { shown: HTMLElement, bounds: Bounds, until: number }>} by the participant's number */
  #tags = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.scene.watch({
      shown: (one) => (this.#seenOf(one).shown = one),
      // What grows is seen at the tip that draws it; what lies on the page does not grow.
      changed: (one) => 'place' in one && (this.#seenOf(one).shown = one),
      hidden: (one) => (this.#seenOf(one).hidden = one),
    });
  }

  /** @param {GroupSession} session whose marks and pictures are in the scene already when it says something */
  observe(session) {
    session.observe({
      entry: ({ sender, key, system }) => {
        const seen = this.#seen;
        this.#seen = null;
        const isOther = !system && sender !== session.localParticipant?.number;
        if (isOther && session.isConnected && seen?.id === key) this.#tell(session, sender, seen);
      },
    });
  }

  /** @param {number} now @returns {boolean} whether another frame is needed */
  frame(now) {
    for (const [number, { shown, bounds, until }] of this.#tags) {
      if (now >= until) {
        shown.remove();
        this.#tags.delete(number);
        continue;
      }
      const [left, top] = this.#parts.camera.toCanvas(bounds.left, bounds.top);
      shown.style.transform = `translate(${Math.max(8, left).toFixed(1)}px, ${Math.max(76, top).toFixed(1)}px)`;
    }
    return this.#tags.size > 0;
  }

  /** @param {Drawable} one @returns {Seen} */
  #seenOf({ id }) {
    if (this.#seen?.id !== id) this.#seen = { id, hidden: null, shown: null };
    return /** @type {Seen} */ (this.#seen);
  }

  /** @param {GroupSession} session @param {number} sender @param {Seen} seen */
  #tell(session, sender, { hidden, shown }) {
    const one = shown ?? hidden;
    const who = session.participant(sender);
    // A stroke that is being drawn is neither added nor changed yet.
    if (!one || !who || !(hidden ?? one).isFinished || !one.isFinished) return;
    const { bounds } = one;
    const { camera, ask, isSeenAt } = this.#parts;
    if (!overlap(bounds, camera.seen(innerWidth, innerHeight)) || isSeenAt(sender, bounds)) return;
    this.#tags.get(sender)?.shown.remove();
    this.#tags.delete(sender);
    if (this.#tags.size >= MOST) return;
    const tag = make('div', { class: 'deed' }, shown ? who.name : words.tookAway(who.name));
    tag.style.setProperty('--own', who.color);
    tag.style.setProperty('--on-own', textOn(who.color));
    this.#layer.append(tag);
    this.#tags.set(sender, { shown: tag, bounds, until: performance.now() + SHOWN_MS });
    ask();
  }
}
