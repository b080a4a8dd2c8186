/** Every client detects a dead connection, also one that only watches. */

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { onResume } from '../../Public/js/app/onResume.js';
import { fakeSession, gatewayEntry, reliable, welcome } from './support.js';

/**
 * The limit without a message from the gateway, which sends one at least every 20 s. The banner is shown 1.5 s after the event.
 */
const LIMIT_MS = 35_000;
const { document, addEventListener } = globalThis;

afterEach(() => Object.assign(globalThis, { document, addEventListener }));

test('a participant who only watches loses a silent connection after 35 s, and reconnects at once', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  clock.pass(LIMIT_MS - 1);
  assert.deepEqual([session.isConnected, sockets.length], [true, 1]);
  /** @type {boolean[]} */
  const reported = [];
  session.addEventListener('connectionchange', () => reported.push(session.isConnected));
  clock.pass(1);
  assert.deepEqual([reported, session.state, sockets.length, sockets[0].closedWith], [[false], 'joined', 2, 1000]);
  welcome(last());
  assert.deepEqual(reported, [false, true]);
});

test('heartbeats keep a connection, and so does any other message', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  const messages = [
    () => last().heartbeat(),
    () => last().tell({ committed: { sequence: 1 } }),
    () => last().entries(gatewayEntry({ flags: 1, sequence: 1, sender: 2, clientSequence: 1, type: 'A' })),
  ];
  for (let turn = 0; turn < 30; turn += 1) {
    clock.pass(LIMIT_MS - 1);
    messages[turn % messages.length]();
  }
  assert.deepEqual([session.isConnected, sockets.length], [true, 1]);
  clock.pass(LIMIT_MS);
  assert.equal(sockets.length, 2);
});

test('while a reply is awaited, a connection is lost after a silence of 12 s', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  clock.pass(30_000);
  session.send(reliable('A'));
  clock.pass(4999);
  last().heartbeat();
  clock.pass(11_999);
  assert.equal(sockets.length, 1);
  clock.pass(1);
  assert.equal(sockets.length, 2);
});

test('a slow connection stays while the network still accepts bytes of a long message', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  last().bufferedAmount = 300_000;
  session.send(reliable('A'));
  for (const left of [200_000, 100_000]) {
    last().bufferedAmount = left;
    clock.pass(12_000);
    assert.deepEqual([session.isConnected, sockets.length], [true, 1]);
  }
  // From here on the network accepts nothing.
  clock.pass(11_999);
  assert.equal(sockets.length, 1);
  clock.pass(1);
  assert.equal(sockets.length, 2);
});

test('an empty buffer does not show that the connection works', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  last().bufferedAmount = 300_000;
  session.send(reliable('A'));
  last().bufferedAmount = 0;
  clock.pass(12_000);
  assert.equal(sockets.length, 2);
});

test('a client that has not joined does not wait for heartbeats', () => {
  const { session, clock, sockets } = fakeSession({ isSilent: true });
  session.join();
  clock.pass(11_999);
  assert.equal(sockets.length, 1);
  clock.pass(1);
  assert.equal(sockets.length, 2);
});

for (const line of /** @type {const} */ (['swallows', 'refuses'])) {
  // The seconds from the detection of the loss to the end of the outage.
  for (const outage of [0, 1, 2, 3, 5, 8, 13, 21, 30, 45, 60, 64, 66, 70, 75, 80, 100, 1000]) {
    test(`reconnects within 5 s after an outage of ${outage} s, in which the line ${line} requests`, () => {
      const { session, clock, sockets, last } = fakeSession({ isSilent: true });
      session.join();
      welcome(last());
      clock.line = line;
      clock.pass(LIMIT_MS + 1000 * outage);
      assert.equal(session.isConnected, false);
      const { length } = sockets;
      // One socket at once, and one each 65 s or later.
      assert.ok(length <= 2 + outage / 65, `${length} sockets`);
      clock.line = 'answers';
      let waited = 0;
      for (; sockets.length === length && waited < 20_000; waited += 10) clock.pass(10);
      assert.ok(waited <= 4010, `a new attempt after ${waited} ms`);
      welcome(last());
      assert.equal(session.isConnected, true);
    });
  }
}

test('an answer to an early probe counts, also if later probes were sent', () => {
  const fake = fakeSession({ isSilent: true });
  /** @type {((isAnswered: boolean) => void)[]} */
  const answers = [];
  fake.env.probe = (_url, ended) => {
    answers.push(ended);
    return () => {};
  };
  fake.session.join();
  welcome(fake.last());
  fake.clock.pass(LIMIT_MS + 4000 + 9000);
  assert.equal(answers.length, 3);
  // A failed probe changes nothing while others run.
  answers[1](false);
  fake.clock.pass(1000);
  assert.deepEqual([answers.length, fake.sockets.length], [3, 2]);
  answers[0](true);
  assert.equal(fake.sockets.length, 3);
  // A probe that was cancelled changes nothing, even if its answer still arrives.
  answers[2](true);
  assert.equal(fake.sockets.length, 3);
  // The handshake has as much time as usual.
  fake.clock.pass(11_999);
  assert.deepEqual([answers.length, fake.sockets.length], [3, 3]);
});

test('if probes are answered but sockets do not open, a new socket is tried every 12 s', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  clock.pass(LIMIT_MS + 4000);
  for (let count = 3; count <= 10; count += 1) {
    assert.equal(sockets.length, count);
    clock.pass(12_000);
  }
});

