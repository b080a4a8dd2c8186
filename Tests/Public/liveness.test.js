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

/**
 * The seconds from the detection of the loss until the line works again. Until then, it loses everything, including handshakes.
 */
for (let outage = 0; outage < 24; outage += 1) {
  test(`reconnects within 5 s after the line works again, ${outage} s after the loss was detected`, () => {
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
