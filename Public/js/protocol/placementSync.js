/** Sends this person's placements of pictures and files to the session, and applies the placements that arrive from it. */

import { isKey } from '../sync/key.js';
import { Retention } from '../sync/wire.js';
import { decodePlacement, encodePlacement, PLACEMENT_TYPE } from '../model/placement.js';
import { dragSender } from './throttledSender.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/outbox.js').OutboxItem} OutboxItem
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../model/placement.js').Placement} Placement
 */

export class PlacementSync {
  #placements;
  #changed;
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** This person's drag. */
  #drag = dragSender((/** @type {{ id: string, place: Placement }} */ { id, place }) => this.sendPreview(id, place));

  /**
   * @param {import('../model/placement.js').PlacementOverlay} placements
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
    this.#drag.end();
  }

  /** Starts or continues a drag. @param {string} id @param {Placement} place @param {boolean} isShared true if the others see it */
  drag(id, place, isShared) {
    this.#placements.drag(id, place);
    if (isShared) this.#drag.set({ id, place });
    this.#changed(id);
  }

  /** Shows a drag of another participant. @param {string} id @param {import('../model/placement.js').PartialPlacement} placement @param {number} by */
  dragRemotely(id, placement, by) {
    this.#placements.dragRemotely(id, placement, by, this.#now());
    this.#changed(id);
  }

  /** Ends the drag with a new placement. @param {string} id @param {Placement} place */
  commit(id, place) {
    this.#drag.end();
    this.#placements.commit(id, place);
    this.#changed(id);
    if (!this.#send(id, Retention.replace, encodePlacement(id, place))) this.#confirmLocally(id, place);
  }

  /** Ends the drag without a change. @param {string} id @returns {boolean} whether the others saw it elsewhere */
  cancelDrag(id) {
    this.#placements.endDrag(id);
    this.#changed(id);
    return this.#drag.end();
  }

  /** Sends an unreliable preview to the others. @param {string} id @param {Placement} place */
  sendPreview(id, place) {
    if (!this.#session?.isConnected) return;
    this.#session.send({ type: PLACEMENT_TYPE, reliable: false, payload: encodePlacement(id, place) });
  }

  /** This person takes it away: what was said of its place is not needed any more. @param {string} id */
  remove(id) {
    if (this.#placements.isSent(id)) this.#send(id, Retention.remove, new Uint8Array(0));
    this.delete(id);
  }

  /** @param {string} id of what is not there any more */
  delete(id) {
    if (this.#drag.value?.id === id) this.#drag.end();
    this.#placements.delete(id);
  }

  /** @param {number} now @returns {boolean} whether there is something to be told or let go in a later frame */
  frame(now) {
    for (const id of this.#placements.expireRemoteDrags(now)) this.#changed(id);
    return this.#drag.frame(now) || this.#placements.hasRemoteDrags;
  }

  /** Alone there is nobody to confirm it. @param {string} id @param {Placement} place */
  #confirmLocally(id, place) {
    this.#placements.confirm(id, place, 0);
    this.#placements.acknowledge(id);
  }

  /** @param {string} key @param {number} retention @param {Uint8Array} payload @returns {boolean} whether anybody hears it */
  #send(key, retention, payload) {
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
      this.dragRemotely(message.id, message.placement, entry.sender);
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
    this.#placements.acknowledge(entry.key);
    this.#changed(entry.key);
  }

  /**
   * Restores a placement that an earlier page of this tab sent and the session does not have, or that the session lost.
   * @param {import('../sync/wire.js').OutgoingEntry} entry @param {import('../model/placement.js').PartialPlacement | null} [seen]
   */
  #restore({ type, key, retention, payload }, seen) {
    if (type !== PLACEMENT_TYPE || retention !== Retention.replace || !isKey(key)) return;
    const { x, y, width, height, z } = seen ?? decodePlacement(payload)?.placement ?? {};
    if (x === undefined || y === undefined || width == null || height == null || z == null) return;
    this.#placements.restorePending(key, { x, y, width, height, z });
  }
}
