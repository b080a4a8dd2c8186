/** The client's side of the protocol of a session: join, catch-up, entries in both directions, and the return after a loss. */

import { CatchUpPosition } from './catchUpPosition.js';
import { afterClose } from './closeCodes.js';
import { Connection } from './connection.js';
import { DEFAULT_LIMITS, readControl, readJoined } from './control.js';
import { DuplicateFilter } from './duplicateFilter.js';
import { GroupSessionError } from './errors.js';
import { number } from './json.js';
import { Outgoing } from './outgoing.js';
import { decodeEntries, WireError } from './wire.js';

/**
 * @typedef {import('./control.js').Joined} Joined
 * @typedef {import('./errors.js').InvalidationReason} InvalidationReason
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./wire.js').Entry} Entry
 * @typedef {{ name?: string, color?: string }} Profile
 *
 * @typedef {object} SavedParticipant the data with which a later page of the same tab continues as the same participant
 * @property {string | null} token
 * @property {number} [number] of the participant that sent the numbered items; 0 or undefined: unknown
 * @property {ReturnType<Outgoing['save']>} outbox
 *
 * @typedef {object} SyncEvents
 * @property {(joined: Joined, isSameEpoch: boolean) => void} joined
 * @property {() => void} snapshotBegan
 * @property {(entry: Entry) => void} entry
 * @property {(sender: number) => string | undefined} participantID returns the id of a sender, if it is known
 * @property {() => void} caughtUp
 * @property {() => void} connectionChanged called after a change of `isConnected` or `trouble`
 * @property {(item: OutboxItem, refusal: GroupSessionError | null) => void} acked
 * @property {(item: OutboxItem) => void} reopened
 * @property {(error: GroupSessionError) => void} refused
 * @property {(isUrgent: boolean) => void} saveChanged called after a change of the result of `save`
 * @property {(reason: InvalidationReason) => void} invalidated called after the gateway ended the session for this client
 */

export class SyncClient {
  #events;
  #profile;
  #connection;
  #outgoing;
  #position = new CatchUpPosition();
  #duplicates = new DuplicateFilter();
  /** @type {string | null} */
  #token;
  /** The number of this participant; 0: none yet. */
  #number = 0;
  /** The former number of this client, until the catch-up of the new participant is over; 0: none. */
  #formerNumber = 0;
  #limits = DEFAULT_LIMITS;
  #committed = 0;
  #isConnected = false;
  #isCatchingUp = false;
  #trouble = '';

