/**
 * The presence of the others: here, drawing, idle or away. It is derived from their messages. Presence messages are sent only
 * where the other messages do not show it. Needs no DOM.
 */

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/groupSessionMessenger.js').GroupSessionMessenger} GroupSessionMessenger
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {{ isAway: boolean, activeAt: number, drawnAt: number, sheet: number }} Activity
 * @typedef {{ kind: 'drawing' | 'here' | 'idle' | 'away', minutes: number, sheet: number }} State `minutes`: the time since the last
 *   activity; `sheet`: the number of the sheet that the participant sees
 */

/**
 * The message type, unreliable. `{}`: here; `{"away": true}`: the page is hidden; `idle`: the seconds since the last activity;
 * `sheet`: the number of the shown sheet, if it is not the first one.
 */
const PRESENCE_TYPE = 'PresenceMessage';
/** The messages that pages send by themselves, without an action of the participant. */
const AUTOMATIC = /^(?:Presence|Follow|View|Hand)Message$/;
/** The messages of participants who point at something, and do not draw. */
const POINTING = /^(?:Cursor|Laser|Ping|Gather|Reaction)Message$/;
/** The minimum interval between messages about activity. It is shorter than the time after which a participant counts as idle. */
const SEND_INTERVAL_MS = 20_000;
const IDLE_MS = 60_000;
const DRAWING_MS = 3000;
/** The maximum random delay of messages to newcomers and after a reconnect, so that not all clients send at once. */
const SPREAD_MS = 1500;
/** The gateway's limit for the targets of a message. */
const MAX_TARGETS = 1000;

/** Event: `change`, after a participant went away or came back, or saw another sheet. */
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
  #sheet = 1;
  #sentAway = false;
  /** The sheet in the last message to all. */
  #sentSheet = 1;
  #sentAt = -Infinity;
  #activeAt;

  /**
   * @param {{ now?: () => number, random?: () => number, after?: (ms: number, call: () => void) => void }} [around] clock and
   *   timers; times in milliseconds
   */
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

  /** Switches to another session. @param {GroupSession | null} session null: none */
  follow(session) {
    this.#session = session;
    this.#activities.clear();
    this.#sentAway = false;
    this.#sentSheet = 1;
    this.#sentAt = -Infinity;
    this.#messenger = session && session.messenger({ deliveryMode: 'unreliable' });
    if (!session || !this.#messenger) return;
    session.observe({
      entry: ({ sender, type, system, unchanged }) => {
        // Entries of a catch-up show earlier activity.
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
    session.addEventListener('connectionchange', () => {
      const { isConnected } = session;
      this.#afterRandomDelay(session, () => this.#sendAway(isConnected));
    });
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
    return { kind, minutes: Math.max(1, Math.floor(quiet / 60_000)), sheet: activity.sheet };
  }

  /** Records that this person did something. */
  active() {
    this.#activeAt = this.#now();
    if (this.#activeAt - this.#sentAt >= SEND_INTERVAL_MS) this.#send();
  }

  /** Sets the state of this person. @param {boolean} isAway true if the page is hidden */
  away(isAway) {
    this.#isAway = isAway;
    this.#sendAway();
  }

  /** Sets the sheet that this page shows. @param {number} sheet its number */
  see(sheet) {
    this.#sheet = sheet;
    this.#send();
  }

  /** @param {boolean} [isConnected] true if the connection has just come back */
  #sendAway(isConnected = false) {
    // Participants who joined since the loss assume the first sheet, and the others know the sheet that was sent last.
    const isSheetUnknown = isConnected && Math.max(this.#sheet, this.#sentSheet) > 1;
    if (this.#isAway !== this.#sentAway || isSheetUnknown) this.#send();
  }

  /** @param {Participant[] | null} [to] */
  #send(to = null) {
    if (!this.#session?.isConnected) return;
    const idle = Math.round((this.#now() - this.#activeAt) / 1000);
    const message = {
      ...this.#isAway && { away: true },
      ...idle * 1000 >= IDLE_MS && { idle },
      ...this.#sheet > 1 && { sheet: this.#sheet },
    };
    if (!to) {
      this.#sentAway = this.#isAway;
      this.#sentSheet = this.#sheet;
      this.#sentAt = this.#now();
    }
    // A lost message does no harm: the next activity sends another one.
    this.#messenger?.send(message, { type: PRESENCE_TYPE, to }).catch(() => {});
  }

  /**
   * Sends the state of an idle or hidden page to newcomers, who assume that everybody is active and sees the first sheet.
   * @param {GroupSession} session @param {Participant[]} joined
   */
  #sendToNewcomers(session, joined) {
    const me = session.localParticipant?.number;
    if (joined.length === 0 || joined.some(({ number }) => number === me)) return;
    this.#afterRandomDelay(session, () => {
      const isExpected = this.#sheet === 1 && !this.#isAway && this.#now() - this.#activeAt < IDLE_MS;
      if (!isExpected) this.#send(joined.slice(0, MAX_TARGETS));
    });
  }

  /** @param {GroupSession} session @param {() => void} call not called if the session has changed by then */
  #afterRandomDelay(session, call) {
    this.#after(this.#random() * SPREAD_MS, () => session === this.#session && call());
  }

  /** @param {number} sender @param {string} type */
  #recordActivity(sender, type) {
    if (AUTOMATIC.test(type)) return;
    const activity = this.#of(sender);
    const now = this.#now();
    activity.activeAt = now;
    if (isDrawing(type)) activity.drawnAt = now;
    // A moved pointer shows that the person is here. Other entries do not, because a hidden page may send pending ones.
    else if (activity.isAway) this.#set(activity, false);
  }

  /** @param {GroupSessionMessenger} messenger until its session ends */
  async #listen(messenger) {
    for await (const { message, context } of messenger.messages(PRESENCE_TYPE)) {
      if (messenger !== this.#messenger || !context.source) continue;
      const { away, idle, sheet } = /** @type {{ away?: unknown, idle?: unknown, sheet?: unknown }} */ (message ?? {});
      const activity = this.#of(context.source.number);
      const seconds = typeof idle === 'number' && idle > 0 && idle < 1e7 ? idle : 0;
      activity.activeAt = this.#now() - seconds * 1000;
      this.#set(activity, away === true, typeof sheet === 'number' ? sheet : 1);
    }
  }

  /** @param {Activity} activity @param {boolean} isAway @param {number} [sheet] */
  #set(activity, isAway, sheet = activity.sheet) {
    if (activity.isAway === isAway && activity.sheet === sheet) return;
    Object.assign(activity, { isAway, sheet });
    this.dispatchEvent(new Event('change'));
  }

  /** @param {number} number @returns {Activity} */
  #of(number) {
    const activity = this.#activities.get(number) ??
      { isAway: false, activeAt: this.#now(), drawnAt: -Infinity, sheet: 1 };
    this.#activities.set(number, activity);
    return activity;
  }
}

/** @param {string} type of an entry @returns {boolean} true if the sender of such an entry draws or changes something */
export function isDrawing(type) {
  return !AUTOMATIC.test(type) && !POINTING.test(type);
}

/**
 * Groups participants by person. All tabs of a browser have the same name and color, so equal ones count as one person.
 * @param {Participant[]} participants
 * @returns {(Participant & { numbers: number[] })[]} one entry for each person, with the numbers of all tabs
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
