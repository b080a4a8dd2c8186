import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeSession, welcome } from './support.js';
import { vectors } from './vectors.js';

/** The page's names for the reasons of an end. @type {Record<string, string>} */
const KINDS = {
  left: 'left',
  ended: 'ended',
  'not-found': 'unknown',
  'session-full': 'full',
  'unsupported-version': 'version',
  refused: 'refused',
};

/** The maximum that the page adds to a delay for which the gateway asks, before the first attempt. */
const MOST_ADDED_MS = 500;

for (const vector of vectors('closeCodes').closes) {
  const { code, reason, action, afterMs, end, isJoined, mayReturn = false } = vector;
  const since = isJoined === undefined ? '' : isJoined ? ', joined before' : ', never joined';
  const words = `§2.2 ${code} ${reason}${since}`;

  if (action === 'end') {
    test(`${words}: the session is invalidated, ${end}`, () => {
      const { session, clock, sockets, last } = closed(vector);
      assert.equal(session.state, 'invalidated');
      assert.deepEqual([session.reason?.kind, session.reason?.canComeBack], [KINDS[end], mayReturn]);
      assert.ok(session.reason?.message);
      assert.equal(last().closedWith, 1000);
      clock.pass(120_000);
      assert.equal(sockets.length, 1);
      assert.equal(clock.waiting, 0);
    });
  } else {
    const who = action === 'reconnect' ? 'the same participant' : 'a new participant';
    test(`${words}: reconnects after ${afterMs} ms as ${who}`, () => {
      const { session, clock, sockets, last } = closed(vector);
      assert.equal(session.state, 'joined');
      assert.equal(session.isConnected, false);
      if (afterMs > 0) clock.pass(afterMs - 1);
      assert.equal(sockets.length, 1);
      clock.pass(1 + MOST_ADDED_MS);
      assert.equal(sockets.length, 2);
      last().open();
      assert.equal('resume' in last().controls[0].join, action === 'reconnect');
    });
  }
}

/** Returns a session whose socket was closed. @param {{ code: number, reason: string, isJoined?: boolean }} vector */
function closed({ code, reason, isJoined = true }) {
  const fake = fakeSession();
  fake.session.join();
  if (isJoined) welcome(fake.last());
  else fake.last().open();
  fake.last().cut(code, reason);
  return fake;
}

test('§2.2 every reason of the gateway is JSON of at most 123 bytes, with a reaction of the page', () => {
  const { reasons, closes } = vectors('closeCodes');
  const known = new Set(closes.map((/** @type {{ code: number }} */ { code }) => code));
  for (const { code, text } of reasons) {
    assert.ok(new TextEncoder().encode(text).length <= vectors('limits').format.closeReasonBytes);
    assert.equal(typeof JSON.parse(text).code, 'string');
    assert.ok(known.has(code), `${code}`);
  }
});

test('§2.2 4005: a participant reports that the session is full until it is joined again', () => {
  const { session, last, reopen } = fakeSession();
  const seen = /** @type {string[]} */ ([]);
  session.addEventListener('connectionchange', () => seen.push(session.trouble));
  session.join();
  welcome(last());
  last().cut();
  reopen();
  last().cut(4005, '{"code":"session-full"}');
  reopen();
  welcome(last(), { resumed: true });
  assert.deepEqual(seen, ['', '', 'session-full', '']);
  assert.equal(session.state, 'joined');
});

test('§2.2 1013: reports the reason until the session is joined', () => {
  const { session, last, reopen } = fakeSession();
  const seen = /** @type {string[]} */ ([]);
  session.addEventListener('connectionchange', () => seen.push(session.isConnected ? 'connected' : session.trouble));
  session.join();
  for (const reason of ['{"code":"storage-full","retryAfterMs":800}', '{"code":"storage-full"}', 'Bye']) {
    last().open();
    last().cut(1013, reason);
    reopen();
  }
  last().cut(1013, '{"code":"storage-full"}');
  reopen();
  welcome(last());
  assert.deepEqual([seen, session.trouble], [['storage-full', '', 'storage-full', 'connected'], '']);
});
