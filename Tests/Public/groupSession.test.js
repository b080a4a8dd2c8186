import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageTooLargeError, NotJoinedError } from '../../Public/js/sync/errors.js';
import { Retention } from '../../Public/js/sync/wire.js';
import {
  ADA,
  BEN,
  catchUp,
  caughtUp,
  fakeSession,
  gatewayEntry,
  joined,
  keyOf,
  LIMITS,
  reliable,
  welcome,
} from './support.js';

test('the state is waiting, then joined after the first catch-up, also while the socket is lost', () => {
  const { session, last } = fakeSession();
  const states = collect(session, 'statechange', () => session.state);
  assert.equal(session.state, 'waiting');
  session.join();
  assert.equal(last().url, 'wss://draw.example/api/sessions/AAAAAAAAAAAAAAAAAAAAAA/socket');
  last().open();
  last().tell(joined());
  assert.equal(session.state, 'waiting');
  last().tell(catchUp('snapshot', 0));
  last().tell(caughtUp(0));
  assert.equal(session.state, 'joined');
  last().cut();
  assert.equal(session.state, 'joined');
  assert.deepEqual(states, ['joined']);
});

test('a session that is joined again keeps its socket', () => {
  const { session, last } = fakeSession();
  session.join();
  const socket = last();
  session.join();
  socket.open();
  socket.tell(joined());
  socket.tell(catchUp('snapshot', 0));
  socket.tell(caughtUp(0));
  session.send(reliable('A'));
  session.join();
  assert.equal(last(), socket);
  assert.ok(session.isConnected);
});

test('§2.1 the first join has the profile and no resume', () => {
  const { session, last } = fakeSession({ profile: { name: 'Ada', color: '#e4572e' } });
  session.join();
  last().open();
  assert.deepEqual(last().controls, [{ join: { name: 'Ada', color: '#e4572e' } }]);
});

test('§2.1 sends only the join before the catch-up, then all entries in order', () => {
  const { session, last } = fakeSession();
  session.send(reliable('A'));
  session.join();
  last().open();
  session.send(reliable('B'));
  last().tell(joined());
  last().tell(catchUp('snapshot', 0));
  assert.deepEqual(last().said, []);
  last().tell(caughtUp(0));
  session.send(reliable('C'));
  assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['A', 1], ['B', 2], [
    'C',
    3,
  ]]);
});

test('§2.1 resumes with token, epoch, the last applied entry and the outbox’s next', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last(), { sequence: 5 });
  last().entries(gatewayEntry({ flags: 1, sequence: 9, sender: 2, type: 'X', payload: {} }));
  session.send(reliable('A'));
  last().cut();
  reopen();
  assert.deepEqual(last().controls[0].join.resume, { token: 'token-1', next: 1, epoch: 'e1', after: 9 });
});

test('§2.1 an entry of a tail moves `after`; one of an incomplete snapshot does not', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last(), { sequence: 5 });
  last().cut();
  reopen();
  last().tell(joined({ sequence: 8, resumed: true }));
  last().tell(catchUp('tail', 8));
  last().entries(gatewayEntry({ flags: 1, sequence: 6, sender: 2, type: 'X', payload: {} }));
  last().cut();
  reopen();
  assert.equal(last().controls[0].join.resume.after, 6);
  last().tell(joined({ sequence: 8, resumed: true }));
  last().tell(catchUp('snapshot', 8));
  last().entries(gatewayEntry({ flags: 1, sequence: 7, sender: 2, type: 'X', payload: {} }));
  last().cut();
  reopen();
  assert.equal('after' in last().controls[0].join.resume, false);
});

test('P2 after a reconnect, entries above `acknowledged` are sent again with the same client sequences', () => {
  const { session, last, reopen } = fakeSession();
  const acked = observeAcked(session);
  session.join();
  welcome(last());
  for (const type of ['A', 'B', 'C']) session.send(reliable(type));
  last().entries(gatewayEntry({ flags: 1, sequence: 1, sender: 1, clientSequence: 1, type: 'A', payload: {} }));
  last().cut();
  session.send(reliable('D'));
  reopen();
  last().tell(joined({ sequence: 2, acknowledged: 2, resumed: true }));
  last().tell(catchUp('tail', 2));
  assert.deepEqual(acked, ['A accepted']);
  last().tell(caughtUp(2));
  assert.deepEqual(acked, ['A accepted', 'B accepted']);
  assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['C', 3], ['D', 4]]);
});

