/** The unreliable messages for a meeting: the sent ones, and the accepted ones of others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MAX_BYTES,
  MESSAGES_PER_SECOND,
  TransientMessages,
  TransientType,
} from '../../Public/js/protocol/transientMessages.js';
import { isDrawing } from '../../Public/js/protocol/presence.js';
import { ADA, BEN, fakeSession, gatewayEntry, welcome } from './support.js';

const CARA = { id: '33333333-3333-4333-8333-333333333333', number: 3, name: 'Cara', color: '#30a46c' };

test('a message of another participant is received', () => {
  const { hear, heard } = channel();
  hear(BEN.number, { point: [1, 2] });
  assert.deepEqual(heard, [[BEN.number, { point: [1, 2] }]]);
});

/** @type {{ rule: string, sender?: number, flags?: number, payload?: unknown }[]} */
const IGNORED = [
  { rule: 'its own', sender: ADA.number },
  { rule: 'an unknown participant', sender: 77 },
  { rule: 'a reliable message', flags: 1 },
  { rule: 'the gateway', flags: 128, sender: 0 },
  { rule: 'a list', payload: [1] },
  { rule: 'null', payload: null },
  { rule: 'a number', payload: 7 },
  { rule: 'no JSON', payload: new TextEncoder().encode('{"point":') },
  { rule: 'no UTF-8', payload: Uint8Array.from([0xff, 0xfe]) },
  { rule: 'nothing', payload: new Uint8Array(0) },
  { rule: 'a long message', payload: { text: 'x'.repeat(MAX_BYTES) } },
  { rule: 'a deep message', payload: new TextEncoder().encode('['.repeat(MAX_BYTES)) },
];

for (const { rule, sender = BEN.number, flags = 0, payload = {} } of IGNORED) {
  test(`ignored: ${rule}`, () => {
    const { hear, heard } = channel();
    hear(sender, payload, flags);
    assert.deepEqual(heard, []);
  });
}

test('a flood from one participant is limited, and does not affect another one', () => {
  const { hear, heard, clock } = channel();
  for (let at = 0; at < 5000; at += 1) hear(BEN.number, { at });
  const first = heard.length;
  assert.ok(first <= 2 * MESSAGES_PER_SECOND, `${first} messages`);
  hear(CARA.number, { point: [0, 0] });
  assert.equal(heard.at(-1)?.[0], CARA.number);
  clock.pass(1000);
  for (let at = 0; at < 5000; at += 1) hear(BEN.number, { at });
  assert.ok(heard.length - first <= MESSAGES_PER_SECOND + 1, `${heard.length - first} more`);
});

test('messages are unreliable, and go to all or to some', () => {
  const { messages, said } = channel();
  messages.send(TransientType.ping, { point: [1, 2] });
  messages.send(TransientType.follow, {}, [2, 3]);
  messages.send(TransientType.follow, {}, []);
  assert.deepEqual(said(), [
    { flags: 0, type: 'PingMessage', payload: '{"point":[1,2]}', targets: [] },
    { flags: 8, type: 'FollowMessage', payload: '{}', targets: [2, 3] },
  ]);
});

test('without a connection or a session, messages are dropped', () => {
  const { messages, said, last } = channel();
  last().cut();
  messages.send(TransientType.ping, { point: [1, 2] });
  messages.follow(null);
  messages.send(TransientType.ping, { point: [1, 2] });
  assert.deepEqual(said(), []);
});

test('nothing is received from a session that was left', () => {
  const { messages, hear, heard } = channel();
  messages.follow(null);
  hear(BEN.number, {});
  assert.deepEqual(heard, []);
});

test('none of these messages counts as drawing', () => {
  assert.deepEqual(Object.values(TransientType).filter(isDrawing), []);
  assert.equal(isDrawing('UpsertStrokeMessage'), true);
});

/** Ada's page, with Ben and Cara in the session. */
function channel() {
  const { session, clock, last } = fakeSession();
  const messages = new TransientMessages(clock.now);
  /** @type {[number, Record<string, unknown>][]} */
  const heard = [];
  messages.on(TransientType.ping, (sender, message) => heard.push([sender, message]));
  messages.follow(session);
  session.join();
  welcome(last());
  last().entries(gatewayEntry({ flags: 0x81, sequence: 1, type: 'participants', payload: { joined: [BEN, CARA] } }));
  const before = last().said.length;
  const hear = (/** @type {number} */ sender, /** @type {unknown} */ payload, flags = 0) =>
    last().entries(gatewayEntry({ flags, sequence: flags ? 9 : 0, sender, type: TransientType.ping, payload }));
  const said = () =>
    last().said.slice(before).map(({ flags, type, payload, targets }) => ({ flags, type, payload, targets }));
  return { messages, session, clock, last, heard, hear, said };
}
