/** A session that several people share: who is in it, and what they say to each other in one order. */

import { afterClose } from './closeCodes.js';
import { browserSurroundings, Connection } from './connection.js';
import { DEFAULT_LIMITS, isObject, number, readControl, readJoined } from './control.js';
import { GroupSessionError, InvalidationReason, MessageTooLargeError, NotJoinedError } from './errors.js';
import { Outbox } from './outbox.js';
import { Participants } from './participants.js';
import { RetainedState } from './retained.js';
import { Sender } from './sender.js';
import { decodeEntries, Retention, WireError } from './wire.js';

/**
 * @typedef {import('./connection.js').Surroundings} Surroundings
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
 * @property {(item: OutboxItem, accepted: boolean) => void} [settled] what we said is in the session, or never will be
 * @property {() => void} [caughtUp]
 *
 * @typedef {object} SavedParticipant what makes a later page of the same tab the same participant
 * @property {string | null} token
 * @property {ReturnType<Outbox['snapshot']>} outbox
 */

/**
 * Begins as `waiting`; is `joined` from the first catch-up on, whatever becomes of the socket; ends `invalidated`, with a
 * `reason`. Events: `statechange`, `connectionchange`, `participantschange` (detail: `joined` and `left`, lists of
 * participants), `activitychange`, `newsession` (detail: `session` and `by`), `notice` and `error` (detail: what was told).
 */
export class GroupSession extends EventTarget {
  #id;
  /** @type {{ name?: string, color?: string }} */
  #profile;
  #outbox = new Outbox();
  #retained = new RetainedState();
  #participants = new Participants();
  /** @type {Participant[]} as last published */
  #published = [];
  #connection;
  #sender;
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
  #epoch = '';
  /** @type {number | null} up to where, in this epoch, what is retained here is whole */
  #after = null;
  #lastSequence = 0;
  #isConnected = false;
  #isCatchingUp = false;
  /** @type {OutboxItem[]} found to be accepted while we were away; told when their effect is seen */
  #learned = [];