test('§2.1 `next` is the lowest uncommitted client sequence', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last());
  session.send(reliable('A'));
  session.send(reliable('B'));
  last().entries(
    gatewayEntry({ flags: 1, sequence: 1, sender: 1, clientSequence: 1, type: 'A', payload: {} }),
    gatewayEntry({ flags: 1, sequence: 2, sender: 1, clientSequence: 2, type: 'B', payload: {} }),
  );
  assert.equal(nextAfterCut({ reopen, last }), 1);
  last().tell(joined({ sequence: 2, acknowledged: 2, resumed: true, committed: 1 }));
  last().tell(catchUp('tail', 2));
  last().tell(caughtUp(2));
  last().tell({ committed: { sequence: 2 } });
  assert.equal(nextAfterCut({ reopen, last }), 3);
});

test('§3.1 in a new epoch, entries that the gateway lost are sent again', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last());
  session.send(reliable('A', { retention: Retention.replace, key: keyOf(7) }));
  last().entries(gatewayEntry({ flags: 5, sequence: 1, sender: 1, clientSequence: 1, key: 7, type: 'A', payload: {} }));
  assert.equal(session.retained.keys.length, 1);
  last().cut();
  reopen();
  last().tell(joined({ epoch: 'e2', resumed: true }));
  last().tell({ catchUp: { kind: 'snapshot', epoch: 'e2', sequence: 0 } });
  last().tell(caughtUp(0));
  assert.equal(session.retained.keys.length, 0);
  assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['A', 1]]);
});

test('§2.1 sequences of another epoch do not count for `committed`', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last());
  session.send(reliable('A'));
  last().entries(gatewayEntry({ flags: 1, sequence: 90, sender: 1, clientSequence: 1, type: 'A', payload: {} }));
  last().cut();
  reopen();
  last().tell(joined({ epoch: 'e2', sequence: 50, acknowledged: 1, committed: 40, resumed: true }));
  last().tell({ catchUp: { kind: 'snapshot', epoch: 'e2', sequence: 50 } });
  last().tell(caughtUp(50));
  assert.equal(session.save().outbox.items.length, 1);
  last().tell({ committed: { sequence: 50 } });
  assert.equal(session.save().outbox.items.length, 0);
});

test('§2.1 `after` keeps its epoch until `catchUp`, and a tail continues in the new one', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last(), { sequence: 5 });
  const kept = { flags: 5, sender: 2, type: 'A', payload: {} };
  last().entries(gatewayEntry({ ...kept, sequence: 9, clientSequence: 1, key: 7 }));
  last().cut();
  reopen();
  last().tell(joined({ epoch: 'e2', sequence: 20, committed: 20, resumed: true }));
  last().cut();
  reopen();
  assert.deepEqual(last().controls[0].join.resume, { token: 'token-1', next: 1, epoch: 'e1', after: 9 });
  last().tell(joined({ epoch: 'e2', sequence: 20, committed: 20, resumed: true }));
  last().tell({ catchUp: { kind: 'tail', epoch: 'e2', sequence: 20 } });
  last().entries(gatewayEntry({ ...kept, sequence: 11, clientSequence: 2, key: 8 }));
  last().cut();
  reopen();
  assert.deepEqual(last().controls[0].join.resume, { token: 'token-1', next: 1, epoch: 'e2', after: 11 });
  last().tell(joined({ epoch: 'e2', sequence: 20, committed: 20, resumed: true }));
  last().tell({ catchUp: { kind: 'tail', epoch: 'e2', sequence: 20 } });
  last().tell(caughtUp(20));
  assert.equal(session.retained.keys.length, 2);
});

test('§2.1 with an unknown token the client is a new participant and renumbers its outbox', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last());
  for (const type of ['A', 'B']) session.send(reliable(type));
  last().cut();
  reopen();
  last().tell(joined({ participant: BEN, token: 'token-2', epoch: 'e2' }));
  last().tell(catchUp('snapshot', 0));
  last().tell(caughtUp(0));
  assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['A', 1], ['B', 2]]);
  assert.equal(session.localParticipant?.number, 2);
});

