import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GroupSession } from '../../Public/js/sync/groupSession.js';
import { Retention } from '../../Public/js/sync/wire.js';
import { FakeGateway } from './fakeGateway.js';
import { FakeClock, keyOf, reliable } from './support.js';

const STEPS = 400;
const PASSING = ['rate-limited', 'session-quota', 'storage-full'];

for (const keepsUsed of [true, false]) {
  const crash = keepsUsed ? 'crashes' : 'crashes that forget what was refused';
  test(`P2 over ${crash}, restarts, cuts and refusals each entry is accepted once and in order`, () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const world = new World(seed);
      world.gateway.keepsUsed = keepsUsed;
      for (let step = 0; step < STEPS; step += 1) world.step();
      world.settle();
      for (const [author, said] of world.said.entries()) {
        const log = world.gateway.state.log.map(({ payload }) => JSON.parse(payload));
        const held = log.filter((one) => one.author === author).map(({ number }) => number);
        assert.deepEqual(held, said, `seed ${seed}, author ${author}`);
      }
      const [a, b] = world.sessions.map(({ retained }) => retained.keys);
      assert.deepEqual(a, b, `seed ${seed}`);
      assert.equal(a.length, world.gateway.retained.length, `seed ${seed}`);
      assert.equal(world.gateway.gaps, 0, `seed ${seed}`);
    }
  });
}

test('§3.1 P2 a gap never blocks: a gateway that returns with a much older state accepts each new entry once', () => {
  let gaps = 0;
  for (let seed = 1; seed <= 50; seed += 1) {
    const world = new World(seed);
    for (let step = 0; step < 50; step += 1) world.step();
    world.settle();
    const backup = structuredClone(world.gateway.disk);
    const before = backup.log.map(numberOf);
    for (let step = 0; step < 100; step += 1) world.step();
    world.settle();
    world.gateway.takesNext = false;
    world.gateway.crash(backup);
    const after = world.said.map(({ length }) => length);
    for (let step = 0; step < 100; step += 1) world.step();
    world.settle();
    // Entries that were committed in between are lost, and are not sent again.
    const said = world.said.flatMap((numbers, author) => numbers.slice(after[author]));
    const held = world.gateway.state.log.map(numberOf);
    assert.deepEqual(held.toSorted(), [...before, ...said].toSorted(), `seed ${seed}`);
    gaps += world.gateway.gaps;
  }
  assert.ok(gaps > 50, `${gaps} gaps`);
});

/** @param {{ payload: string }} held @returns {number} */
function numberOf({ payload }) {
  return JSON.parse(payload).number;
}

/** Two participants in a session, and a gateway with random faults by a seed. */
class World {
  gateway = new FakeGateway();
  clock = new FakeClock();
  /** The valid entries of each participant. @type {number[][]} */
  said = [[], []];
  #count = 0;
  #seed;

  /** @param {number} seed */
  constructor(seed) {
    this.#seed = seed * 7919;
    const { now, probe, setTimeout, clearTimeout } = this.clock;
    const env = {
      openSocket: this.gateway.openSocket,
      probe,
      now,
      setTimeout,
      clearTimeout: /** @type {any} */ (clearTimeout),
      random: () => this.#chance(),
    };
    this.sessions = this.said.map(() => new GroupSession({ id: 'S', base: 'https://draw.example/', env }));
    for (const session of this.sessions) session.join();
  }

  step() {
    const kind = this.#below(200);
    const { gateway } = this;
    for (let turn = this.#below(4); turn > 0; turn -= 1) {
      gateway.serve(this.#below(9));
      gateway.deliver(this.#below(9));
    }
    if (kind < 60) this.say(this.#below(2), this.#below(8) === 0);
    else if (kind < 110) this.clock.pass(this.#below(400));
    else if (kind < 125) gateway.save();
    else if (kind < 130) gateway.cut(this.#below(9));
    else if (kind < 136) gateway.refuses = PASSING[this.#below(PASSING.length)];
    else if (kind < 140 && gateway.isUp) gateway.crash();
    else if (kind < 142 && gateway.isUp) gateway.stop(this.#below(3000));
    else if (kind < 160) gateway.start();
  }

  /** @param {number} author @param {boolean} isBad */
  say(author, isBad) {
    const number = this.#count += 1;
    if (!isBad) this.said[author].push(number);
    const key = this.#below(2) ? { key: keyOf(number % 256), retention: Retention.replace } : {};
    const payload = new TextEncoder().encode(JSON.stringify({ author, number }));
    this.sessions[author].send(reliable(isBad ? 'Bad' : 'Good', { payload, ...isBad ? {} : key }));
  }

  /** Ends the faults, until everything is sent and saved. */
  settle() {
    const { gateway } = this;
    gateway.start();
    gateway.refuses = '';
    for (let turn = 0; turn < 300; turn += 1) {
      for (let at = 0; at < 60; at += 1) {
        gateway.serve(at);
        gateway.deliver(at);
      }
      gateway.save();
      this.clock.pass(400);
      const isOver = this.sessions.every(({ pending, isConnected }) => pending.length === 0 && isConnected);
      if (isOver && gateway.lines.length === 2 && gateway.lines.every(({ out }) => out.length === 0)) return;
    }
    const stuck = this.sessions.map(({ pending, isConnected }) => ({ isConnected, pending: pending.length }));
    assert.fail(`it never settled: ${JSON.stringify(stuck)}`);
  }

  /** @param {number} most @returns {number} from 0 to below that */
  #below(most) {
    return Math.floor(this.#chance() * most);
  }

  #chance() {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}
