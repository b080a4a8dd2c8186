import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesFromKey, keyFromBytes, newKey } from '../../Public/js/sync/key.js';
import { decodeEntries, encodeEntry, Retention, WireError } from '../../Public/js/sync/wire.js';

const KEY = '00112233-4455-6677-8899-AABBCCDDEEFF';
const KEY_HEX = '00112233445566778899aabbccddeeff';

const OUTGOING = [
  {
    rule: '§3 reliable, no retention',
    entry: { type: 'Hi', payload: text('{}'), reliable: true },
    clientSequence: 1,
    hex: '0000000a 01 02 00000001 4869 7b7d',
  },
  {
    rule: '§3 append under a key',
    entry: { type: 'S', payload: text('x'), reliable: true, retention: Retention.append, key: KEY },
    clientSequence: 258,
    hex: `00000018 03 01 00000102 ${KEY_HEX} 53 78`,
  },
  {
    rule: '§3 replace, only if the key is held',
    entry: { type: 'S', payload: text('x'), reliable: true, retention: Retention.replace, key: KEY, existing: true },
    clientSequence: 2,
    hex: `00000018 25 01 00000002 ${KEY_HEX} 53 78`,
  },
  {
    rule: '§3 remove, with no payload',
    entry: { type: 'S', payload: text(''), reliable: true, retention: Retention.remove, key: KEY },
    clientSequence: 3,
    hex: `00000017 07 01 00000003 ${KEY_HEX} 53`,
  },
  {
    rule: '§3 targeted to two',
    entry: { type: 'Q', payload: text('?'), reliable: true, targets: [1, 0x01020304] },
    clientSequence: 4,
    hex: '00000012 09 01 00000004 0002 00000001 01020304 51 3f',
  },
  {
    rule: '§3 targeted to nobody is nobody, not everybody',
    entry: { type: 'Q', payload: text('?'), reliable: true, targets: [] },
    clientSequence: 5,
    hex: '0000000a 09 01 00000005 0000 51 3f',
  },
  {
    rule: '§3 unreliable: no flag and no client sequence',
    entry: { type: 'C', payload: text('{}'), reliable: false },
    clientSequence: 0,
    hex: '00000009 00 01 00000000 43 7b7d',
  },
  {
    rule: '§3 sealed, and a type of more than ASCII',
    entry: { type: 'é', payload: Uint8Array.of(255), reliable: true, sealed: true },
    clientSequence: 0xffffffff,
    hex: '00000009 11 02 ffffffff c3a9 ff',
  },
];

for (const { rule, entry, clientSequence, hex } of OUTGOING) {
  test(`writes an entry: ${rule}`, () => {
    assert.deepEqual(encodeEntry(entry, clientSequence), bytes(hex));
  });
}

const FIRST = '0000001c 01 03 0000000000000007 00000002 00000009 416263 7b2261223a317d';
const SECOND = `00000028 25 02 001fffffffffffff 00000001 00000001 ${KEY_HEX} 4142 01020304`;
const SYSTEM = '0000001e 81 0c 0000000000000000 00000000 00000000 7061727469636970616e7473';

test('reads entries back to back', () => {
  const [first, second, system] = decodeEntries(bytes(FIRST + SECOND + SYSTEM));
  assert.deepEqual(first, {
    sequence: 7,
    sender: 2,
    clientSequence: 9,
    type: 'Abc',
    payload: text('{"a":1}'),
    reliable: true,
    retention: 0,
    key: null,
    unchanged: false,
    targeted: false,
    sealed: false,
    system: false,
  });
  assert.equal(second.sequence, Number.MAX_SAFE_INTEGER);
  assert.equal(second.key, KEY);
  assert.equal(second.retention, Retention.replace);
  assert.equal(second.unchanged, true);
  assert.deepEqual(second.payload, Uint8Array.of(1, 2, 3, 4));
  assert.equal(system.system, true);
  assert.equal(system.type, 'participants');
});

test('a payload outlives its message', () => {
  const message = bytes(FIRST);
  const [{ payload }] = decodeEntries(message);
  message.fill(0);
  assert.deepEqual(payload, text('{"a":1}'));
});

const FAULTS = [
  { rule: 'a length cut off', hex: '000000' },
  { rule: 'an entry cut off', hex: '0000001c 01 03 00' },
  { rule: 'shorter than its head', hex: '00000003 01 00 00' },
  { rule: 'a type longer than the rest', hex: '00000012 01 05 0000000000000001 00000001 00000001' },
  { rule: 'a key cut off', hex: '00000012 03 00 0000000000000001 00000001 00000001' },
  { rule: 'a sequence over 2^53', hex: '00000013 01 01 0020000000000000 00000001 00000001 41' },
  { rule: 'a type that is no UTF-8', hex: '00000013 01 01 0000000000000001 00000001 00000001 ff' },
];

for (const { rule, hex } of FAULTS) {
  test(`refuses ${rule}`, () => {
    assert.throws(() => decodeEntries(bytes(hex)), WireError);
  });
}

test('an empty message is valid', () => assert.deepEqual(decodeEntries(new Uint8Array(0)), []));

test('keys are upper-case UUIDs in memory', () => {
  assert.equal(keyFromBytes(bytes(KEY_HEX)), KEY);
  assert.deepEqual(bytesFromKey(KEY), bytes(KEY_HEX));
});

test('a new key is a random UUID of version 4 (RFC 9562 §5.4)', () => {
  assert.equal(newKey((room) => room.fill(0xff)), 'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF');
  assert.equal(newKey((room) => room.fill(0)), '00000000-0000-4000-8000-000000000000');
});

/** @param {string} hex */
function bytes(hex) {
  return Uint8Array.from((hex.replaceAll(' ', '').match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

/** @param {string} content */
function text(content) {
  return new TextEncoder().encode(content);
}