test('§2.2 4009: drops the token, and sends only unaccepted entries with new numbers', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last());
  for (const type of ['A', 'B', 'C']) session.send(reliable(type));
  last().entries(gatewayEntry({ flags: 1, sequence: 1, sender: 1, clientSequence: 1, type: 'A', payload: {} }));
  last().cut(4009, '{"code":"resumed-elsewhere"}');
  reopen();
  assert.equal('resume' in last().controls[0].join, false);
  last().tell(joined({ participant: BEN, token: 'token-2', sequence: 1 }));
  last().tell(catchUp('snapshot', 1));
  last().tell(caughtUp(1));
  assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['B', 1], ['C', 2]]);
  assert.equal(session.token, 'token-2');
});

test('a snapshot replaces the retained state and the participants', () => {
  const { session, last, reopen } = fakeSession();
  const seen = /** @type {string[]} */ ([]);
  session.observe({
    snapshotBegan: () => seen.push('begin'),
    caughtUp: () => seen.push('end'),
    entry: ({ type }) => seen.push(type),
  });
  session.join();
  welcome(last());
  last().entries(
    gatewayEntry({ flags: 0x81, sequence: 1, type: 'participants', payload: { joined: [BEN] } }),
    gatewayEntry({ flags: 5, sequence: 2, sender: 2, clientSequence: 1, key: 1, type: 'Old', payload: {} }),
  );
  assert.deepEqual(session.activeParticipants, [ADA, BEN]);
  last().cut();
  reopen();
  last().tell(joined({ sequence: 9, resumed: true }));
  last().tell(catchUp('snapshot', 9));
  assert.deepEqual(session.activeParticipants, [ADA, BEN]);
  last().entries(
    gatewayEntry({ flags: 0x81, type: 'participants', payload: { joined: [ADA], past: [BEN] } }),
    gatewayEntry({ flags: 5, sequence: 8, sender: 2, clientSequence: 4, key: 2, type: 'New', payload: {} }),
  );
  last().tell(caughtUp(9));
  assert.deepEqual(session.activeParticipants, [ADA]);
  assert.deepEqual(session.participant(2), BEN);
  assert.deepEqual(session.retained.keys, [keyOf(2)]);
  assert.deepEqual(seen, [
    'begin',
    'participants',
    'end',
    'participants',
    'Old',
    'begin',
    'participants',
    'New',
    'end',
  ]);
});

test('joins and leaves are reported once, with both lists', () => {
  const { session, last } = fakeSession();
  const changes = collect(session, 'participantschange', (event) => {
    const { joined: come, left } = /** @type {CustomEvent} */ (event).detail;
    return [come.map(name), left.map(name)];
  });
  session.join();
  welcome(last());
  last().entries(gatewayEntry({ flags: 0x81, sequence: 1, type: 'participants', payload: { joined: [BEN] } }));
  const left = [{ id: BEN.id, number: 2, reason: 'left' }];
  last().entries(gatewayEntry({ flags: 0x81, sequence: 2, type: 'participants', payload: { left } }));
  assert.deepEqual(changes, [[['Ada'], []], [['Ben'], []], [[], ['Ben']]]);
});

test('§3.1 a rate limit: waits for the given time, then sends from the refused entry on', () => {
  const { session, clock, last } = fakeSession();
  session.join();
  welcome(last());
  for (const type of ['A', 'B', 'C']) session.send(reliable(type));
  last().entries(gatewayEntry({ flags: 1, sequence: 1, sender: 1, clientSequence: 1, type: 'A', payload: {} }));
  last().sent = [];
  last().tell({ error: { code: 'rate-limited', detail: 'Slower.', clientSequence: 2, retryAfterMs: 300 } });
  clock.pass(299);
  assert.deepEqual(last().said, []);
  clock.pass(1);
  assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['B', 2], ['C', 3]]);
});

test('§3.1 a full session: removals are sent first, because they are always accepted', () => {
  const { session, clock, last } = fakeSession();
  session.join();
  welcome(last());
  session.send(reliable('A', { retention: Retention.replace, key: keyOf(1) }));
  session.send({ type: 'A', payload: new Uint8Array(0), reliable: true, retention: Retention.remove, key: keyOf(2) });
  last().sent = [];
  last().tell({ error: { code: 'session-quota', detail: 'Full.', clientSequence: 1, retryAfterMs: 10 } });
  clock.pass(10);
  assert.deepEqual(last().said.map(({ flags, keyByte, clientSequence }) => [flags, keyByte, clientSequence]), [[
    7,
    2,
    1,
  ], [5, 1, 2]]);
});