test('an attempt that the person begins while the gateway cannot be reached has 12 s, and the probes go on', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  clock.line = 'swallows';
  clock.pass(LIMIT_MS + 20_000);
  assert.equal(sockets.length, 2);
  assert.equal(session.reconnectNow(), true);
  assert.equal(session.reconnectNow(), false, 'a socket is opening');
  const { probes } = clock;
  clock.pass(8000);
  assert.deepEqual([sockets.length, clock.probes], [3, probes + 2]);
  // The line works again. The probe opens a new socket, because the handshake of the present one is lost.
  clock.line = 'answers';
  clock.pass(4000);
  assert.deepEqual([sockets.length, sockets[2].closedWith], [4, 1000]);
  clock.pass(11_999);
  assert.deepEqual([sockets.length, clock.probes], [4, probes + 3]);
});

for (const line of /** @type {const} */ (['swallows', 'refuses'])) {
  test(`a session that is left while the line ${line} probes opens no socket, and cancels the probes`, () => {
    const { session, clock, sockets, last } = fakeSession({ isSilent: true });
    session.join();
    welcome(last());
    clock.line = line;
    clock.pass(LIMIT_MS + 20_000);
    session.leave();
    clock.line = 'answers';
    clock.pass(200_000);
    assert.deepEqual([sockets.length, clock.waiting], [2, 0]);
  });
}

test('a session that is left in the event of the lost connection stays left', () => {
  /** @type {[string, (fake: ReturnType<typeof fakeSession>) => void][]} */
  const losses = [
    ['cut', ({ last }) => last().cut()],
    ['silent', ({ clock }) => clock.pass(LIMIT_MS)],
    ['doubtful', ({ session }) => session.checkConnection({ isDoubtful: true })],
  ];
  for (const [name, lose] of losses) {
    const fake = fakeSession({ isSilent: true });
    fake.session.join();
    welcome(fake.last());
    fake.session.addEventListener('connectionchange', () => fake.session.leave());
    lose(fake);
    fake.clock.pass(200_000);
    assert.deepEqual([fake.sockets.length, fake.clock.waiting, fake.clock.probes], [1, 0, 0], name);
  }
});

test('if all probes fail although the gateway can be reached, a socket opens within 65 s', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  welcome(last());
  clock.line = 'refuses';
  last().cut();
  clock.pass(0);
  last().cut();
  const { length } = sockets;
  clock.pass(69_000);
  assert.equal(sockets.length, length + 1);
  // This handshake has 12 s, and the probes go on.
  const { probes } = clock;
  clock.pass(8000);
  assert.ok(clock.probes > probes);
  welcome(last());
  const { probes: after } = clock;
  clock.pass(60_000);
  assert.deepEqual([session.isConnected, sockets.length, clock.probes], [true, length + 1, after]);
});

test('after a restart of the gateway, a slow handshake has 12 s', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  welcome(last());
  clock.pass(10_000);
  last().cut(1012);
  clock.pass(11_999);
  assert.equal(sockets.length, 2);
});

test('when the network is back, the socket is replaced at once, open or opening', () => {
  const { session, sockets, last } = fakeSession();
  session.join();
  welcome(last());
  session.checkConnection({ isDoubtful: true });
  assert.deepEqual([session.isConnected, sockets.length, sockets[0].closedWith], [false, 2, 1000]);
  session.checkConnection({ isDoubtful: true });
  assert.deepEqual([sockets.length, sockets[1].closedWith], [3, 1000]);
  welcome(last());
  assert.equal(session.isConnected, true);
});

test('a page that becomes visible begins a pending attempt, and replaces a socket that was silent for too long', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  clock.time += LIMIT_MS - 1;
  session.checkConnection();
  assert.equal(sockets.length, 1);
  clock.time += 1;
  session.checkConnection();
  clock.pass(0);
  assert.equal(sockets.length, 2);
  last().cut(1012, '{"retryAfterMs":30000}');
  session.checkConnection();
  assert.equal(sockets.length, 3);
});

test('an ended session opens no socket', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  session.leave();
  session.checkConnection({ isDoubtful: true });
  clock.pass(200_000);
  assert.deepEqual([sockets.length, clock.waiting], [1, 0]);
});

test('the page checks the connection when it becomes visible, when the network is back, and after sleep', (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const page = new EventTarget();
  const hidden = { hidden: true };
  Object.assign(globalThis, {
    document: Object.assign(page, hidden),
    addEventListener: page.addEventListener.bind(page),
  });
  /** @type {boolean[]} */
  const reported = [];
  onResume((isDoubtful) => reported.push(isDoubtful));
  page.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(reported, [], 'the page is hidden');
  Object.assign(page, { hidden: false });
  page.dispatchEvent(new Event('visibilitychange'));
  page.dispatchEvent(new Event('online'));
  context.mock.timers.tick(70_000);
  assert.deepEqual(reported.splice(0), [false, true]);
  context.mock.timers.setTime(Date.now() + 3_600_000);
  page.dispatchEvent(new Event('resume'));
  assert.deepEqual(reported, [true]);
});

test('after a doubtful check, probes run beside the handshake, and a refused socket waits although probes run', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  welcome(last());
  clock.line = 'swallows';
  session.checkConnection({ isDoubtful: true });
  clock.pass(4000);
  assert.deepEqual([sockets.length, clock.probes], [2, 1]);
  // The gateway can be reached again, but refuses sockets. One socket follows after a delay, not one for each probe.
  clock.line = 'answers';
  clock.pass(4000);
  assert.equal(sockets.length, 3);
  for (let count = 3; count < 9; count += 1) {
    last().cut();
    clock.pass(0);
    assert.ok(sockets.length <= count + 1);
    while (sockets.length === count) clock.pass(10);
  }
  const begun = clock.time;
  last().cut();
  while (sockets.length === 9) clock.pass(10);
  assert.ok(clock.time - begun >= 1000, `${clock.time - begun} ms`);
});
