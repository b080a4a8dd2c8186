/** A client that continues as a new participant sends no entry that the session already has. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outbox } from '../../Public/js/sync/outbox.js';
import { Retention } from '../../Public/js/sync/wire.js';
import { BEN, catchUp, caughtUp, fakeSession, gatewayEntry, joined, keyOf, reliable, welcome } from './support.js';

const RELIABLE = 1;
const APPEND = 3;

test('§2.1 entries that a snapshot contains under the former number are not sent again', () => {
  const { session, last, reopen, acked } = fakeSender();
  for (const [type, key] of Object.entries({ A: 1, B: 2, C: 3 })) {
    session.send(reliable(type, { key: keyOf(key), retention: Retention.append }));
  }
  last().cut(4009, '{"code":"resumed-elsewhere"}');
  reopen();
  last().tell(joined({ participant: BEN, token: 'token-2', sequence: 2 }));
  last().tell(catchUp('snapshot', 2));
  // A is not in the snapshot, for example because somebody removed it. It was sent before B, so the session had it.
  last().entries(gatewayEntry({ flags: APPEND, sender: 1, clientSequence: 2, key: 2, type: 'B', payload: {} }));
  assert.deepEqual(acked, []);
  last().tell(caughtUp(2));
  assert.deepEqual(acked, ['A', 'B']);
  assert.deepEqual(sent(last()), ['1 C']);
});

test('§2.1 entries that a tail contains under the former number are not sent again', () => {
  const { session, last, reopen, acked } = fakeSender();
  for (const type of ['A', 'B', 'C']) session.send(reliable(type));
  last().cut();
  reopen();
  last().tell(joined({ participant: BEN, token: 'token-2', sequence: 2 }));
  last().tell(catchUp('tail', 2));
  last().entries(
    gatewayEntry({ flags: RELIABLE, sequence: 1, sender: 1, clientSequence: 1, type: 'A', payload: {} }),
    gatewayEntry({ flags: RELIABLE, sequence: 2, sender: 1, clientSequence: 2, type: 'B', payload: {} }),
  );
  last().tell(caughtUp(2));
  assert.deepEqual([acked, sent(last()), session.pending.length], [['A', 'B'], ['1 C'], 1]);
});

test('entries of another page that continued under the former number are ignored', () => {
  const { session, last, reopen, acked } = fakeSender();
  for (const type of ['A', 'B']) session.send(reliable(type));
  last().cut(4009);
  reopen();
  last().tell(joined({ participant: BEN, token: 'token-2', sequence: 2 }));
  last().tell(catchUp('snapshot', 2));
  last().entries(
    gatewayEntry({ flags: APPEND, sender: 1, clientSequence: 1, key: 1, type: 'A', payload: {} }),
    gatewayEntry({ flags: RELIABLE, sender: 1, clientSequence: 2, type: 'B', payload: { of: 'the other page' } }),
    gatewayEntry({ flags: RELIABLE, sender: 1, clientSequence: 3, type: 'B', payload: {} }),
  );
  last().tell(caughtUp(2));
  assert.deepEqual([acked, sent(last())], [[], ['1 A', '2 B']]);
});

test('after a lost connection during the catch-up, the next catch-up is compared, too', () => {
  const { session, last, reopen, acked } = fakeSender();
  for (const type of ['A', 'B']) session.send(reliable(type));
  last().cut(4009);
  reopen();
  last().tell(joined({ participant: BEN, token: 'token-2', sequence: 1 }));
  session.send(reliable('C'));
  assert.deepEqual(session.save().outbox.items.map(({ entry, clientSequence }) => [entry.type, clientSequence]), [
    ['A', 0],
    ['B', 0],
    ['C', 0],
  ]);
  last().cut();
  reopen();
  assert.equal(last().controls[0].join.resume.next, 1);
  last().tell(joined({ participant: BEN, token: 'token-2', sequence: 1, resumed: true }));
  last().tell(catchUp('snapshot', 1));
  last().entries(gatewayEntry({ flags: RELIABLE, sender: 1, clientSequence: 1, type: 'A', payload: {} }));
  last().tell(caughtUp(1));
  assert.deepEqual([acked, sent(last())], [['A'], ['1 B', '2 C']]);
});

for (const isStored of [false, true]) {
  const when = isStored ? 'a later page' : 'the next page';
  test(`§2.1 ${when} whose token is unknown sends no entry that the session has`, () => {
    const before = fakeSender();
    for (const type of ['A', 'B', 'C']) before.session.send(reliable(type));
    let saved = before.session.save();
    // A page in between that never got a connection.
    if (isStored) saved = fakeSession({ saved }).session.save();
    const { session, last, acked } = fakeSender({ saved });
    last().open();
    last().tell(joined({ participant: BEN, token: 'token-2', sequence: 2 }));
    last().tell(catchUp('snapshot', 2));
    last().entries(
      gatewayEntry({ flags: RELIABLE, sequence: 1, sender: 1, clientSequence: 1, type: 'A', payload: {} }),
      gatewayEntry({ flags: RELIABLE, sequence: 2, sender: 1, clientSequence: 2, type: 'B', payload: {} }),
    );
    last().tell(caughtUp(2));
    assert.deepEqual([acked, sent(last()), session.pending.length], [['A', 'B'], ['1 C'], 1]);
    assert.equal(session.save().number, BEN.number);
  });
}

test('entries that a later crash may have lost are sent again', () => {
  const outbox = new Outbox();
  outbox.add(reliable('A'));
  outbox.peek();
  outbox.sent();
  outbox.beginNumberChange(true);
  const entry = { ...reliable('A'), sequence: 7, sender: 1, clientSequence: 1, retention: 0, key: null };
  assert.equal(outbox.acceptedBefore(/** @type {any} */ (entry)).length, 1);
  assert.deepEqual(outbox.pending, []);
  outbox.resume(0, 0, false);
  assert.equal(outbox.pending.length, 1);
  outbox.endNumberChange();
  assert.equal(outbox.peek()?.clientSequence, 1);
});

/**
 * A session, and the types of its acknowledged entries. Without stored entries it is joined as participant 1.
 * @param {Parameters<typeof fakeSession>[0]} [options]
 */
function fakeSender(options) {
  const fake = fakeSession(options);
  /** @type {string[]} */
  const acked = [];
  fake.session.observe({ acked: ({ entry }) => acked.push(entry.type) });
  fake.session.join();
  if (!options) welcome(fake.last());
  return { ...fake, acked };
}

/** @param {import('./support.js').FakeSocket} socket @returns {string[]} */
function sent(socket) {
  return socket.said.map(({ type, clientSequence }) => `${clientSequence} ${type}`);
}