for (const code of ['message-too-large', 'bad-entry', 'unknown-participant']) {
  test(`§3.1 ${code} uses up the client sequence: the entry is dropped, the next keeps its number`, () => {
    const { session, last, reopen } = fakeSession();
    const acked = observeAcked(session);
    session.join();
    welcome(last());
    session.send(reliable('A'));
    session.send(reliable('B'));
    last().tell({ error: { code, detail: 'No.', clientSequence: 1 } });
    assert.deepEqual(acked, [`A ${code}`]);
    last().cut();
    reopen();
    last().tell(joined({ acknowledged: 1, resumed: true }));
    last().tell(catchUp('tail', 0));
    last().tell(caughtUp(0));
    assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['B', 2]]);
  });
}

test('P2 a late snapshot that omits replaced own entries acknowledges all of them at its end', () => {
  const { session, last } = fakeSession();
  const acked = observeAcked(session);
  session.join();
  welcome(last());
  for (const type of ['A', 'B', 'C']) session.send(reliable(type, { retention: 2, key: keyOf(9) }));
  last().tell(catchUp('snapshot', 7));
  last().entries(gatewayEntry({ flags: 5, sequence: 6, sender: 1, clientSequence: 2, key: 9, type: 'B', payload: {} }));
  assert.deepEqual(acked, []);
  last().tell(caughtUp(7));
  assert.deepEqual(acked, ['A accepted', 'B accepted']);
  last().tell({ committed: { sequence: 7 } });
  assert.deepEqual(session.save().outbox.items.map(({ clientSequence }) => clientSequence), [3]);
});

test('a refusal counts as the expected answer', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  welcome(last());
  session.send(reliable('A'));
  last().tell({ error: { code: 'bad-entry', detail: 'No.', clientSequence: 1 } });
  clock.pass(60_000);
  assert.equal(sockets.length, 1);
});

/**
 * The outbox has the numbers 3 to 5, and 5 is refused. Rows: the number that the gateway expects, and the entries that are sent
 * then.
 */
const GAPS = [
  { rule: 'the entries are sent from the expected number on', expected: 4, said: [['B', 4], ['C', 5]] },
  {
    rule: 'what is not held any more leaves its numbers to the rest',
    expected: 2,
    said: [['A', 2], ['B', 3], ['C', 4]],
  },
];

for (const { rule, expected, said } of GAPS) {
  test(`§3.1 a gap: ${rule}`, () => {
    const { session, last, sockets } = fakeSession();
    session.join();
    welcome(last());
    for (const type of ['X', 'Y', 'A', 'B', 'C']) session.send(reliable(type));
    last().entries(gatewayEntry({ flags: 1, sequence: 2, sender: 1, clientSequence: 2, type: 'Y', payload: {} }));
    last().tell({ committed: { sequence: 2 } });
    last().sent = [];
    last().tell({ error: { code: 'sequence-gap', detail: 'Gap.', clientSequence: 5, expected } });
    assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), said);
    assert.equal(sockets.length, 1);
  });
}

test('§3.1 a gap with an impossible number: a resume corrects the sequences', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  welcome(last());
  session.send(reliable('A'));
  last().tell({ error: { code: 'sequence-gap', detail: 'Gap.', clientSequence: 1, expected: 2 } });
  clock.pass(1000);
  assert.equal(sockets.length, 2);
});

test('§3.1 a used sequence is filled when the gateway returns with an older state', () => {
  const { session, clock, last, reopen, sockets } = fakeSession();
  const acked = observeAcked(session);
  session.join();
  welcome(last());
  for (const type of ['A', 'B', 'C']) session.send(reliable(type));
  last().tell({ error: { code: 'bad-entry', detail: 'No.', clientSequence: 2 } });
  last().entries(
    gatewayEntry({ flags: 1, sequence: 1, sender: 1, clientSequence: 1, type: 'A', payload: {} }),
    gatewayEntry({ flags: 1, sequence: 2, sender: 1, clientSequence: 3, type: 'C', payload: {} }),
  );
  clock.pass(60_000);
  assert.equal(sockets.length, 1);
  last().cut();
  reopen();
  assert.equal(last().controls[0].join.resume.next, 1);
  last().tell(joined({ epoch: 'e2', resumed: true }));
  last().tell({ catchUp: { kind: 'snapshot', epoch: 'e2', sequence: 0 } });
  last().tell(caughtUp(0));
  // An entry without a type is sent in its place. No gateway accepts it.
  assert.deepEqual(last().said.map(({ type, clientSequence, flags }) => [type, clientSequence, flags]), [
    ['A', 1, 1],
    ['', 2, 1],
    ['C', 3, 1],
  ]);
  last().tell({ error: { code: 'bad-entry', detail: 'No.', clientSequence: 2 } });
  assert.deepEqual(acked, ['B bad-entry', 'A accepted', 'C accepted']);
  assert.deepEqual(session.pending.map(({ entry }) => entry.type), ['A', 'C']);
  last().entries(gatewayEntry({ flags: 1, sequence: 2, sender: 1, clientSequence: 3, type: 'C', payload: {} }));
  last().tell({ committed: { sequence: 2 } });
  assert.equal(session.save().outbox.items.length, 0);
});

