/** Who is here, draws, rests or looks elsewhere: heard from what people do, and told where that does not show it. Knows no DOM. */

import { GroupSessionMessenger } from '../sync/groupSessionMessenger.js';
import { CURSOR_TYPE } from './cursorMessage.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {{ isAway: boolean, heardAt: number, drewAt: number }} Heard
 * @typedef {{ kind: 'drawing' | 'here' | 'idle' | 'away', minutes: number }} State `minutes` since anything was done
 */

/** Unreliable: `{}` is here, `{"away": true}` is not looked at, `idle` is for how many seconds nothing was done. */
const PRESENCE_TYPE = 'PresenceMessage';
/** Who does something tells so this often at most, and so is idle no sooner than some time after. */
const TELL_MS = 20_000;
const IDLE_MS = 60_000;
const DRAWING_MS = 3000;
/** Not all at once tell the one who came, or that they are back. */
const SPREAD_MS = 1500;
/** As the gateway allows. */
const MOST_TARGETS = 1000;

/** Event: `change`, of who is away. */
export class Presence extends EventTarget {
  #now;
  #random;
  #after;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {GroupSessionMessenger | null} */
  #messenger = null;
  /** @type {Map<number, Heard>} by the participant's number */
  #heard = new Map();
  #isAway = false;
  #toldAway = false;
  #toldAt = -Infinity;
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
    this.#heard.clear();
    this.#toldAway = false;
    this.#toldAt = -Infinity;
    this.#messenger = session && new GroupSessionMessenger(session, { deliveryMode: 'unreliable' });
    if (!session || !this.#messenger) return;
    session.observe({
      entry: ({ sender, type, system, unchanged }) => {
        // What is caught up with was done before.
        if (session === this.#session && session.isConnected && !system && !unchanged) this.#did(sender, type);
      },
    });
    session.addEventListener('participantschange', (event) => {
      const { joined, left } =
        /** @type {CustomEvent<{ joined: Participant[], left: Participant[] }>} */ (event).detail;
      for (const { number } of left) this.#heard.delete(number);
      this.#greet(session, joined);
    });
    session.addEventListener('connectionchange', () => this.#soon(session, () => this.#tellAway()));
    this.#listen(this.#messenger);
  }

  /** @param {number} number of a participant @returns {State} */
  of(number) {
    const heard = this.#of(number);
    const quiet = this.#now() - heard.heardAt;
    const kind = heard.isAway
      ? 'away'
      : this.#now() - heard.drewAt < DRAWING_MS
      ? 'drawing'
      : quiet >= IDLE_MS
      ? 'idle'
      : 'here';
    return { kind, minutes: Math.max(1, Math.floor(quiet / 60_000)) };
  }

  /** This person did something. */
  active() {
    this.#activeAt = this.#now();
    if (this.#activeAt - this.#toldAt >= TELL_MS) this.#tell();
  }

  /** Whether the page is not to be seen here. @param {boolean} isAway */
  away(isAway) {
    this.#isAway = isAway;
    this.#tellAway();
  }

  #tellAway() {
    if (this.#isAway !== this.#toldAway) this.#tell();
  }

  /** @param {Participant[] | null} [to] */
  #tell(to = null) {
    if (!this.#session?.isConnected) return;
    const idle = Math.round((this.#now() - this.#activeAt) / 1000);
    const message = { ...this.#isAway && { away: true }, ...idle * 1000 >= IDLE_MS && { idle } };
    if (!to) {
      this.#toldAway = this.#isAway;
      this.#toldAt = this.#now();
    }
    // One that is lost is made good by the next thing that is done.
    this.#messenger?.send(message, { type: PRESENCE_TYPE, to }).catch(() => {});
  }

  /** Whoever comes later takes all for here and awake; those who are not say so. @param {GroupSession} session @param {Participant[]} joined */
  #greet(session, joined) {
    const me = session.localParticipant?.number;
    if (joined.length === 0 || joined.some(({ number }) => number === me)) return;
    this.#soon(session, () => {
      if (this.#isAway || this.#now() - this.#activeAt >= IDLE_MS) this.#tell(joined.slice(0, MOST_TARGETS));
    });
  }

  /** @param {GroupSession} session @param {() => void} call unless there is another session by then */
  #soon(session, call) {
    this.#after(this.#random() * SPREAD_MS, () => session === this.#session && call());
  }

  /** @param {number} sender @param {string} type */
  #did(sender, type) {
    if (type === PRESENCE_TYPE) return;
    const heard = this.#of(sender);
    const now = this.#now();
    heard.heardAt = now;
    if (type !== CURSOR_TYPE) heard.drewAt = now;
    // What waited may be sent from a page that nobody looks at; a pointer is moved by somebody.
    else if (heard.isAway) this.#set(heard, false);
  }

  /** @param {GroupSessionMessenger} messenger until its session ends */
  async #listen(messenger) {
    for await (const { message, context } of messenger.messages(PRESENCE_TYPE)) {
      if (messenger !== this.#messenger || !context.source) continue;
      const { away, idle } = /** @type {{ away?: unknown, idle?: unknown }} */ (message ?? {});
      const heard = this.#of(context.source.number);
      const seconds = typeof idle === 'number' && idle > 0 && idle < 1e7 ? idle : 0;
      heard.heardAt = this.#now() - seconds * 1000;
      this.#set(heard, away === true);
    }
  }

  /** @param {Heard} heard @param {boolean} isAway */
  #set(heard, isAway) {
    if (heard.isAway === isAway) return;
    heard.isAway = isAway;
    this.dispatchEvent(new Event('change'));
  }

  /** @param {number} number @returns {Heard} */
  #of(number) {
    const heard = this.#heard.get(number) ?? { isAway: false, heardAt: this.#now(), drewAt: -Infinity };
    this.#heard.set(number, heard);
    return heard;
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
