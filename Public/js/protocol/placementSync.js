/** Between the places of pictures and the session: says where this person puts them, and hears where all do. */

import { isKey } from '../sync/key.js';
import { Retention } from '../sync/wire.js';
import { decodePlacement, encodePlacement, PLACEMENT_TYPE } from '../model/placement.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/outbox.js').OutboxItem} OutboxItem
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../model/placement.js').Place} Place
 */

/** What is pulled at is shown to the others about so often; once they hear nothing for long, they take it for let go. */
const EVERY_MS = 50;
const AGAIN_MS = 2000;

export class PlacementExchange {
  #placements;
  #changed;
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** What one pulls at: not told yet, or told then. @type {{ id: string, place: Place, isNews: boolean, toldAt: number } | null} */
  #held = null;

  /**
   * @param {import('../model/placement.js').Placements} placements
   * @param {(id: string | null) => void} changed where it lies; null: all may lie elsewhere
   * @param {() => number} now milliseconds
   */
  constructor(placements, changed, now) {
    this.#placements = placements;
    this.#changed = changed;
    this.#now = now;
  }

  /** @param {GroupSession} session @param {AbortController} lifetime */
  attach(session, lifetime) {
    this.#session = session;
    session.observe({
      snapshotBegan: () => this.#placements.beginSnapshot(),
      caughtUp: () => {
        this.#placements.endSnapshot();
        this.#changed(null);
      },
      entry: (entry) => this.#receive(entry),
      acked: (item) => this.#settled(item),
      reopened: ({ entry }) => this.#restore(entry, this.#placements.of(entry.key ?? '')),
    }, lifetime);
    for (const { entry } of session.pending) this.#restore(entry);
  }

  detach() {
    this.#session = null;
    this.#held = null;
  }

  /** It is in this person's hand. @param {string} id @param {Place} place @param {boolean} isTold whether the others see it there */
  hold(id, place, isTold) {
    this.#placements.hold(id, place);
    if (isTold) this.#held = { toldAt: -Infinity, ...this.#held, id, place, isNews: true };
    this.#changed(id);
  }

  /** Somebody else pulls at it. @param {string} id @param {import('../model/placement.js').Placement} placement @param {number} by */
  pull(id, placement, by) {
    this.#placements.pull(id, placement, by, this.#now());
    this.#changed(id);
  }

  /** It stays there. @param {string} id @param {Place} place */
  put(id, place) {
    this.#held = null;
    this.#placements.put(id, place);
    this.#changed(id);
    if (!this.#say(id, Retention.replace, encodePlacement(id, place))) this.#keep(id, place);
  }

  /** It goes back to where it was. @param {string} id @returns {boolean} whether the others saw it elsewhere */
  release(id) {
    const wasShown = this.#held !== null && this.#held.toldAt > -Infinity;
    this.#held = null;
    this.#placements.release(id);
    this.#changed(id);
    return wasShown;
  }

  /** A glimpse for the others, which may be lost. @param {string} id @param {Place} place */
  show(id, place) {
    if (!this.#session?.isConnected) return;
    this.#session.send({ type: PLACEMENT_TYPE, reliable: false, payload: encodePlacement(id, place) });
  }

  /** This person takes it away: what was said of its place is not needed any more. @param {string} id */
  remove(id) {
    if (this.#placements.isSaid(id)) this.#say(id, Retention.remove, new Uint8Array(0));
    this.gone(id);
  }

  /** @param {string} id of what is not there any more */
  gone(id) {
    if (this.#held?.id === id) this.#held = null;
    this.#placements.forget(id);
  }

  /** @param {number} now @returns {boolean} whether there is something to be told or let go in a later frame */
  frame(now) {
    for (const id of this.#placements.letGo(now)) this.#changed(id);
    const held = this.#held;
    if (held && now - held.toldAt >= (held.isNews ? EVERY_MS : AGAIN_MS)) {
      this.show(held.id, held.place);
      this.#held = { ...held, isNews: false, toldAt: now };
    }
    return held !== null || this.#placements.isPulled;
  }

  /** Alone there is nobody to confirm it. @param {string} id @param {Place} place */
  #keep(id, place) {
    this.#placements.confirm(id, place, 0);
    this.#placements.settled(id);
  }

  /** @param {string} key @param {number} retention @param {Uint8Array} payload @returns {boolean} whether anybody hears it */
  #say(key, retention, payload) {
    if (!this.#session || this.#session.state === 'invalidated') return false;
    this.#session.send({ type: PLACEMENT_TYPE, reliable: true, retention, key, existing: false, payload });
    return true;
  }

  /** @param {Entry} entry */
  #receive(entry) {
    if (entry.system || entry.unchanged) return;
    if (entry.retention === Retention.remove) return this.#removed(entry);
    if (entry.type !== PLACEMENT_TYPE) return;
    const message = decodePlacement(entry.payload);
    if (!message) return;
    if (!entry.reliable) {
      if (!isKey(message.id)) return;
      this.pull(message.id, message.placement, entry.sender);
    } else if (entry.key) {
      this.#placements.confirm(entry.key, message.placement, entry.sender);
      this.#changed(entry.key);
    }
  }

  /** @param {Entry} entry */
  #removed({ key, reliable }) {
    if (!key || !reliable) return;
    this.#placements.confirmRemoval(key);
    this.#changed(key);
  }

  /** @param {OutboxItem} item */
  #settled({ entry }) {
    if (entry.type !== PLACEMENT_TYPE || entry.retention !== Retention.replace || !entry.key) return;
    this.#placements.settled(entry.key);
    this.#changed(entry.key);
  }

  /**
   * Shows what an earlier page of this tab said and the session does not hold; or what is seen, which it does not hold any more.
   * @param {import('../sync/wire.js').OutgoingEntry} entry @param {import('../model/placement.js').Placement | null} [seen]
   */
  #restore({ type, key, retention, payload }, seen) {
    if (type !== PLACEMENT_TYPE || retention !== Retention.replace || !isKey(key)) return;
    const { x, y, width, height, z } = seen ?? decodePlacement(payload)?.placement ?? {};
    if (x === undefined || y === undefined || width == null || height == null || z == null) return;
    this.#placements.again(key, { x, y, width, height, z });
  }
}