for (const isResumed of [true, false]) {
  test(`entries lost in a crash are reported and acknowledged, ${isResumed ? 'resumed' : 'as a new participant'}`, () => {
    const { session, last, reopen } = fakeSession();
    const reported = observeAcked(session);
    session.observe({
      reopened: ({ entry }) => reported.push(`${entry.type} lost`),
      caughtUp: () => reported.push('caught up'),
    });
    session.join();
    welcome(last());
    for (const type of ['A', 'B', 'C', 'D']) session.send(reliable(type));
    for (const [index, type] of ['A', 'B', 'C'].entries()) {
      const [sequence, clientSequence] = [index + 1, index + 1];
      last().entries(gatewayEntry({ flags: 1, sequence, sender: 1, clientSequence, type, payload: {} }));
    }
    last().tell({ committed: { sequence: 1 } });
    reported.length = 0;
    last().cut();
    reopen();
    const sender = isResumed ? 1 : 2;
    const participant = isResumed ? ADA : BEN;
    last().tell(joined({ participant, epoch: 'e2', sequence: 1, acknowledged: Number(isResumed), resumed: isResumed }));
    last().tell({ catchUp: { kind: 'snapshot', epoch: 'e2', sequence: 1 } });
    last().tell(caughtUp(1));
    assert.deepEqual(session.pending.map(({ entry }) => entry.type), ['B', 'C', 'D']);
    const clientSequence = isResumed ? 4 : 3;
    last().entries(gatewayEntry({ flags: 1, sequence: 4, sender, clientSequence, type: 'D', payload: {} }));
    assert.deepEqual(reported, ['B lost', 'C lost', 'caught up', 'B accepted', 'C accepted', 'D accepted']);
  });
}

test('the error of a refused entry has the limit that was reached, such as that of entries which wait for a slow disk', () => {
  const { session, last } = fakeSession();
  /** @type {import('../../Public/js/sync/errors.js').GroupSessionError[]} */
  const errors = [];
  session.addEventListener('error', (event) => errors.push(/** @type {CustomEvent} */ (event).detail));
  session.join();
  last().open();
  last().tell(joined({ limits: { unsavedSessionBytes: 500 } }));
  last().tell(catchUp('tail', 0));
  last().tell(caughtUp(0));
  last().tell({ error: { code: 'storage-full', detail: 'No.', clientSequence: 1, limit: 500, actual: 501 } });
  last().tell({ error: { code: 'storage-full', detail: 'No.', clientSequence: 1, limit: 'x' } });
  assert.deepEqual(errors.map(({ code, limit }) => [code, limit]), [['storage-full', 500], ['storage-full', 0]]);
  assert.equal(session.limits.unsavedSessionBytes, 500);
});

test('§3.3 entries are unsaved from the notice until the gateway revokes it or restarts', () => {
  const { session, last, reopen } = fakeSession();
  const notice = (/** @type {number} */ sequence, /** @type {string} */ code) =>
    gatewayEntry({ flags: 0x81, sequence, type: 'notice', payload: { code, detail: 'x' } });
  session.join();
  welcome(last());
  last().entries(notice(1, 'session-quota'));
  assert.equal(session.isUnsaved, false);
  last().entries(notice(2, 'storage-full'), notice(3, 'session-quota'));
  assert.equal(session.isUnsaved, true);
  last().entries(notice(4, 'saved'));
  assert.equal(session.isUnsaved, false);
  last().entries(notice(5, 'storage-full'));
  for (const [epoch, isUnsaved] of /** @type {[string, boolean][]} */ ([['e1', true], ['e2', false]])) {
    last().cut();
    reopen();
    last().tell(joined({ epoch, sequence: 5, resumed: true }));
    assert.equal(session.isUnsaved, isUnsaved);
  }
});

