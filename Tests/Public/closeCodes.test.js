import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterClose } from '../../Public/js/sync/closeCodes.js';
import { fakeSession, welcome } from './support.js';

const RECONNECTS = [1001, 1005, 1006, 1011, 1012, 1013, 4001, 4008, 4013, 4029, 4099];

/** @type {[number, string][]} */
const INVALIDATES = [
  [1000, 'left'],
  [1002, 'refused'],
  [1003, 'refused'],
  [1007, 'refused'],
  [1008, 'refused'],
  [1009, 'refused'],
  [4004, 'unknown'],
  [4005, 'full'],
  [4010, 'ended'],
  [4026, 'version'],
];

for (const code of RECONNECTS) {
  test(`§2.2 ${code}: the session stays joined and the socket comes back`, () => {
    const { session, clock, sockets, last } = fakeSession();
    session.join();
    welcome(last());
    last().cut(code);
    assert.equal(session.state, 'joined');
    assert.equal(session.isConnected, false);
    clock.pass(60_000);
    assert.ok(sockets.length > 1);
  });
}

for (const [code, kind] of INVALIDATES) {
  test(`§2.2 ${code}: the session is invalidated, ${kind}`, () => {
    const { session, clock, sockets, last } = fakeSession();
    session.join();
    welcome(last());
    last().cut(code, '{"code":"x","detail":"Ada ended it."}');
    assert.equal(session.state, 'invalidated');
    assert.equal(session.reason?.kind, kind);
    assert.ok(session.reason?.message);
    clock.pass(120_000);
    assert.equal(sockets.length, 1);
    assert.equal(clock.waiting, 0);
  });
}

test('§2.2 4009: reconnects as a new participant', () => {
  assert.deepEqual(afterClose(4009, '{"code":"resumed-elsewhere"}'), { action: 'reconnect-as-new', afterMs: 0 });
});

test('§2.2 1012: reconnects after the given delay', () => {
  assert.deepEqual(afterClose(1012, '{"code":"unavailable","retryAfterMs":800}'), {
    action: 'reconnect',
    afterMs: 800,
  });
});

test('§2.2 4029: reconnects after a pause', () => {
  assert.deepEqual(afterClose(4029, ''), { action: 'reconnect', afterMs: 5000 });
});

for (const reason of ['', 'Bye', '[1]', 'null', '{"retryAfterMs":"soon"}', '{"retryAfterMs":-1}']) {
  test(`a foreign close reason is harmless: ${reason}`, () => {
    assert.deepEqual(afterClose(1006, reason), { action: 'reconnect', afterMs: 0 });
  });
}

test('a very long delay is limited', () => {
  assert.deepEqual(afterClose(1012, '{"retryAfterMs":1e12}'), { action: 'reconnect', afterMs: 60_000 });
});

test('§2.2 1013: reports the reason until the session is joined', () => {
  const { session, last, reopen } = fakeSession();
  const told = /** @type {string[]} */ ([]);
  session.addEventListener('connectionchange', () => told.push(session.isConnected ? 'connected' : session.trouble));
  session.join();
  for (const reason of ['{"code":"storage-full","retryAfterMs":800}', '{"code":"storage-full"}', 'Bye']) {
    last().open();
    last().cut(1013, reason);
    reopen();
  }
  last().cut(1013, '{"code":"storage-full"}');
  reopen();
  welcome(last());
  assert.deepEqual([told, session.trouble], [['storage-full', '', 'storage-full', 'connected'], '']);
});