  /**
   * @param {object} options
   * @param {string} options.id of the session
   * @param {URL | string} options.base address of the gateway
   * @param {{ name?: string, color?: string }} [options.profile] how to be shown; the gateway fills in what is missing
   * @param {SavedParticipant | null} [options.saved] to go on as the participant this tab was
   * @param {Surroundings} [options.around]
   */
  constructor({ id, base, profile = {}, saved = null, around = browserSurroundings }) {
    super();
    this.#id = id;
    this.#profile = profile;
    this.#token = saved?.token ?? null;
    if (saved) this.#outbox.restore(saved.outbox);
    const url = new URL(`api/sessions/${id}/socket`, base);
    url.protocol = url.protocol.replace('http', 'ws');
    this.#connection = new Connection(url.href, {
      opened: () => this.#opened(),
      text: (text) => this.#control(text),
      binary: (bytes) => this.#entries(bytes),
      closed: (code, reason) => this.#closed(code, reason),
    }, around);
    this.#sender = new Sender(this.#outbox, this.#connection, around);
  }

  get id() {
    return this.#id;
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
    return this.#published;
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
    return this.#lastSequence;
  }

  /** @returns {OutboxItem[]} what was said and is not known to be in the session */
  get unsettled() {
    return this.#outbox.unsettled;
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
    if (this.#state !== 'invalidated') this.#connection.open();
  }

  /** Ends it for oneself; the others go on. */
  leave() {
    this.#tell('leave', {});
    this.#invalidate(new InvalidationReason('left', 'You left the session.'));
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

  /** Does not wait for the next try to connect. */
  reconnectNow() {
    return this.#connection.retryNow();
  }

  /**
   * Says something. What is reliable is kept until the session has it on disk, and sent as fast as the session takes it;
   * what is not goes now or never.
   * @param {OutgoingEntry} entry
   * @returns {OutboxItem | null} null for what is not reliable
   * @throws {MessageTooLargeError | NotJoinedError}
   */
  send(entry) {
    if (this.#state === 'invalidated') throw new NotJoinedError();
    if (entry.payload.length > this.#limits.messageBytes) {
      throw new MessageTooLargeError(this.#limits.messageBytes, entry.payload.length);
    }
    if (!entry.reliable) {
      this.#sender.sendUnreliable(entry);
      return null;
    }
    const item = this.#add(entry);
    this.#sender.flush();
    return item;
  }

  /** What a later page of this tab needs in order to go on. @returns {SavedParticipant} */
  save() {
    return { token: this.#token, outbox: this.#outbox.snapshot() };
  }

  /** @param {OutgoingEntry} entry */
  #add(entry) {
    const saysAll = entry.retention === Retention.replace || entry.retention === Retention.remove;
    if (!saysAll) return this.#outbox.add(entry);
    const { item, superseded } = this.#outbox.addInPlace(entry);
    for (const old of superseded) this.#settle(old, true);
    return item;
  }

  #opened() {
    /** @type {Record<string, unknown>} */
    const join = { ...this.#profile };
    if (this.#token) {
      join.resume = { token: this.#token, next: this.#outbox.next };
      if (this.#after !== null) {
        Object.assign(/** @type {object} */ (join.resume), { epoch: this.#epoch, after: this.#after });
      }
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
        this.#outbox.committed(number(control.body.sequence));
        return this.#changed();
      case 'error':
        return this.#refused(control.body);
    }
  }

  /** @param {Joined | null} joined */
  #joined(joined) {
    if (!joined) return this.#connection.restart();
    const sameEpoch = joined.epoch === this.#epoch;
    if (!sameEpoch) this.#after = null;
    if (joined.resumed) this.#learned.push(...this.#outbox.resume(joined.acknowledged, joined.sequence, sameEpoch));
    else this.#outbox.renumber(sameEpoch);
    this.#outbox.committed(joined.committed);
    this.#epoch = joined.epoch;
    this.#token = joined.token;
    this.#local = joined.participant;
    this.#limits = joined.limits;
    this.#activity = joined.activity;
    this.#changed();
  }

  /** @param {Record<string, unknown>} body */
  #catchUp(body) {
    this.#isCatchingUp = true;
    this.#connection.expect(true);
    if (body.kind !== 'snapshot') return;
    this.#after = null;
    this.#lastSequence = 0;
    this.#retained.clear();
    this.#participants.clear();
    for (const observer of this.#observers) observer.snapshotBegan?.();
  }

  /** @param {number} sequence */
  #caughtUp(sequence) {
    this.#isCatchingUp = false;
    this.#after = sequence;
    this.#lastSequence = Math.max(this.#lastSequence, sequence);
    for (const item of this.#learned.splice(0)) if (item.sequence > 0) this.#settle(item, true);
    for (const observer of this.#observers) observer.caughtUp?.();
    this.#connection.works();
    this.#publishParticipants();
    const isNews = !this.#isConnected;
    this.#isConnected = true;
    if (this.#state === 'waiting') this.#become('joined');
    if (isNews) this.dispatchEvent(new Event('connectionchange'));
    this.#connection.expect(this.#outbox.isAwaited);
    if (isNews) this.#sender.start(this.#limits);
  }

  /** @param {Uint8Array} bytes */
  #entries(bytes) {
    try {
      for (const entry of decodeEntries(bytes)) this.#entry(entry);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#after = null;
      this.#connection.restart();
    }
  }

  /** @param {Entry} entry */
  #entry(entry) {
    const isOwn = entry.sender === this.#local?.number;
    if (isOwn && !entry.reliable) return;
    if (entry.reliable) this.#retained.apply(entry);
    if (entry.sequence > this.#lastSequence) this.#lastSequence = entry.sequence;
    // Within a tail or live, each entry leaves a whole state behind; within a snapshot only its end does.
    if (this.#after !== null && entry.sequence > this.#after) this.#after = entry.sequence;
    if (entry.system) this.#system(entry);
    for (const observer of this.#observers) observer.entry?.(entry);
    if (isOwn && entry.clientSequence > 0) this.#echoed(entry);
  }

  /** @param {Entry} entry our own, back in order */
  #echoed(entry) {
    const item = this.#outbox.accepted(entry.clientSequence, entry.sequence);
    if (!item) return;
    this.#settle(item, true);
    this.#connection.expect(this.#isCatchingUp || this.#outbox.isAwaited);
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
        this.dispatchEvent(new CustomEvent('notice', { detail: told }));
    }
  }

  #publishParticipants() {
    const before = this.#published;
    const now = this.#participants.active;
    this.#published = now;
    if (this.#local) this.#local = now.find((one) => one.number === this.#local?.number) ?? this.#local;
    const joined = now.filter((one) => !before.some((other) => other.number === one.number));
    const left = before.filter((one) => !now.some((other) => other.number === one.number));
    this.dispatchEvent(new CustomEvent('participantschange', { detail: { joined, left } }));
  }

  /** @param {Record<string, unknown>} body of an `error` */
  #refused(body) {
    const clientSequence = number(body.clientSequence);
    const code = typeof body.code === 'string' ? body.code : 'internal';
    const detail = typeof body.detail === 'string' ? body.detail : code;
    if (clientSequence > 0) this.#entryRefused(clientSequence, code, body);
    this.dispatchEvent(new CustomEvent('error', { detail: new GroupSessionError(code, detail) }));
  }

  /** @param {number} clientSequence @param {string} code @param {Record<string, unknown>} body */
  #entryRefused(clientSequence, code, body) {
    switch (code) {
      case 'rate-limited':
      case 'session-quota':
      case 'storage-full':
        this.#outbox.rewind(clientSequence, { removesFirst: code !== 'rate-limited' });
        return this.#sender.pause(number(body.retryAfterMs) || 1000);
      case 'sequence-gap':
        // Ours and the gateway's counts differ: it tells its own when we resume.
        return this.#connection.restart();
      default: {
        const item = this.#outbox.refused(clientSequence);
        if (item) this.#settle(item, false);
      }
    }
  }

  /** @param {OutboxItem} item @param {boolean} accepted */
  #settle(item, accepted) {
    if (item.settled) return;
    item.settled = true;
    for (const observer of this.#observers) observer.settled?.(item, accepted);
    this.#changed();
  }

  /** What `save` gives has changed. */
  #changed() {
    this.dispatchEvent(new Event('savechange'));
  }

  /** @param {number} code @param {string} reason @returns {number | null} */
  #closed(code, reason) {
    this.#sender.stop();
    this.#isCatchingUp = false;
    const then = afterClose(code, reason);
    if (then.action === 'invalidate') {
      this.#invalidate(then.reason);
      return null;
    }
    if (then.action === 'reconnect-as-new') this.#token = null;
    if (this.#isConnected) {
      this.#isConnected = false;
      this.dispatchEvent(new Event('connectionchange'));
    }
    return then.afterMs;
  }

  /** @param {InvalidationReason} reason */
  #invalidate(reason) {
    if (this.#state === 'invalidated') return;
    this.#reason = reason;
    this.#isConnected = false;
    this.#sender.stop();
    this.#connection.stop();
    this.#become('invalidated');
  }

  /** @param {State} state */
  #become(state) {
    this.#state = state;
    this.dispatchEvent(new Event('statechange'));
  }
}

/** @param {Uint8Array} payload */
function readPayload(payload) {
  try {
    const told = JSON.parse(new TextDecoder().decode(payload));
    return isObject(told) ? told : null;
  } catch {
    return null;
  }
}
