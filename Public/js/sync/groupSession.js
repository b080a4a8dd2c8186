/** A session that several people share: who is in it, and what they say to each other in one order. */

import { CatchUpPosition } from './catchUpPosition.js';
import { afterClose } from './closeCodes.js';
import { Connection } from './connection.js';
import { DEFAULT_LIMITS, readControl, readJoined } from './control.js';
import { DuplicateFilter } from './duplicateFilter.js';
import { browserEnvironment } from './environment.js';
import { GroupSessionError, InvalidationReason, MessageTooLargeError, NotJoinedError } from './errors.js';
import { number, readPayload } from './json.js';
import { Outgoing } from './outgoing.js';
import { Participants } from './participants.js';
import { RetainedState } from './retainedState.js';
import { checkEntry, decodeEntries, Retention, WireError } from './wire.js';

/**
 * @typedef {import('./environment.js').Environment} Environment
 * @typedef {import('./control.js').Joined} Joined
 * @typedef {import('./outbox.js').OutboxItem} OutboxItem
 * @typedef {import('./participants.js').Participant} Participant
 * @typedef {import('./wire.js').Entry} Entry
 * @typedef {import('./wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {'waiting' | 'joined' | 'invalidated'} State
 *
 * Hears everything at once and in order. Whoever can wait a little takes a `GroupSessionMessenger`.
 * @typedef {object} Observer
 * @property {() => void} [snapshotBegan] what is retained is told anew; it counts from `caughtUp` on
 * @property {(entry: Entry) => void} [entry]
 * @property {(item: OutboxItem, refusal: GroupSessionError | null) => void} [settled] what we said is in the session, or never will be
 * @property {(item: OutboxItem) => void} [unsettled] it was, and the gateway came back without it: it is said again
 * @property {() => void} [caughtUp]
 *
 * @typedef {object} SavedParticipant what makes a later page of the same tab the same participant
 * @property {string | null} token
 * @property {ReturnType<Outgoing['save']>} outbox
 */

/**
 * Begins as `waiting`; is `joined` from the first catch-up on, whatever becomes of the socket; ends `invalidated`, with a
 * `reason`. Events: `statechange`, `connectionchange`, `participantschange` (detail: `joined` and `left`, lists of
 * participants), `activitychange`, `newsession` (detail: `session` and `by`), `notice` and `error` (detail: what was told).
 */
export class GroupSession extends EventTarget {
  #id;
  #base;
  /** @type {{ name?: string, color?: string }} */
  #profile;
  #retained = new RetainedState();
  #participants = new Participants();
  #position = new CatchUpPosition();
  #duplicates = new DuplicateFilter();
  #connection;
  #outgoing;
  /** @type {Set<Observer>} */
  #observers = new Set();
  /** @type {State} */
  #state = 'waiting';
  /** @type {InvalidationReason | null} */
  #reason = null;
  #limits = DEFAULT_LIMITS;
  /** @type {Record<string, unknown>} */
  #activity = {};
  /** @type {Participant | null} */
  #local = null;
  /** @type {string | null} */
  #token;
  #isConnected = false;
  #isCatchingUp = false;
  #committed = 0;
  #isUnsaved = false;
  #trouble = '';

