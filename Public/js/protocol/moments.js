/** The pings (which point at a place) and reactions that participants show for a few seconds. */

import { isPoint } from './shapeMessages.js';
import { SenderLimit } from './senderLimit.js';

/**
 * @typedef {{ number: number, x: number, y: number, at: number }} Ping `number`: of the participant; `at`: when it was shown,
 *   in milliseconds
 * @typedef {{ number: number, emoji: string, at: number, slot: number }} Reaction `slot`: its position in the row
 */

/** The time for which a ping, and a reaction, is shown. */
export const PING_MS = 6000;
export const REACTION_MS = 3200;
/** The maximum number of pings. Each participant has one at most, the latest. */
export const MAX_PINGS = 8;
/** The maximum number of reactions, of all participants and of one. */
export const MAX_REACTIONS = 24;
export const MAX_REACTIONS_EACH = 5;
/** The emoji of reactions. Others are ignored. */
export const REACTIONS = Object.freeze(['👍', '❤️', '⭐', '😄', '😮', '❓']);

/** The pings that are shown. */
export class Pings {
  /** @type {Map<number, Ping>} by the participant's number */
  #pings = new Map();
  #limit = new SenderLimit(0.5, 3);

  /** @returns {ReadonlyMap<number, Readonly<Ping>>} */
  get all() {
    return this.#pings;
  }

  /** @param {number} number @param {{ point?: unknown }} message @param {number} now @returns {boolean} true if it is shown */
  receive(number, { point }, now) {
    if (!isPoint(point) || !this.#limit.allows(number, now)) return false;
    if (!this.#pings.has(number) && this.#pings.size >= MAX_PINGS) return false;
    this.#pings.set(number, { number, x: point[0], y: point[1], at: now });
    return true;
  }

  /** @param {number} number of a participant whose ping was seen */
  remove(number) {
    this.#pings.delete(number);
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    for (const number of this.#pings.keys()) if (!isHere(number)) this.#pings.delete(number);
    this.#limit.keepOnly(isHere);
  }

  /** Removes the pings that have expired. @param {number} now @returns {boolean} true if one is left */
  frame(now) {
    for (const [number, { at }] of this.#pings) if (now - at >= PING_MS) this.#pings.delete(number);
    return this.#pings.size > 0;
  }
}

/** The reactions that are shown. */
export class Reactions {
  /** @type {Set<Reaction>} in the order of their times */
  #reactions = new Set();
  #limit = new SenderLimit(1.5, 5);

  /** @returns {ReadonlySet<Readonly<Reaction>>} */
  get all() {
    return this.#reactions;
  }

  /** @param {number} number @param {{ emoji?: unknown }} message @param {number} now @returns {boolean} true if it is shown */
  receive(number, { emoji }, now) {
    if (typeof emoji !== 'string' || !REACTIONS.includes(emoji) || !this.#limit.allows(number, now)) return false;
    const all = [...this.#reactions];
    if (all.length >= MAX_REACTIONS) return false;
    if (all.filter((one) => one.number === number).length >= MAX_REACTIONS_EACH) return false;
    const taken = new Set(all.map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    this.#reactions.add({ number, emoji, at: now, slot });
    return true;
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    for (const one of this.#reactions) if (!isHere(one.number)) this.#reactions.delete(one);
    this.#limit.keepOnly(isHere);
  }

  /** Removes the reactions that have expired. @param {number} now @returns {boolean} true if one is left */
  frame(now) {
    for (const one of this.#reactions) if (now - one.at >= REACTION_MS) this.#reactions.delete(one);
    return this.#reactions.size > 0;
  }
}
