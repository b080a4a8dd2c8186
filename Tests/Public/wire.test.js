import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesFromKey, keyFromBytes, newKey } from '../../Public/js/sync/key.js';
import {
  checkEntry,
  decodeEntries,
  encodedLength,
  encodeEntry,
  Retention,
  WireError,
} from '../../Public/js/sync/wire.js';
import { bytesOf, vectors } from './vectors.js';

const { fromClients, fromGateway, refusedFromClients, refusedFromGateway } = vectors('entries');
const { format } = vectors('limits');
const KEY = '00112233-4455-6677-8899-AABBCCDDEEFF';
const KEY_HEX = '00112233445566778899AABBCCDDEEFF';

for (const vector of fromClients) {
  test(`§3 writes an entry: ${vector.name}`, () => {
    const { flags, retention, key, targets, type, payload, clientSequence, bytes } = vector;
    const entry = {
      type,
      payload: bytesOf(payload),
      reliable: flags.includes('reliable'),
      retention: Retention[/** @type {keyof typeof Retention} */ (retention)],
      key,
      existing: flags.includes('existing'),
      sealed: flags.includes('sealed'),
      targets: flags.includes('targeted') ? targets : null,
    };
    checkEntry(entry);
    const expected = bytesOf(bytes);
    assert.deepEqual(encodeEntry(entry, clientSequence), expected);
    assert.equal(encodedLength(entry), expected.length);
  });
}

for (const vector of fromGateway) {
  test(`§3 reads an entry: ${vector.name}`, () => {
    assert.deepEqual(decodeEntries(bytesOf(vector.bytes)), [parsed(vector)]);
  });
}

test('reads entries back to back', () => {
  const message = bytesOf(fromGateway.map(({ bytes }) => bytes));
  assert.deepEqual(decodeEntries(message), fromGateway.map(parsed));
});

test('a payload stays valid without its message', () => {
  const vector = fromGateway.find(({ payload }) => payload !== '');
  const message = bytesOf(vector.bytes);
  const [{ payload }] = decodeEntries(message);
  message.fill(0);
  assert.deepEqual(payload, bytesOf(vector.payload));
});

test('a message that ends within an entry is refused', () => {
  for (const { name, bytes } of fromGateway) {
    const message = bytesOf(bytes);
    for (let count = 1; count < message.length; count += 1) {
      assert.throws(() => decodeEntries(message.subarray(0, count)), WireError, `${name}, ${count} bytes`);
    }
  }
});

for (const { name, bytes, refusedBy } of refusedFromGateway) {
  if (refusedBy.includes('page')) {
    test(`§3 refuses a message of the gateway: ${name}`, () => {
      assert.throws(() => decodeEntries(bytesOf(bytes)), WireError);
    });
  } else {
    test(`reads a message of the gateway: ${name}`, () => {
      assert.equal(decodeEntries(bytesOf(bytes)).length, 1);
    });
  }
}

test('an empty message is valid', () => assert.deepEqual(decodeEntries(new Uint8Array(0)), []));

test('§3 an entry that cannot be encoded is refused before it is sent', () => {
  const entry = { type: 'T', payload: new Uint8Array(0), reliable: true };
  const faults = new Set(refusedFromClients.map(({ fault }) => fault));
  assert.ok(faults.has('empty-type') && faults.has('too-many-targets'));
  const targets = Array.from({ length: format.targets + 1 }, () => 1);
  for (
    const wrong of [
      { type: '' },
      { type: 'é'.repeat(128) },
      { type: 'T'.repeat(format.typeBytes + 1) },
      { retention: Retention.append },
      { retention: Retention.append, key: KEY.toLowerCase() },
      { targets },
    ]
  ) {
    assert.throws(() => checkEntry({ ...entry, ...wrong }), TypeError);
  }
  checkEntry({ ...entry, type: 'T'.repeat(format.typeBytes), targets: targets.slice(1) });
});

test('keys are upper-case UUIDs in memory', () => {
  assert.equal(keyFromBytes(bytesOf(KEY_HEX)), KEY);
  assert.deepEqual(bytesFromKey(KEY), bytesOf(KEY_HEX));
});

test('a new key is a random UUID of version 4 (RFC 9562 §5.4)', () => {
  assert.equal(newKey((room) => room.fill(0xff)), 'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF');
  assert.equal(newKey((room) => room.fill(0)), '00000000-0000-4000-8000-000000000000');
});

/** Returns the fields of an entry as the page reads them. @param {any} vector */
function parsed({ sequence, sender, clientSequence, type, payload, flags, retention, key }) {
  return {
    sequence,
    sender,
    clientSequence,
    type,
    payload: bytesOf(payload),
    reliable: flags.includes('reliable'),
    retention: Retention[/** @type {keyof typeof Retention} */ (retention)],
    key: key ?? null,
    unchanged: flags.includes('existing'),
    targeted: flags.includes('targeted'),
    sealed: flags.includes('sealed'),
    system: flags.includes('system'),
  };
}
