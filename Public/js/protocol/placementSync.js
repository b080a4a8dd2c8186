/**
 * The placements of items that were moved after they were added. Sends the moves of this person to the session, and stores those
 * that the session sends.
 */

import { isKey } from '../sync/key.js';
import { Retention } from '../sync/wire.js';
import { OptimisticOverlay } from '../model/optimisticOverlay.js';
import { decodePlacement, encodePlacement, PLACEMENT_TYPE } from '../model/placement.js';
import { dragSender } from './throttledSender.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../sync/wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {import('../model/placement.js').PartialPlacement} PartialPlacement
 * @typedef {import('../model/placement.js').Placement} Placement
 */

export class PlacementSync {
  /** @type {OptimisticOverlay<PartialPlacement, PartialPlacement>} */
  #placements;
  #moved;
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** This person's drag. */
  #drag = dragSender((/** @type {{ id: string, place: Placement }} */ { id, place }) => this.sendPreview(id, place));

  /**
   * @param {(id: string) => void} changed called if the displayed placement of an item may have changed
   * @param {(id: string, by: number) => void} moved called after another participant moved an item
   * @param {() => number} now milliseconds
   */
  constructor(changed, moved, now) {
    this.#placements = new OptimisticOverlay(changed);
    this.#moved = moved;
    this.#now = now;
  }

  /** @param {string} id @returns {PartialPlacement | null} the displayed placement; null: the item was not moved */
  of(id) {
    const placements = this.#placements;
    return placements.pendingEdit(id)?.value ?? placements.remoteDrag(id) ?? placements.confirmed(id);
  }

  /** @param {string} id @returns {PartialPlacement | null} its placement without the drags of others */
  base(id) {
    return this.#placements.base(id);
  }

  /** @param {string} id @returns {boolean} true if this person has moved the item, and the session has not confirmed that yet */
  isMoved(id) {
    return this.#placements.pendingEdit(id)?.isDraft === false;
  }

  /** @param {GroupSession} session @param {AbortController} lifetime */
  attach(session, lifetime) {
    this.#placements.clear();
    this.#session = session;
    session.observe({
      snapshotBegan: () => this.#placements.beginSnapshot(),
      caughtUp: () => this.#placements.endSnapshot(),
      entry: (entry) => this.#receive(entry),
      acked: ({ entry }) => isMove(entry) && this.#placements.acknowledge(entry.key, true),
      reopened: ({ entry }) => this.#restore(entry, this.base(entry.key ?? '')),
    }, lifetime);
    for (const { entry } of session.pending) this.#restore(entry);
  }

  /** Leaves the session. The displayed placements stay. */
  detach() {
    this.#session = null;
    this.#drag.end();
    this.#placements.detach();
  }

  clear() {
    this.#placements.clear();
  }

  /**
   * Starts or continues a drag.
   * @param {string} id @param {Placement} place @param {boolean} isShared true if the others see it
   */
  drag(id, place, isShared) {
    if (isShared) this.#drag.set({ id, place });
    this.#placements.edit(id, place, true);
  }

  /** Shows a drag of another participant. @param {string} id @param {PartialPlacement} placement @param {number} by */
  dragRemotely(id, placement, by) {
    this.#placements.dragRemotely(id, placement, by, this.#now());
  }

  /** Ends the drag with a new placement. @param {string} id @param {Placement} place */
  commit(id, place) {
    this.#drag.end();
    this.#placements.edit(id, place);
    if (this.#send(id, Retention.replace, encodePlacement(id, place))) this.#placements.addPending(id, true);
    else this.#placements.confirmLocally(id);
  }

  /** Ends the drag without a change. @param {string} id @returns {boolean} true if the others saw the drag */
  cancelDrag(id) {
    this.#placements.endDraft(id);
    return this.#drag.end();
  }

  /** Sends an unreliable preview to the others. @param {string} id @param {Placement} place */
  sendPreview(id, place) {
    if (!this.#session?.isConnected) return;
    this.#session.send({ type: PLACEMENT_TYPE, reliable: false, payload: encodePlacement(id, place) });
  }

  /** Deletes the placement of an item that this person removes, also in the session. @param {string} id */
  remove(id) {
    const isSent = this.#placements.confirmed(id) || this.#placements.pendingEdit(id)?.pending;
    if (isSent) this.#send(id, Retention.remove, new Uint8Array(0));
    this.delete(id);
  }

  /** Deletes the placement of a removed item on this page. @param {string} id */
  delete(id) {
    if (this.#drag.value?.id === id) this.#drag.end();
    this.#placements.delete(id);
  }

  /** @param {number} now @returns {boolean} true if a later frame has something to send or to expire */
  frame(now) {
    const isDraggedRemotely = this.#placements.expireRemoteDrags(now);
    return this.#drag.frame(now) || isDraggedRemotely;
  }

  /** @param {string} key @param {number} retention @param {Uint8Array} payload @returns {boolean} false without a session */
  #send(key, retention, payload) {
    if (!this.#session || this.#session.state === 'invalidated') return false;
    this.#session.send({ type: PLACEMENT_TYPE, reliable: true, retention, key, existing: false, payload });
    return true;
  }

  /** @param {Entry} entry */
  #receive({ type, key, reliable, retention, sender, payload, system, unchanged }) {
    if (system || unchanged) return;
    if (reliable && key && retention === Retention.remove) return this.#placements.confirmRemoval(key, false);
    const message = type === PLACEMENT_TYPE ? decodePlacement(payload) : null;
    if (!message) return;
    const { id, placement } = message;
    if (!reliable && isKey(id)) this.dragRemotely(id, placement, sender);
    if (!reliable || !key) return;
    this.#placements.confirm(key, sender, () => placement);
    const session = this.#session;
    if (session?.isConnected && sender !== session.localParticipant?.number) this.#moved(key, sender);
  }

  /**
   * Shows a placement that an earlier page of this tab sent and the session does not have, or that the session lost.
   * @param {OutgoingEntry} entry @param {PartialPlacement | null} [seen]
   */
  #restore(entry, seen) {
    if (!isMove(entry)) return;
    const place = seen ?? decodePlacement(entry.payload)?.placement;
    if (!place) return;
    this.#placements.edit(entry.key, place, this.#placements.pendingEdit(entry.key)?.isDraft);
    this.#placements.addPending(entry.key, true);
  }
}

/** @param {OutgoingEntry} entry @returns {entry is OutgoingEntry & { key: string }} */
function isMove(entry) {
  return entry.type === PLACEMENT_TYPE && entry.retention === Retention.replace && isKey(entry.key);
}
