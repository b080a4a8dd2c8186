/** The presence of the others: active, drawing, idle or away. It follows from their messages, and is sent where these do not show it. Needs no DOM. */

import { GroupSessionMessenger } from '../sync/groupSessionMessenger.js';
import { CURSOR_TYPE } from './cursorMessage.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {{ isAway: boolean, activeAt: number, drawnAt: number }} Activity
 * @typedef {{ kind: 'drawing' | 'here' | 'idle' | 'away', minutes: number }} State `minutes` since anything was done
 */

/** Unreliable: `{}` is here, `{"away": true}` is not looked at, `idle` is for how many seconds nothing was done. */
const PRESENCE_TYPE = 'PresenceMessage';
/** Who does something tells so this often at most, and so is idle no sooner than some time after. */
const SEND_INTERVAL_MS = 20_000;
const IDLE_MS = 60_000;
const DRAWING_MS = 3000;
/** Not all at once tell the one who came, or that they are back. */
const SPREAD_MS = 1500;
/** As the gateway allows. */
const MAX_TARGETS = 1000;

/** Event: `change`, of who is away. */
export class Presence extends EventTarget {
  #now;
  #random;
  #after;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {GroupSessionMessenger | null} */
  #messenger = null;
  /** @type {Map<number, Activity>} by the participant's number */
  #activities = new Map();
  #isAway = false;
  #sentAway = false;
  #sentAt = -Infinity;
  #activeAt;

  /** @param {{ now?: () => number, random?: () => number, after?: (ms: number, call: () => void) => void }} [around] time in milliseconds */
  constructor({
    now = () => performance.now(),
    random = Math.random,
    after = (ms, call) => void setTimeout(call, ms),
  } = {}) {
    super();
    this.#now = now;
    this.#random = random;
    this.#after = after;
    this.#activeAt = now();
  }

  /** @param {GroupSession | null} session from now on */
  follow(session) {
    this.#session = session;
    this.#activities.clear();
    this.#sentAway = false;
    this.#sentAt = -Infinity;
    this.#messenger = session && new GroupSessionMessenger(session, { deliveryMode: 'unreliable' });
    if (!session || !this.#messenger) return;
    session.observe({
      entry: ({ sender, type, system, unchanged }) => {
        // What is caught up with was done before.
        if (session === this.#session && session.isConnected && !system && !unchanged) {
          this.#recordActivity(sender, type);
        }
      },
    });
    session.addEventListener('participantschange', (event) => {
      const { joined, left } =
        /** @type {CustomEvent<{ joined: Participant[], left: Participant[] }>} */ (event).detail;
      for (const { number } of left) this.#activities.delete(number);
      this.#sendToNewcomers(session, joined);
    });
    session.addEventListener('connectionchange', () => this.#afterRandomDelay(session, () => this.#sendAway()));
    this.#listen(this.#messenger);
  }

  /** @param {number} number of a participant @returns {State} */
  of(number) {
    const activity = this.#of(number);
    const quiet = this.#now() - activity.activeAt;
    const kind = activity.isAway
      ? 'away'
      : this.#now() - activity.drawnAt < DRAWING_MS
      ? 'drawing'
      : quiet >= IDLE_MS
      ? 'idle'
      : 'here';
    return { kind, minutes: Math.max(1, Math.floor(quiet / 60_000)) };
  }

  /** This person did something. */
  active() {
    this.#activeAt = this.#now();
    if (this.#activeAt - this.#sentAt >= SEND_INTERVAL_MS) this.#send();
  }

  /** Whether the page is not to be seen here. @param {boolean} isAway */
  away(isAway) {
    this.#isAway = isAway;
    this.#sendAway();
  }

  #sendAway() {
    if (this.#isAway !== this.#sentAway) this.#send();
  }

  /** @param {Participant[] | null} [to] */
  #send(to = null) {
    if (!this.#session?.isConnected) return;
    const idle = Math.round((this.#now() - this.#activeAt) / 1000);
    const message = { ...this.#isAway && { away: true }, ...idle * 1000 >= IDLE_MS && { idle } };
    if (!to) {
      this.#sentAway = this.#isAway;
      this.#sentAt = this.#now();
    }
    // One that is lost is made good by the next thing that is done.
    this.#messenger?.send(message, { type: PRESENCE_TYPE, to }).catch(() => {});
  }

  /** Whoever comes later takes all for here and awake; those who are not say so. @param {GroupSession} session @param {Participant[]} joined */
  #sendToNewcomers(session, joined) {
    const me = session.localParticipant?.number;
    if (joined.length === 0 || joined.some(({ number }) => number === me)) return;
    this.#afterRandomDelay(session, () => {
      if (this.#isAway || this.#now() - this.#activeAt >= IDLE_MS) this.#send(joined.slice(0, MAX_TARGETS));
    });
  }

  /** @param {GroupSession} session @param {() => void} call unless there is another session by then */
  #afterRandomDelay(session, call) {
    this.#after(this.#random() * SPREAD_MS, () => session === this.#session && call());
  }

  /** @param {number} sender @param {string} type */
  #recordActivity(sender, type) {
    if (type === PRESENCE_TYPE) return;
    const activity = this.#of(sender);
    const now = this.#now();
    activity.activeAt = now;
    if (type !== CURSOR_TYPE) activity.drawnAt = now;
    // What waited may be sent from a page that nobody looks at; a pointer is moved by somebody.
    else if (activity.isAway) this.#set(activity, false);
  }

  /** @param {GroupSessionMessenger} messenger until its session ends */
  async #listen(messenger) {
    for await (const { message, context } of messenger.messages(PRESENCE_TYPE)) {
      if (messenger !== this.#messenger || !context.source) continue;
      const { away, idle } = /** @type {{ away?: unknown, idle?: unknown }} */ (message ?? {});
      const activity = this.#of(context.source.number);
      const seconds = typeof idle === 'number' && idle > 0 && idle < 1e7 ? idle : 0;
      activity.activeAt = this.#now() - seconds * 1000;
      this.#set(activity, away === true);
    }
  }

  /** @param {Activity} activity @param {boolean} isAway */
  #set(activity, isAway) {
    if (activity.isAway === isAway) return;
    activity.isAway = isAway;
    this.dispatchEvent(new Event('change'));
  }

  /** @param {number} number @returns {Activity} */
  #of(number) {
    const activity = this.#activities.get(number) ?? { isAway: false, activeAt: this.#now(), drawnAt: -Infinity };
    this.#activities.set(number, activity);
    return activity;
  }
}

/**
 * The tabs of one person: name and color are a browser's, so that alike are the same person's, and nothing else need be told.
 * @param {Participant[]} participants @returns {(Participant & { numbers: number[] })[]} one for each person
 */
export function peopleAmong(participants) {
  /** @type {Map<string, Participant & { numbers: number[] }>} */
  const people = new Map();
  for (const one of participants) {
    const known = people.get(identity(one));
    if (known) known.numbers.push(one.number);
    else people.set(identity(one), { ...one, numbers: [one.number] });
  }
  return [...people.values()];
}

/** @param {{ name: string, color: string }} person @returns {string} */
export function identity({ name, color }) {
  return `${color.toLowerCase()} ${name}`;
}