  /**
   * @param {object} options
   * @param {string} options.id of the session
   * @param {URL | string} options.base address of the gateway
   * @param {{ name?: string, color?: string }} [options.profile] how to be shown; the gateway fills in what is missing
   * @param {SavedParticipant | null} [options.saved] to go on as the participant this tab was
   * @param {Environment} [options.env]
   */
  constructor({ id, base, profile = {}, saved = null, env = browserEnvironment }) {
    super();
    this.#id = id;
    this.#base = base;
    this.#profile = profile;
    this.#token = saved?.token ?? null;
    const url = new URL(`api/sessions/${id}/socket`, base);
    url.protocol = url.protocol.replace('http', 'ws');
    this.#connection = new Connection(url.href, {
      opened: () => this.#opened(),
      text: (text) => this.#control(text),
      binary: (bytes) => this.#entries(bytes),
      closed: (code, reason) => this.#closed(code, reason),
    }, env);
    this.#outgoing = new Outgoing(this.#connection, env, {
      settled: (item, refusal) => this.#settled(item, refusal),
      unsettled: (item) => {
        for (const observer of this.#observers) observer.unsettled?.(item);
      },
    });
    if (saved) this.#outgoing.restore(saved.outbox);
  }

  get id() {
    return this.#id;
  }

  /** Where the gateway answers requests about this session. */
  get url() {
    return new URL(`api/sessions/${this.#id}`, this.#base).href;
  }

  get state() {
    return this.#state;
  }

  /** Why it is invalidated. */
  get reason() {
    return this.#reason;
  }

  /** Whether entries are going both ways right now. A session without is still joined. */
  get isConnected() {
    return this.#isConnected;
  }

  get activity() {
    return this.#activity;
  }

  get limits() {
    return this.#limits;
  }

  /** Who holds it is this participant: for requests about the session. */
  get token() {
    return this.#token;
  }

  /** @returns {Participant | null} null until joined */
  get localParticipant() {
    return this.#local;
  }

  /** @returns {Participant[]} everyone who has joined, oneself too */
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

  /** The highest sequence seen. */
  get lastSequence() {
    return this.#position.last;
  }

  /** Sequences of another are none here. */
  get epoch() {
    return this.#position.epoch;
  }

  /** Up to there, in this epoch, all is known to be on disk. */
  get committed() {
    return this.#committed;
  }

  /** Whether the gateway cannot save what is said. */
  get isUnsaved() {
    return this.#isUnsaved;
  }

  /** Why the gateway takes nobody in right now: its code, '' if it did not say. */
  get trouble() {
    return this.#trouble;
  }

  /** @returns {OutboxItem[]} what was said and is not known to be in the session */
  get unsettled() {
    return this.#outgoing.unsettled;
  }

  /** @param {number} number @returns {Participant | null} */
  participant(number) {
    return this.#participants.find(number);
  }

  /** @param {Observer} observer @param {{ signal?: AbortSignal }} [options] */
  observe(observer, { signal } = {}) {
    this.#observers.add(observer);
    signal?.addEventListener('abort', () => this.#observers.delete(observer), { once: true });
  }

  /** Connects, and stays connected until the session is left or invalidated. What is sent before goes out then. */
  join() {
    if (this.#state !== 'invalidated') this.#connection.start();
  }

  /** Ends it for oneself; the others go on. */
  leave() {
    this.#tell('leave', {});
    this.#invalidate(new InvalidationReason('left'));
  }

  /** Ends it for everyone. */
  end() {
    this.#tell('end', {});
  }

  /** @param {{ name?: string, color?: string }} profile */
  setProfile(profile) {
    this.#profile = { ...this.#profile, ...profile };
    this.#tell('profile', this.#profile);
  }

  /** Sets it for everyone. @param {{ title?: string, payload?: unknown }} activity */
  setActivity(activity) {
    this.#tell('activity', activity);
  }

  /** Begins the pending attempt to connect now. @returns {boolean} false if none is pending */
  reconnectNow() {
    return this.#connection.retryNow();
  }

  /**
   * The page returned to sight, or the network or the machine is back: checks the connection at once.
   * @param {{ isDoubtful?: boolean }} [options] `isDoubtful`: the socket may be dead without a sign of it, so a new one is opened
   */
  checkConnection({ isDoubtful = false } = {}) {
    if (this.#state !== 'invalidated') this.#connection.check({ isDoubtful });
  }

  /**
   * Says something. What is reliable is kept until the session has it on disk, and sent as fast as the session takes it;
   * what is not goes now or never.
   * @param {OutgoingEntry} entry
   * @returns {OutboxItem | null} null for what is not reliable
   * @throws {MessageTooLargeError | NotJoinedError | TypeError}
   */
  send(entry) {
    if (this.#state === 'invalidated') throw new NotJoinedError();
    if (entry.payload.length > this.#limits.messageBytes) {
      throw new MessageTooLargeError(this.#limits.messageBytes, entry.payload.length);
    }
    checkEntry(entry);
    const item = this.#outgoing.send(entry);
    // What is added point by point is whole a moment later.
    if (item) this.#changed({ isUrgent: entry.retention !== Retention.append });
    return item;
  }

  /** What a later page of this tab needs in order to go on. @returns {SavedParticipant} */
  save() {
    return { token: this.#token, outbox: this.#outgoing.save() };
  }

  #opened() {
    /** @type {Record<string, unknown>} */
    const join = { ...this.#profile };
    if (this.#token) {
      join.resume = { token: this.#token, next: this.#outgoing.next, ...this.#position.resume };
    }
    this.#tell('join', join);
  }

  /** @param {string} name @param {object} body */
  #tell(name, body) {
    this.#connection.send(JSON.stringify({ [name]: body }));
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
    if (!isSameEpoch) this.#isUnsaved = false;
    this.#trouble = '';
    this.#outgoing.joined(joined, isSameEpoch);
    this.#committed = joined.committed;
    this.#token = joined.token;
    this.#local = joined.participant;
    this.#limits = joined.limits;
    this.#activity = joined.activity;
    this.#connection.expectHeartbeats();
    // Before anything is sent: by this token the gateway knows what it has.
    this.#changed({ isUrgent: true });
  }

  /** @param {number} sequence */
  #isCommitted(sequence) {
    this.#committed = Math.max(this.#committed, sequence);
    this.#outgoing.committed(sequence);
    this.#changed();
  }

  /** @param {Record<string, unknown>} body */
  #catchUp(body) {
    this.#isCatchingUp = true;
    this.#connection.awaitReply(true);
    if (body.kind !== 'snapshot') return this.#position.follow();
    this.#position.lose();
    this.#retained.clear();
    this.#participants.clear();
    for (const observer of this.#observers) observer.snapshotBegan?.();
  }

  /** @param {number} sequence */
  #caughtUp(sequence) {
    this.#isCatchingUp = false;
    this.#position.caughtUp(sequence);
    this.#outgoing.caughtUp();
    for (const observer of this.#observers) observer.caughtUp?.();
    this.#connection.recordSuccess();
    this.#publishParticipants();
    const isNews = !this.#isConnected;
    this.#isConnected = true;
    if (this.#state === 'waiting') this.#become('joined');
    if (isNews) this.dispatchEvent(new Event('connectionchange'));
    this.#connection.awaitReply(this.#outgoing.isAwaited);
    if (isNews) this.#outgoing.start(this.#limits);
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
    const isOwn = entry.sender === this.#local?.number;
    if (isOwn && !entry.reliable) return;
    if (entry.reliable) this.#retained.apply(entry);
    entry.isRepeat = this.#duplicates.isRepeat(entry, this.#participants.find(entry.sender)?.id);
    this.#position.apply(entry.sequence);
    if (entry.system) this.#system(entry);
    for (const observer of this.#observers) observer.entry?.(entry);
    if (!isOwn || entry.clientSequence === 0) return;
    this.#outgoing.echoed(entry, { isSeen: !this.#isCatchingUp });
    this.#expectAnswers();
  }

  /** @param {Entry} entry from the gateway itself */
  #system(entry) {
    const told = readPayload(entry.payload);
    if (!told) return;
    switch (entry.type) {
      case 'participants':
        this.#participants.apply(told);
        if (!this.#isCatchingUp) this.#publishParticipants();
        break;
      case 'activity':
        this.#activity = told;
        this.dispatchEvent(new Event('activitychange'));
        break;
      case 'newSession':
        this.dispatchEvent(new CustomEvent('newsession', { detail: told }));
        break;
      case 'notice':
        if (told.code === 'storage-full' || told.code === 'saved') this.#isUnsaved = told.code !== 'saved';
        this.dispatchEvent(new CustomEvent('notice', { detail: told }));
    }
  }

  #expectAnswers() {
    this.#connection.awaitReply(this.#isCatchingUp || this.#outgoing.isAwaited);
  }

  #publishParticipants() {
    const detail = this.#participants.publish();
    const local = this.#local && this.#participants.find(this.#local.number);
    if (local) this.#local = local;
    this.dispatchEvent(new CustomEvent('participantschange', { detail }));
  }

  /** @param {Record<string, unknown>} body of an `error` */
  #refused(body) {
    const clientSequence = number(body.clientSequence);
    const code = typeof body.code === 'string' ? body.code : 'internal';
    const detail = typeof body.detail === 'string' ? body.detail : '';
    const error = new GroupSessionError(code, detail);
    if (clientSequence > 0) {
      this.#outgoing.refused(clientSequence, error, body);
      this.#changed({ isUrgent: true });
      if (this.#connection.isOpen) this.#expectAnswers();
    }
    this.dispatchEvent(new CustomEvent('error', { detail: error }));
  }

  /** @param {OutboxItem} item @param {GroupSessionError | null} refusal */
  #settled(item, refusal) {
    for (const observer of this.#observers) observer.settled?.(item, refusal);
    this.#changed();
  }

  /** What `save` gives has changed. @param {{ isUrgent?: boolean }} [how] */
  #changed({ isUrgent = false } = {}) {
    this.dispatchEvent(new CustomEvent('savechange', { detail: { isUrgent } }));
  }

  /** @param {number} code @param {string} reason @returns {number | null} */
  #closed(code, reason) {
    this.#outgoing.stop();
    this.#isCatchingUp = false;
    const then = afterClose(code, reason);
    if (then.action === 'invalidate') {
      this.#invalidate(then.reason);
      return null;
    }
    if (then.action === 'reconnect-as-new') this.#token = null;
    const isNews = this.#isConnected || this.#trouble !== (then.trouble ?? '');
    this.#isConnected = false;
    this.#trouble = then.trouble ?? '';
    if (isNews) this.dispatchEvent(new Event('connectionchange'));
    return then.afterMs;
  }

  /** @param {InvalidationReason} reason */
  #invalidate(reason) {
    if (this.#state === 'invalidated') return;
    this.#reason = reason;
    this.#isConnected = false;
    this.#outgoing.stop();
    this.#connection.stop();
    this.#become('invalidated');
  }

  /** @param {State} state */
  #become(state) {
    this.#state = state;
    this.dispatchEvent(new Event('statechange'));
  }
}
