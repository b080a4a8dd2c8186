/** A session that several people share: its participants, and the entries of all of them in one order. */

import { browserEnvironment } from './environment.js';
import { InvalidationReason, MessageTooLargeError, NotJoinedError } from './errors.js';
import { readPayload } from './json.js';
import { GroupSessionMessenger } from './groupSessionMessenger.js';
import { Participants } from './participants.js';
import { RetainedState } from './retainedState.js';
import { SyncClient } from './syncClient.js';
import { checkEntry, Retention } from './wire.js';

/**
 * @typedef {import('./errors.js').GroupSessionError} GroupSessionError
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./participants.js').Participant} Participant
 * @typedef {import('./syncClient.js').SavedParticipant} SavedParticipant
 * @typedef {import('./wire.js').Entry} Entry
 * @typedef {'waiting' | 'joined' | 'invalidated'} State
 *
 * Receives all entries synchronously and in order. For messages alone, a `GroupSessionMessenger` is easier to use.
 * @typedef {object} Observer
 * @property {() => void} [snapshotBegan] all retained entries follow; they are complete at `caughtUp`
 * @property {(entry: Entry) => void} [entry]
 * @property {(item: OutboxItem, refusal: GroupSessionError | null) => void} [acked] the session has the item, or the gateway
 *   refused it
 * @property {(item: OutboxItem) => void} [reopened] the gateway has lost an acknowledged item, which is sent again
 * @property {() => void} [caughtUp]
 */

/**
 * The state begins as `waiting`. It is `joined` from the first catch-up on, also while the socket is lost. It ends as
 * `invalidated`, with a `reason`. Events: `statechange`, `connectionchange`, `participantschange` (detail: `joined` and `left`,
 * lists of participants), `activitychange`, `newsession` (detail: `session` and `by`), `notice` and `error` (detail: the
 * gateway's message).
 */
export class GroupSession extends EventTarget {
  #id;
  #base;
  #client;
  #retained = new RetainedState();
  #participants = new Participants();
  /** @type {Set<Observer>} */
  #observers = new Set();
  /** @type {State} */
  #state = 'waiting';
  /** @type {InvalidationReason | null} */
  #reason = null;
  /** @type {Record<string, unknown>} */
  #activity = {};
  /** @type {Participant | null} */
  #local = null;
  #hasBegun = false;
  #isUnsaved = false;

  /**
   * @param {object} options
   * @param {string} options.id of the session
   * @param {URL | string} options.base address of the gateway
   * @param {{ name?: string, color?: string }} [options.profile] of this participant; the gateway chooses missing values
   * @param {SavedParticipant | null} [options.saved] to continue as the participant of an earlier page
   * @param {import('./environment.js').Environment} [options.env]
   */
  constructor({ id, base, profile = {}, saved = null, env = browserEnvironment }) {
    super();
    this.#id = id;
    this.#base = base;
    const url = new URL(`api/sessions/${id}/socket`, base);
    url.protocol = url.protocol.replace('http', 'ws');
    this.#client = new SyncClient({
      url: url.href,
      probeURL: new URL('healthz', base).href,
      profile,
      saved,
      env,
      events: {
        joined: (joined, isSameEpoch) => this.#joined(joined, isSameEpoch),
        snapshotBegan: () => this.#snapshotBegan(),
        entry: (entry) => this.#entry(entry),
        participantID: (sender) => this.#participants.find(sender)?.id,
        caughtUp: () => this.#caughtUp(),
        connectionChanged: () => this.#connectionChanged(),
        acked: (item, refusal) => {
          for (const observer of this.#observers) observer.acked?.(item, refusal);
          this.#saveChanged(false);
        },
        reopened: (item) => {
          for (const observer of this.#observers) observer.reopened?.(item);
        },
        refused: (error) => this.dispatchEvent(new CustomEvent('error', { detail: error })),
        saveChanged: (isUrgent) => this.#saveChanged(isUrgent),
        invalidated: (reason) => this.#invalidate(reason),
      },
    });
  }

  get id() {
    return this.#id;
  }