test('a silent socket with an expected answer is replaced', () => {
  const { session, clock, sockets, last } = fakeSession();
  session.join();
  welcome(last());
  clock.pass(120_000);
  assert.equal(sockets.length, 1);
  session.send(reliable('A'));
  clock.pass(20_000);
  assert.ok(sockets.length > 1);
  assert.equal(sockets[0].closedWith, 1000);
});

test('an unparsable message causes a new join with a snapshot', () => {
  const { session, last, reopen } = fakeSession();
  session.join();
  welcome(last());
  last().entries(Uint8Array.of(0, 0, 0, 9, 1));
  reopen();
  assert.equal('after' in last().controls[0].join.resume, false);
});

for (
  const bad of [{ joined: {} }, { joined: { participant: 1, token: 't', epoch: 'e' } }, {
    joined: { participant: ADA, token: 4, epoch: 'e' },
  }]
) {
  test(`an invalid joined is rejected: ${JSON.stringify(bad)}`, () => {
    const { session, last } = fakeSession();
    session.join();
    last().open();
    last().tell(bad);
    last().tell(caughtUp(0));
    assert.equal(session.localParticipant, null);
  });
}

test('unknown control messages are ignored', () => {
  const { session, last } = fakeSession();
  session.join();
  welcome(last());
  for (const data of ['', '{', 'null', '7', '{}', '{"news":{}}', '{"committed":7}', '{"error":null}']) {
    last().onmessage({ data });
  }
  assert.equal(session.state, 'joined');
});

test('entries over the gateway’s limit are refused before they are sent', () => {
  const { session, last } = fakeSession();
  session.join();
  welcome(last(), { limits: { ...LIMITS, messageBytes: 10 } });
  session.send(reliable('A', { payload: new Uint8Array(10) }));
  assert.throws(() => session.send(reliable('A', { payload: new Uint8Array(11) })), MessageTooLargeError);
  assert.equal(last().said.length, 1);
});

test('§3 entries that cannot be encoded are not sent', () => {
  const { session } = fakeSession();
  for (const type of ['', 'é'.repeat(128)]) assert.throws(() => session.send(reliable(type)), TypeError);
  assert.throws(() => session.send(reliable('A', { retention: 1, key: 'no-key' })), TypeError);
  const targets = Array.from({ length: 1001 }, () => 1);
  assert.throws(() => session.send(reliable('A', { targets })), TypeError);
  assert.equal(session.pending.length, 0);
});

test('nothing can be sent in an ended session', () => {
  const { session, last } = fakeSession();
  session.join();
  welcome(last());
  session.leave();
  assert.deepEqual(last().controls.at(-1), { leave: {} });
  assert.equal(session.reason?.kind, 'left');
  assert.throws(() => session.send(reliable('A')), NotJoinedError);
});

test('unreliable entries are sent at once or dropped', () => {
  const { session, last } = fakeSession();
  const cursor = { type: 'C', payload: new Uint8Array(0), reliable: false };
  session.send(cursor);
  session.join();
  welcome(last());
  assert.deepEqual(last().said, []);
  session.send(cursor);
  assert.deepEqual(last().said.map(({ flags, clientSequence }) => [flags, clientSequence]), [[0, 0]]);
  last().bufferedAmount = 100_000;
  session.send(cursor);
  assert.equal(last().said.length, 1);
});

test('many entries are sent in few messages, within the limit and the rate', () => {
  const { session, clock, last } = fakeSession();
  for (let count = 0; count < 3000; count += 1) session.send(reliable('A', { payload: new Uint8Array(1000) }));
  session.join();
  welcome(last());
  assert.equal(last().said.length, 1500);
  assert.ok(last().sent.every((data) => data.length <= 65_536));
  assert.ok(last().sent.length < 30);
  clock.pass(500);
  assert.ok(last().said.length >= 1900 && last().said.length <= 2100);
  clock.pass(2000);
  assert.equal(last().said.length, 3000);
});