  /**
   * @param {object} options
   * @param {string} options.url of the session's socket
   * @param {string} options.probeURL the address of the probes, at the gateway
   * @param {Profile} options.profile
   * @param {SavedParticipant | null} options.saved
   * @param {import('./environment.js').Environment} options.env
   * @param {SyncEvents} options.events
   */
  constructor({ url, probeURL, profile, saved, env, events }) {
    this.#events = events;
    this.#profile = profile;
    this.#token = saved?.token ?? null;
    this.#formerNumber = saved?.number ?? 0;
    this.#connection = new Connection(url, probeURL, {
      opened: () => this.#opened(),
      text: (text) => this.#control(text),
      binary: (bytes) => this.#entries(bytes),
      closed: (code, reason) => this.#closed(code, reason),
    }, env);
    this.#outgoing = new Outgoing(this.#connection, env, events);
    if (saved) this.#outgoing.restore(saved.outbox);
  }

  /** The connection: to start, check and stop it. */
  get connection() {
    return this.#connection;
  }

  /** True while entries go in both directions. */
  get isConnected() {
    return this.#isConnected;
  }

  /** True between the beginning and the end of a catch-up. */
  get isCatchingUp() {
    return this.#isCatchingUp;
  }

  /** The code with which the gateway currently refuses connections; '' if there is none. */
  get trouble() {
    return this.#trouble;
  }

  get limits() {
    return this.#limits;
  }

  get token() {
    return this.#token;
  }

  get position() {
    return this.#position;
  }

  /** The sequence up to which, in this epoch, everything is known to be on disk. */
  get committed() {
    return this.#committed;
  }

  /** @returns {OutboxItem[]} the items that the session may not have yet */
  get pending() {
    return this.#outgoing.pending;
  }

  /** @param {Profile} profile */
  setProfile(profile) {
    this.#profile = { ...this.#profile, ...profile };
    this.sendControl('profile', this.#profile);
  }

  /** @param {string} name @param {object} body */
  sendControl(name, body) {
    this.#connection.send(JSON.stringify({ [name]: body }));
  }

  /** @param {import('./wire.js').OutgoingEntry} entry @returns {OutboxItem | null} null for an unreliable entry */
  send(entry) {
    return this.#outgoing.send(entry);
  }

  /** @returns {SavedParticipant} */
  save() {
    return { token: this.#token, number: this.#number || this.#formerNumber, outbox: this.#outgoing.save() };
  }

  stop() {
    this.#isConnected = false;
    this.#outgoing.stop();
    this.#connection.stop();
  }

  #opened() {
    /** @type {Record<string, unknown>} */
    const join = { ...this.#profile };
    if (this.#token) {
      join.resume = { token: this.#token, next: this.#outgoing.next, ...this.#position.resume };
    }
    this.sendControl('join', join);
  }

  /** @param {string} text */
  #control(text) {
    const control = readControl(text);
    switch (control?.name) {
      case 'joined':
        return this.#joined(readJoined(control.body));
      case 'catchUp':
        return this.#catchUp(control.body);
      case 'caughtUp':
        return this.#caughtUp(number(control.body.sequence));
      case 'committed':
        return this.#isCommitted(number(control.body.sequence));
      case 'error':
        return this.#refused(control.body);
    }
  }

  /** @param {Joined | null} joined */
  #joined(joined) {
    if (!joined) return this.#connection.restart();
    const isSameEpoch = this.#position.enter(joined.epoch);
    this.#trouble = '';
    this.#outgoing.joined(joined, isSameEpoch);
    this.#committed = joined.committed;
    this.#token = joined.token;
    if (!joined.resumed) this.#formerNumber ||= this.#number;
    this.#number = joined.participant.number;
    this.#limits = joined.limits;
    this.#connection.expectHeartbeats();
    this.#events.joined(joined, isSameEpoch);
    // Stored before anything is sent: with this token, a later page learns from the gateway which entries it has.
    this.#events.saveChanged(true);
  }

  /** @param {number} sequence */
  #isCommitted(sequence) {
    this.#committed = Math.max(this.#committed, sequence);
    this.#outgoing.committed(sequence);
    this.#events.saveChanged(false);
  }

  /** @param {Record<string, unknown>} body */
  #catchUp(body) {
    this.#isCatchingUp = true;
    this.#connection.awaitReply(true);
    if (body.kind !== 'snapshot') return this.#position.follow();
    this.#position.lose();
    this.#events.snapshotBegan();
  }

  /** @param {number} sequence */
  #caughtUp(sequence) {
    this.#isCatchingUp = false;
    this.#position.caughtUp(sequence);
    this.#outgoing.caughtUp();
    this.#formerNumber = 0;
    this.#connection.recordSuccess();
    this.#events.caughtUp();
    const isNew = !this.#isConnected;
    this.#isConnected = true;
    if (isNew) this.#events.connectionChanged();
    this.#connection.awaitReply(this.#outgoing.isAwaited);
    if (isNew) this.#outgoing.start(this.#limits);
  }

  /** @param {Uint8Array} bytes */
  #entries(bytes) {
    try {
      for (const entry of decodeEntries(bytes)) this.#entry(entry);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#position.lose();
      this.#connection.restart();
    }
  }

  /** @param {Entry} entry */
  #entry(entry) {
    const isOwn = entry.sender === this.#number && this.#number !== 0;
    if (isOwn && !entry.reliable) return;
    entry.isRepeat = this.#duplicates.isRepeat(entry, this.#events.participantID(entry.sender));
    this.#position.apply(entry.sequence);
    this.#events.entry(entry);
    if (entry.clientSequence === 0) return;
    if (entry.sender === this.#formerNumber) this.#outgoing.echoedBefore(entry);
    if (!isOwn) return;
    this.#outgoing.echoed(entry, { isSeen: !this.#isCatchingUp });
    this.#awaitReplies();
  }

  #awaitReplies() {
    this.#connection.awaitReply(this.#isCatchingUp || this.#outgoing.isAwaited);
  }

  /** @param {Record<string, unknown>} body of an `error` */
  #refused(body) {
    const clientSequence = number(body.clientSequence);
    const code = typeof body.code === 'string' ? body.code : 'internal';
    const detail = typeof body.detail === 'string' ? body.detail : '';
    const error = new GroupSessionError(code, detail, { limit: number(body.limit) });
    if (clientSequence > 0) {
      this.#outgoing.refused(clientSequence, error, body);
      this.#events.saveChanged(true);
      if (this.#connection.isOpen) this.#awaitReplies();
    }
    this.#events.refused(error);
  }

  /** @param {number} code @param {string} reason @returns {number | null} */
  #closed(code, reason) {
    this.#outgoing.stop();
    this.#isCatchingUp = false;
    const then = afterClose(code, reason, { wasJoined: this.#number !== 0 });
    if (then.action === 'invalidate') {
      this.#events.invalidated(then.reason);
      return null;
    }
    if (then.action === 'reconnect-as-new') this.#token = null;
    const trouble = then.trouble ?? '';
    const isNew = this.#isConnected || this.#trouble !== trouble;
    this.#isConnected = false;
    this.#trouble = trouble;
    if (isNew) this.#events.connectionChanged();
    return then.afterMs;
  }
}