  /** The address of requests about this session. */
  get url() {
    return new URL(`api/sessions/${this.#id}`, this.#base).href;
  }

  get state() {
    return this.#state;
  }

  /** The reason of the invalidation. */
  get reason() {
    return this.#reason;
  }

  /** True while entries go in both directions. A session without a connection is still joined. */
  get isConnected() {
    return this.#client.isConnected;
  }

  get activity() {
    return this.#activity;
  }

  get limits() {
    return this.#client.limits;
  }

  /** The secret that identifies this participant in requests about the session. */
  get token() {
    return this.#client.token;
  }

  /** @returns {Participant | null} null until joined */
  get localParticipant() {
    return this.#local;
  }

  /** @returns {Participant[]} all who have joined, this one included */
  get activeParticipants() {
    return this.#participants.published;
  }

  /** @returns {Participant[]} */
  get waitingParticipants() {
    return this.#participants.waiting;
  }

  get retained() {
    return this.#retained;
  }

  /** The highest received sequence. */
  get lastSequence() {
    return this.#client.position.last;
  }

  /** The epoch of the gateway. Sequences of different epochs must not be compared. */
  get epoch() {
    return this.#client.position.epoch;
  }

  /** The sequence up to which, in this epoch, everything is known to be on disk. */
  get committed() {
    return this.#client.committed;
  }

  /** True while the gateway cannot save entries. */
  get isUnsaved() {
    return this.#isUnsaved;
  }

  /** The code with which the gateway currently refuses connections; '' if there is none. */
  get trouble() {
    return this.#client.trouble;
  }

  /** @returns {OutboxItem[]} the items that the session may not have yet */
  get pending() {
    return this.#client.pending;
  }

  /** @param {number} number @returns {Participant | null} */
  participant(number) {
    return this.#participants.find(number);
  }

  /**
   * Creates a messenger of this session, for code that is loaded before the class of messengers.
   * @param {ConstructorParameters<typeof GroupSessionMessenger>[1]} options
   */
  messenger(options) {
    return new GroupSessionMessenger(this, options);
  }

  /** @param {Observer} observer @param {{ signal?: AbortSignal }} [options] */
  observe(observer, { signal } = {}) {
    this.#observers.add(observer);
    signal?.addEventListener('abort', () => this.#observers.delete(observer), { once: true });
  }

  /**
   * Connects, and stays connected until the session is left or invalidated. Then sends the entries that were sent before. Further
   * calls have no effect.
   */
  join() {
    if (this.#hasBegun || this.#state === 'invalidated') return;
    this.#hasBegun = true;
    this.#client.connection.start();
  }

  /** Leaves the session. The others continue. */
  leave() {
    this.#client.sendControl('leave', {});
    this.#invalidate(new InvalidationReason('left'));
  }

  /** Ends the session for everyone. */
  end() {
    this.#client.sendControl('end', {});
  }

  /** @param {{ name?: string, color?: string }} profile */
  setProfile(profile) {
    this.#client.setProfile(profile);
  }

  /** Sets the activity for everyone. @param {{ title?: string, payload?: unknown }} activity */
  setActivity(activity) {
    this.#client.sendControl('activity', activity);
  }

  /** Begins the pending attempt to connect now. @returns {boolean} false if none is pending */
  reconnectNow() {
    return this.#client.connection.retryNow();
  }

  /**
   * Checks the connection at once, because the page became visible again, the network is back, or the machine was asleep.
   * @param {{ isDoubtful?: boolean }} [options] `isDoubtful`: the socket may be dead without an event, so a new one is opened
   */
  checkConnection({ isDoubtful = false } = {}) {
    if (this.#state !== 'invalidated') this.#client.connection.check({ isDoubtful });
  }

  /**
   * Sends an entry. A reliable one is kept until the session has it on disk, and sent as fast as the rate limits allow. An
   * unreliable one is sent at once or dropped.
   * @param {import('./wire.js').OutgoingEntry} entry
   * @returns {OutboxItem | null} null for an unreliable entry
   * @throws {MessageTooLargeError | NotJoinedError | TypeError}
   */
  send(entry) {
    if (this.#state === 'invalidated') throw new NotJoinedError();
    const { messageBytes } = this.limits;
    if (entry.payload.length > messageBytes) throw new MessageTooLargeError(messageBytes, entry.payload.length);
    checkEntry(entry);
    const item = this.#client.send(entry);
    // Appends, such as the points of a stroke, need not be stored at once: the complete entry follows soon.
    if (item) this.#saveChanged(entry.retention !== Retention.append);
    return item;
  }

  /** @returns {SavedParticipant} with which a later page of this tab continues */
  save() {
    return this.#client.save();
  }

  /** @param {import('./control.js').Joined} joined @param {boolean} isSameEpoch */
  #joined({ participant, activity }, isSameEpoch) {
    if (!isSameEpoch) this.#isUnsaved = false;
    this.#local = participant;
    this.#activity = activity;
  }

  #snapshotBegan() {
    this.#retained.clear();
    this.#participants.clear();
    for (const observer of this.#observers) observer.snapshotBegan?.();
  }

  /** @param {Entry} entry */
  #entry(entry) {
    if (entry.reliable) this.#retained.apply(entry);
    if (entry.system) this.#systemEntry(entry);
    for (const observer of this.#observers) observer.entry?.(entry);
  }

  /** @param {Entry} entry from the gateway itself */
  #systemEntry({ type, payload }) {
    const content = readPayload(payload);
    if (!content) return;
    switch (type) {
      case 'participants':
        this.#participants.apply(content);
        if (!this.#client.isCatchingUp) this.#publishParticipants();
        break;
      case 'activity':
        this.#activity = content;
        this.dispatchEvent(new Event('activitychange'));
        break;
      case 'newSession':
        this.dispatchEvent(new CustomEvent('newsession', { detail: content }));
        break;
      case 'notice':
        if (content.code === 'storage-full' || content.code === 'saved') this.#isUnsaved = content.code !== 'saved';
        this.dispatchEvent(new CustomEvent('notice', { detail: content }));
    }
  }

  #caughtUp() {
    for (const observer of this.#observers) observer.caughtUp?.();
    this.#publishParticipants();
  }

  #connectionChanged() {
    if (this.isConnected && this.#state === 'waiting') this.#become('joined');
    this.dispatchEvent(new Event('connectionchange'));
  }

  #publishParticipants() {
    const detail = this.#participants.publish();
    const local = this.#local && this.#participants.find(this.#local.number);
    if (local) this.#local = local;
    this.dispatchEvent(new CustomEvent('participantschange', { detail }));
  }

  /** Reports that the result of `save` has changed. @param {boolean} isUrgent */
  #saveChanged(isUrgent) {
    this.dispatchEvent(new CustomEvent('savechange', { detail: { isUrgent } }));
  }

  /** @param {InvalidationReason} reason */
  #invalidate(reason) {
    if (this.#state === 'invalidated') return;
    this.#reason = reason;
    this.#client.stop();
    this.#become('invalidated');
  }

  /** @param {State} state */
  #become(state) {
    this.#state = state;
    this.dispatchEvent(new Event('statechange'));
  }
}