test('P8 entries sent while disconnected are stored at once', () => {
  const { session } = fakeSession();
  let changes = 0;
  session.addEventListener('savechange', () => changes += 1);
  session.send(reliable('A'));
  assert.equal(changes, 1);
});

test('§3 no message has more than 1 MiB, whatever the sizes of its entries', () => {
  const { session, clock, last } = fakeSession();
  const sizes = [262_144, 262_144, 262_109, 262_144, 262_144];
  for (const size of sizes) session.send(reliable('A', { payload: new Uint8Array(size) }));
  session.join();
  welcome(last());
  clock.pass(2000);
  assert.equal(last().said.length, sizes.length);
  assert.deepEqual(last().sent.filter((data) => data.length > 1_048_576), []);
});

test('sending pauses while the socket’s buffer is full', () => {
  const { session, clock, last } = fakeSession();
  session.join();
  welcome(last());
  last().bufferedAmount = 2_000_000;
  session.send(reliable('A'));
  assert.equal(last().said.length, 0);
  last().bufferedAmount = 0;
  clock.pass(60);
  assert.equal(last().said.length, 1);
});

test('a reloaded page is the same participant, and sends the pending entries', () => {
  const before = fakeSession();
  before.session.join();
  welcome(before.last());
  before.session.send(reliable('A'));
  const saved = JSON.parse(JSON.stringify(before.session.save(), (name, value) => (name === 'payload' ? [] : value)));
  for (const item of saved.outbox.items) item.entry.payload = new Uint8Array(2);
  const { session, last } = fakeSession({ saved });
  session.send(reliable('B'));
  session.join();
  last().open();
  assert.deepEqual(last().controls[0].join.resume, { token: 'token-1', next: 1 });
  last().tell(joined({ acknowledged: 0, resumed: true }));
  last().tell(catchUp('snapshot', 0));
  last().tell(caughtUp(0));
  assert.deepEqual(last().said.map(({ type, clientSequence }) => [type, clientSequence]), [['A', 1], ['B', 2]]);
});

test('an own unreliable entry that comes back is ignored', () => {
  const { session, last } = fakeSession();
  const heard = /** @type {string[]} */ ([]);
  session.join();
  welcome(last());
  session.observe({ entry: ({ type }) => heard.push(type) });
  last().entries(
    gatewayEntry({ flags: 0, sender: 1, type: 'Mine', payload: {} }),
    gatewayEntry({ flags: 0, sender: 2, type: 'Yours', payload: {} }),
  );
  assert.deepEqual(heard, ['Yours']);
});

test('a successor of the session and a notice are reported', () => {
  const { session, last } = fakeSession();
  session.join();
  welcome(last());
  const seen = ['newsession', 'notice', 'activitychange'].map((kind) =>
    collect(session, kind, (event) => /** @type {any} */ (event).detail ?? kind)
  );
  last().entries(
    gatewayEntry({ flags: 0x81, sequence: 1, type: 'newSession', payload: { session: 'B', by: 2 } }),
    gatewayEntry({ flags: 0x81, sequence: 2, type: 'notice', payload: { code: 'saved', detail: 'Saved again.' } }),
    gatewayEntry({ flags: 0x81, sequence: 3, type: 'activity', payload: { title: 'Other' } }),
  );
  assert.deepEqual(seen, [[{ session: 'B', by: 2 }], [{ code: 'saved', detail: 'Saved again.' }], ['activitychange']]);
  assert.equal(session.activity.title, 'Other');
});

/** @param {{ reopen: () => void, last: () => any }} world @returns {number} the `next` of the resume that follows a cut */
function nextAfterCut({ reopen, last }) {
  last().cut();
  reopen();
  return last().controls[0].join.resume.next;
}

/** @param {EventTarget} target @param {string} kind @param {(event: Event) => unknown} read @returns {unknown[]} */
function collect(target, kind, read) {
  /** @type {unknown[]} */
  const seen = [];
  target.addEventListener(kind, (event) => seen.push(read(event)));
  return seen;
}

/** @param {import('../../Public/js/sync/groupSession.js').GroupSession} session @returns {string[]} */
function observeAcked(session) {
  /** @type {string[]} */
  const acked = [];
  session.observe({ acked: ({ entry }, refusal) => acked.push(`${entry.type} ${refusal?.code ?? 'accepted'}`) });
  return acked;
}

/** @param {{ name: string }} participant */
function name(participant) {
  return participant.name;
}
