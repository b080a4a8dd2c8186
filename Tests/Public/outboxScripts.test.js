import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADA, fakeSession, gatewayEntry } from './support.js';
import { vectors } from './vectors.js';

const BEGINNING = [
  { open: true, resume: {} },
  { joined: { resumed: false, number: 1, epoch: 'e', sequence: 10, committed: 0, acknowledged: 0 } },
  { catchUp: { kind: 'snapshot', epoch: 'e', sequence: 10 } },
  { caughtUp: 10 },
];

for (const { name, steps } of vectors('outbox').scripts) {
  test(`§3.1 outbox: ${name}`, () => {
    const client = new Client();
    for (const step of steps) {
      if (step.begin) { for (const one of BEGINNING) client.take(one, JSON.stringify(one)); }
      else client.take(step, JSON.stringify(step));
    }
  });
}

/** A session of the page, driven by the steps of a script. */
class Client {
  #fake = fakeSession();
  #number = 0;
  /** The number of checked frames of the present socket. */
  #checked = 0;
  /** @type {Set<string>} */
  #refused = new Set();
  /** @type {Map<number, string>} */
  #payloads = new Map();

  constructor() {
    this.#fake.session.join();
  }

  /** Takes a step and checks its effects. @param {any} step @param {string} words the message of a failure */
  take(step, words) {
    const { session, clock, sockets, last, reopen } = this.#fake;
    for (const payload of step.send ?? []) {
      session.send({ type: 'T', payload: new TextEncoder().encode(payload), reliable: true });
    }
    if (step.open) {
      this.#checked = 0;
      if (sockets.length === 1 && last().readyState === 0) last().open();
      else reopen();
      if (step.resume) this.#checkResume(step.resume, words);
    }
    if (step.joined) this.#join(step.joined);
    if (step.catchUp) last().tell({ catchUp: step.catchUp });
    if (step.caughtUp !== undefined) last().tell({ caughtUp: { sequence: step.caughtUp } });
    for (const [clientSequence, sequence] of step.echo ?? []) this.#entry(this.#number, clientSequence, sequence);
    for (const sequence of step.others ?? []) this.#entry(2, 0, sequence);
    if (step.committed !== undefined) last().tell({ committed: { sequence: step.committed } });
    if (step.error) this.#refuse(step.error);
    if (step.passMs) clock.pass(step.passMs);
    if (step.cut) last().cut();
    if (step.closed) last().cut(step.closed);
    this.#checkFrames(step.frames ?? [], words);
    if (step.state) this.#checkState(step.state, words);
  }

  /** @param {any} joined */
  #join({ number, ...members }) {
    this.#number = number;
    this.#fake.last().tell({
      joined: { ...members, participant: { ...ADA, number }, token: `token-${number}`, session: {}, limits: {} },
    });
  }

  /** @param {number} sender @param {number} clientSequence @param {number} sequence */
  #entry(sender, clientSequence, sequence) {
    const payload = new TextEncoder().encode(this.#payloads.get(clientSequence) ?? '');
    this.#fake.last().entries(gatewayEntry({ flags: 1, sequence, sender, clientSequence, type: 'T', payload }));
  }

  /** @param {any} error */
  #refuse(error) {
    if (['bad-entry', 'message-too-large', 'unknown-participant'].includes(error.code)) {
      this.#refused.add(this.#payloads.get(error.clientSequence) ?? '');
    }
    this.#fake.last().tell({ error: { detail: 'No.', ...error } });
  }

  /** @param {any} expected @param {string} words */
  #checkResume(expected, words) {
    const { resume } = this.#fake.last().controls[0].join;
    const { token, ...position } = resume ?? {};
    assert.deepEqual(position, expected, words);
    assert.equal(token, resume && `token-${this.#number}`, words);
  }

  /** @param {[number, string | null][]} expected @param {string} words */
  #checkFrames(expected, words) {
    const { sockets, last } = this.#fake;
    const all = sockets.length === 0 ? [] : last().said;
    const frames = all.slice(this.#checked).map(({ clientSequence, type, payload }) => {
      this.#payloads.set(clientSequence, payload);
      return [clientSequence, type === '' ? null : payload];
    });
    this.#checked = all.length;
    assert.deepEqual(frames, expected, words);
  }

  /** @param {{ next?: number, kept: string[], unacknowledged: string[] }} expected @param {string} words */
  #checkState({ next, kept, unacknowledged }, words) {
    const { outbox } = this.#fake.session.save();
    assert.deepEqual(texts(outbox.items), kept, words);
    assert.deepEqual(texts(outbox.items.filter(({ sequence }) => sequence === 0)), unacknowledged, words);
    const lowest = outbox.items[0]?.clientSequence;
    if (next !== undefined) assert.equal(lowest || outbox.next, next, words);
  }
}

/** Returns the payloads of items, without those that were refused. @param {any[]} items */
function texts(items) {
  return items.filter(({ entry }) => entry.type !== '').map(({ entry }) => new TextDecoder().decode(entry.payload));
}
