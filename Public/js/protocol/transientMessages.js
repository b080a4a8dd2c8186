/**
 * The unreliable messages between pages: they are sent at once or dropped, and never retained. Received messages are limited in
 * size, and in rate for each sender.
 */

import { SenderLimit } from './senderLimit.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {(sender: number, message: Record<string, unknown>) => void} Receiver `sender`: the participant's number
 */

/** The types of these messages. `presence.js` lists them too. */
export const TransientType = Object.freeze({
  follow: 'FollowMessage',
  view: 'ViewMessage',
  gather: 'GatherMessage',
  laser: 'LaserMessage',
  ping: 'PingMessage',
  hand: 'HandMessage',
  reaction: 'ReactionMessage',
});

/** The maximum size of a received message. Longer ones are ignored without decoding them. */
export const MAX_BYTES = 2048;
/** The accepted rate of messages from a participant: about twice the rate of a laser and a moving view together. */
export const MESSAGES_PER_SECOND = 100;
const BURST = 200;
/** The gateway's limit for the targets of a message. */
const MAX_TARGETS = 1000;

export class TransientMessages {
  #now;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** @type {Map<string, Receiver>} by message type */
  #receivers = new Map();
  #limit = new SenderLimit(MESSAGES_PER_SECOND, BURST);

  /** @param {() => number} [now] milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Switches to another session. @param {GroupSession | null} session null: none */
  follow(session) {
    this.#lifetime?.abort();
    this.#lifetime = new AbortController();
    this.#limit.keepOnly(() => false);
    this.#session = session;
    session?.observe({ entry: (entry) => this.#receive(session, entry) }, this.#lifetime);
    session?.addEventListener('participantschange', () => {
      const here = new Set(session.activeParticipants.map(({ number }) => number));
      this.#limit.keepOnly((number) => here.has(number));
    }, this.#lifetime);
  }

  /** Receives entries of the session that arrived earlier. @param {Iterable<Entry>} entries */
  receiveEarlier(entries) {
    const session = this.#session;
    if (session) { for (const entry of entries) this.#receive(session, entry); }
  }

  /** @param {string} type @param {Receiver} receive called for each message of this type from another participant */
  on(type, receive) {
    this.#receivers.set(type, receive);
  }

  /**
   * Sends a message, or drops it if there is no connection.
   * @param {string} type @param {object} message @param {number[] | null} [to] participants' numbers; null: all
   */
  send(type, message, to = null) {
    if (!this.#session?.isConnected || to?.length === 0) return;
    const payload = new TextEncoder().encode(JSON.stringify(message));
    this.#session.send({ type, reliable: false, payload, targets: to && to.slice(0, MAX_TARGETS) });
  }

  /** @param {GroupSession} session @param {Entry} entry */
  #receive(session, { type, reliable, system, sender, payload }) {
    const receive = this.#receivers.get(type);
    if (!receive || reliable || system || payload.length > MAX_BYTES) return;
    if (sender === session.localParticipant?.number || !session.participant(sender)) return;
    if (!this.#limit.allows(sender, this.#now())) return;
    const message = read(payload);
    if (message) receive(sender, message);
  }
}

/** @param {Uint8Array} payload @returns {Record<string, unknown> | null} null if it is no object */
function read(payload) {
  try {
    const message = JSON.parse(new TextDecoder().decode(payload));
    return message && typeof message === 'object' && !Array.isArray(message) ? message : null;
  } catch {
    return null;
  }
}
