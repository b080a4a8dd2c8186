/** Sends this person's placements of pictures and files to the session, and applies the placements that arrive from it. */

import { isKey } from '../sync/key.js';
import { Retention } from '../sync/wire.js';
import { decodePlacement, encodePlacement, PLACEMENT_TYPE } from '../model/placement.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/outbox.js').OutboxItem} OutboxItem
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../model/placement.js').Placement} Placement
 */

/**
 * The minimum interval between messages of a changing drag; and of an unchanged one, which is repeated before the others'
 * timeout.
 */
const SEND_INTERVAL_MS = 50;
const RESEND_INTERVAL_MS = 2000;

export class PlacementSync {
  #placements;
  #changed;
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** This person's drag. @type {{ id: string, place: Placement, isDirty: boolean, sentAt: number } | null} */
  #drag = null;

  /**
   * @param {import('../model/placement.js').PlacementOverlay} placements
   * @param {(id: string | null) => void} changed the placement of an item changed; null: all may have changed
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
    this.#drag = null;
  }

  /**
   * Starts or continues a drag.
   * @param {string} id @param {Placement} place @param {boolean} isShared true if the others see it
   */
  drag(id, place, isShared) {
    this.#placements.drag(id, place);
    if (isShared) this.#drag = { sentAt: -Infinity, ...this.#drag, id, place, isDirty: true };
    this.#changed(id);
  }

  /**
   * Shows a drag of another participant.
   * @param {string} id @param {import('../model/placement.js').PartialPlacement} placement @param {number} by
   */
  dragRemotely(id, placement, by) {
    this.#placements.dragRemotely(id, placement, by, this.#now());
    this.#changed(id);
  }

  /** Ends the drag with a new placement. @param {string} id @param {Placement} place */
  commit(id, place) {
    this.#drag = null;
    this.#placements.commit(id, place);
    this.#changed(id);
    if (!this.#send(id, Retention.replace, encodePlacement(id, place))) this.#confirmLocally(id, place);
  }

  /** Ends the drag without a change. @param {string} id @returns {boolean} true if the others saw the drag */
  cancelDrag(id) {
    const wasShown = this.#drag !== null && this.#drag.sentAt > -Infinity;
    this.#drag = null;
    this.#placements.endDrag(id);
    this.#changed(id);
    return wasShown;
  }

  /** Sends an unreliable preview to the others. @param {string} id @param {Placement} place */
  sendPreview(id, place) {
    if (!this.#session?.isConnected) return;
    this.#session.send({ type: PLACEMENT_TYPE, reliable: false, payload: encodePlacement(id, place) });
  }

  /** Deletes the placement of an item that this person removes, also in the session. @param {string} id */
  remove(id) {
    if (this.#placements.isSent(id)) this.#send(id, Retention.remove, new Uint8Array(0));
    this.delete(id);
  }

  /** Deletes the placement of a removed item on this page. @param {string} id */
  delete(id) {
    if (this.#drag?.id === id) this.#drag = null;
    this.#placements.delete(id);
  }

  /** @param {number} now @returns {boolean} true if a later frame has something to send or to expire */
  frame(now) {
    for (const id of this.#placements.expireRemoteDrags(now)) this.#changed(id);
    const drag = this.#drag;
    if (drag && now - drag.sentAt >= (drag.isDirty ? SEND_INTERVAL_MS : RESEND_INTERVAL_MS)) {
      this.sendPreview(drag.id, drag.place);
      this.#drag = { ...drag, isDirty: false, sentAt: now };
    }
    return drag !== null || this.#placements.hasRemoteDrags;
  }

  /** Confirms a placement without a session. @param {string} id @param {Placement} place */
  #confirmLocally(id, place) {
    this.#placements.confirm(id, place, 0);
    this.#placements.acknowledge(id);
  }

  /** @param {string} key @param {number} retention @param {Uint8Array} payload @returns {boolean} false without a session */
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
   * @param {import('../sync/wire.js').OutgoingEntry} entry
   * @param {import('../model/placement.js').PartialPlacement | null} [seen]
   */
  #restore({ type, key, retention, payload }, seen) {
    if (type !== PLACEMENT_TYPE || retention !== Retention.replace || !isKey(key)) return;
    const { x, y, width, height, z } = seen ?? decodePlacement(payload)?.placement ?? {};
    if (x === undefined || y === undefined || width == null || height == null || z == null) return;
    this.#placements.restorePending(key, { x, y, width, height, z });
  }
}
