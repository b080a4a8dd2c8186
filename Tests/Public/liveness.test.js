/** A dead connection is detected by every client, also by one that only watches. */

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { onResume } from '../../Public/js/app/onResume.js';
import { fakeSession, gatewayEntry, reliable, welcome } from './support.js';

/** The gateway sends something at least every 20 s. The banner follows 1.5 s after the event. */
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
  const told = [];
  session.addEventListener('connectionchange', () => told.push(session.isConnected));
  clock.pass(1);
  assert.deepEqual([told, session.state, sockets.length, sockets[0].closedWith], [[false], 'joined', 2, 1000]);
  welcome(last());
  assert.deepEqual(told, [false, true]);
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

test('while a reply is awaited, a silence of 12 s is enough', () => {
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

test('a slow line that still takes the bytes of a long message is not dead', () => {
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
  // From here on the line takes nothing.
  clock.pass(11_999);
  assert.equal(sockets.length, 1);
  clock.pass(1);
  assert.equal(sockets.length, 2);
});

test('an empty buffer does not show that the line works', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  last().bufferedAmount = 300_000;
  session.send(reliable('A'));
  last().bufferedAmount = 0;
  clock.pass(12_000);
  assert.equal(sockets.length, 2);
});

test('a client that is not let in does not wait for heartbeats', () => {
  const { session, clock, sockets } = fakeSession({ isSilent: true });
  session.join();
  clock.pass(11_999);
  assert.equal(sockets.length, 1);
  clock.pass(1);
  assert.equal(sockets.length, 2);
});

/** The seconds until the line works again, after the loss was detected. Until then it swallows everything, handshakes too. */
for (let outage = 0; outage < 24; outage += 1) {
  test(`back within 5 s after a line that was dead for ${outage} s more works again`, () => {
    const { session, clock, sockets, last } = fakeSession({ isSilent: true });
    session.join();
    welcome(last());
    clock.pass(LIMIT_MS + 1000 * outage);
    const lost = sockets.length;
    let waited = 0;
    for (; sockets.length === lost; waited += 10) clock.pass(10);
    assert.ok(waited <= 4010, `a new attempt after ${waited} ms`);
    welcome(last());
    assert.equal(session.isConnected, true);
  });
}

test('a line that is dead for longer gets one attempt each 12 s, without further delays', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  clock.pass(LIMIT_MS + 24_000);
  assert.equal(sockets.length, 8);
  for (let count = 9; count <= 20; count += 1) {
    clock.pass(11_999);
    assert.equal(sockets.length, count - 1);
    clock.pass(1);
    assert.equal(sockets.length, count);
  }
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

test('a network that is back replaces the socket at once, whether it is open or opening', () => {
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

test('a page that returns to sight begins a pending attempt, and replaces a socket that was silent for too long', () => {
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

test('a session that is over opens no socket', () => {
  const { session, clock, sockets, last } = fakeSession({ isSilent: true });
  session.join();
  welcome(last());
  session.leave();
  session.checkConnection({ isDoubtful: true });
  clock.pass(200_000);
  assert.deepEqual([sockets.length, clock.waiting], [1, 0]);
});

test('the page checks the connection when it returns, when the network is back and after sleep', (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const page = new EventTarget();
  const hidden = { hidden: true };
  Object.assign(globalThis, {
    document: Object.assign(page, hidden),
    addEventListener: page.addEventListener.bind(page),
  });
  /** @type {boolean[]} */
  const told = [];
  onResume((isDoubtful) => told.push(isDoubtful));
  page.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(told, [], 'it is hidden');
  Object.assign(page, { hidden: false });
  page.dispatchEvent(new Event('visibilitychange'));
  page.dispatchEvent(new Event('online'));
  context.mock.timers.tick(70_000);
  assert.deepEqual(told.splice(0), [false, true]);
  context.mock.timers.setTime(Date.now() + 3_600_000);
  page.dispatchEvent(new Event('resume'));
  assert.deepEqual(told, [true]);
});
