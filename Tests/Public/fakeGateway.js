/**
 * The gateway's side of one session, written from the description of the protocol, with a disk, crashes, restarts and refusals.
 */

import { FakeSocket, gatewayEntry, LIMITS, readClientEntries } from './support.js';

/**
 * @typedef {{ sequence: number, sender: number, clientSequence: number, flags: number, key: number | undefined,
 *   type: string, payload: string }} Held
 * @typedef {{ id: string, number: number, acknowledged: number }} Person
 * @typedef {{ log: Held[], people: Map<string, Person>, numbers: number, sequence: number }} State
 * @typedef {{ socket: FakeSocket, read: number, out: (object | Uint8Array)[], person: Person | null, isCaughtUp: boolean,
 *   isBehind: boolean }} Line `out`: the messages on their way to the client, which are lost with the socket
 */

const encoder = new TextEncoder();
const EXISTING = 32;

export class FakeGateway {
  /** @type {State} */
  state = { log: [], people: new Map(), numbers: 0, sequence: 0 };
  /** The state after a crash. @type {State} */
  disk = structuredClone(this.state);
  committed = 0;
  epoch = 'e1';
  isUp = true;
  /** The number of reliable entries refused with a gap. */
  gaps = 0;
  /** @type {Line[]} */
  lines = [];
  /** The code of a temporary refusal of the next entry; '' for none. @type {string} */
  refuses = '';
  /** True if the client sequences of refused entries are on the disk, too, as in the real gateway. */
  keepsUsed = true;
  /** True if all client sequences below the `next` of a resume count as used, as in the real gateway. */
  takesNext = true;

  /** @param {string} url */
  openSocket = (url) => {
    const socket = new FakeSocket(url);
    this.lines.push({ socket, read: 0, out: [], person: null, isCaughtUp: false, isBehind: false });
    return /** @type {any} */ (socket);
  };

  /** Delivers the next message to a client. @param {number} at the index of its socket, modulo the number of sockets */
  deliver(at) {
    const line = this.#line(at);
    const data = line?.out.shift();
    if (data instanceof Uint8Array) line?.socket.entries(data);
    else if (data) line?.socket.tell(data);
  }

  /** Handles the next message of a client. @param {number} at the index of its socket, modulo the number of sockets */
  serve(at) {
    const line = this.#line(at);
    if (!line) return;
    if (!this.isUp) return line.socket.cut();
    if (line.socket.readyState === 0) return line.socket.open();
    const data = line.socket.sent[line.read];
    if (data === undefined) return;
    line.read += 1;
    if (typeof data === 'string') {
      const { join } = JSON.parse(data);
      if (join) this.#join(line, join);
    } else for (const entry of readClientEntries(data)) this.#take(line, entry);
  }

  /** Cuts a connection. @param {number} at the index of its socket, modulo the number of sockets */
  cut(at) {
    this.#line(at)?.socket.cut();
  }

  /** Stores everything, and announces it. */
  save() {
    this.disk = structuredClone(this.state);
    for (const person of this.keepsUsed ? [] : this.disk.people.values()) {
      const said = this.disk.log.filter(({ sender }) => sender === person.number);
      person.acknowledged = said.at(-1)?.clientSequence ?? 0;
    }
    if (this.committed === this.state.sequence) return;
    this.committed = this.state.sequence;
    for (const line of this.lines) if (line.isCaughtUp) line.out.push({ committed: { sequence: this.committed } });
  }

  /** Loses everything that was not saved. @param {State} [disk] the state after the crash */
  crash(disk = this.disk) {
    this.isUp = false;
    for (const { socket } of this.lines) if (socket.readyState < 2) socket.cut();
    this.state = structuredClone(disk);
    // Numbers are never reused.
    this.state.numbers += 1000;
    this.disk = structuredClone(this.state);
    this.committed = this.state.sequence;
    this.epoch += 'x';
  }

  /** A clean stop. @param {number} retryAfterMs */
  stop(retryAfterMs) {
    this.save();
    this.isUp = false;
    const reason = JSON.stringify({ code: 'unavailable', retryAfterMs });
    for (const { socket } of this.lines) if (socket.readyState < 2) socket.cut(1012, reason);
  }

  start() {
    this.isUp = true;
  }

  /** @param {Line} line @param {{ resume?: { token: string, epoch?: string, after?: number, next: number } }} join */
  #join(line, { resume }) {
    const known = this.state.people.get(resume?.token ?? '');
    const token = known ? resume?.token ?? '' : `token-${this.epoch}-${this.state.numbers + 1}`;
    const person = known ?? { id: token, number: this.state.numbers += 1, acknowledged: 0 };
    this.state.people.set(token, person);
    for (const other of this.lines) if (other !== line && other.person === person) other.socket.cut(4009);
    if (known && this.takesNext) person.acknowledged = Math.max(person.acknowledged, (resume?.next ?? 1) - 1);
    Object.assign(line, { person, isBehind: false });
    const { sequence } = this.state;
    const participant = { id: person.id, number: person.number, name: 'Ada', color: '#e5484d' };
    const about = { epoch: this.epoch, sequence, committed: this.committed, acknowledged: person.acknowledged };
    line.out.push({ joined: { participant, token, ...about, resumed: Boolean(known), limits: LIMITS } });
    const isTail = resume?.epoch === this.epoch && resume.after !== undefined;
    line.out.push({ catchUp: { kind: isTail ? 'tail' : 'snapshot', epoch: this.epoch, sequence } });
    const entries = isTail ? this.state.log.filter((held) => held.sequence > (resume?.after ?? 0)) : this.retained;
    line.out.push(...entries.map(bytesOf), { caughtUp: { sequence } });
    line.isCaughtUp = true;
  }

  /** The retained entries. Here each entry has its own key, or none. */
  get retained() {
    return this.state.log.filter(({ key }) => key !== undefined);
  }

  /** @param {Line} line @param {ReturnType<typeof readClientEntries>[number]} entry */
  #take(line, { flags, clientSequence, keyByte, type, payload }) {
    const { person, socket } = line;
    if (!person || socket.readyState !== 1 || clientSequence <= person.acknowledged) return;
    const due = person.acknowledged + 1;
    if (line.isBehind && clientSequence !== due) return;
    line.isBehind = clientSequence !== due;
    if (line.isBehind) {
      this.gaps += 1;
      return line.out.push({ error: { code: 'sequence-gap', detail: 'Gap.', clientSequence, expected: due } });
    }
    if (this.refuses) {
      line.isBehind = true;
      line.out.push({ error: { code: this.refuses, detail: 'Later.', clientSequence, retryAfterMs: 200 } });
      this.refuses = '';
      return;
    }
    person.acknowledged = clientSequence;
    if (type === '' || type === 'Bad') {
      return line.out.push({ error: { code: 'bad-entry', detail: 'No.', clientSequence } });
    }
    const sequence = this.state.sequence += 1;
    const isHeld = this.state.log.some(({ key }) => key !== undefined && key === keyByte);
    // Entries for clients have the flag `existing` only if the change had no effect.
    const sentFlags = isHeld ? flags & ~EXISTING : flags;
    const held = { sequence, sender: person.number, clientSequence, flags: sentFlags, key: keyByte, type, payload };
    this.state.log.push(held);
    for (const one of this.lines) if (one.isCaughtUp) one.out.push(bytesOf(held));
  }

  /** @param {number} at modulo the number of sockets @returns {Line | undefined} */
  #line(at) {
    this.lines = this.lines.filter(({ socket }) => socket.readyState < 2);
    return this.lines[at % this.lines.length];
  }
}

/** @param {Held} held */
function bytesOf(held) {
  return gatewayEntry({ ...held, payload: encoder.encode(held.payload) });
}
