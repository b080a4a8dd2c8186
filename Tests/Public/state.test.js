import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Participants } from '../../Public/js/sync/control.js';
import { fnv1a64, RetainedState, stateBytes, stateHash } from '../../Public/js/sync/retained.js';
import { acquireLease } from '../../Public/js/persist/tabLease.js';
import { decodeEntries } from '../../Public/js/sync/wire.js';
import { ADA, BEN, gatewayEntry } from './support.js';

/** §3.2: entries in order (flags, key), and the sequences that are retained at the end. */
const RETENTION = [
  { rule: 'appends pile up', entries: [[3, 1], [3, 1]], held: [[1, 2]] },
  { rule: 'a replace takes the place of all before', entries: [[3, 1], [3, 1], [5, 1]], held: [[3]] },
  { rule: 'appends after a replace stay with it', entries: [[5, 1], [3, 1]], held: [[1, 2]] },
  { rule: 'a remove forgets the key', entries: [[3, 1], [3, 2], [7, 1]], held: [[2]] },
  { rule: 'no retention, no trace', entries: [[1, undefined], [3, 1]], held: [[2]] },
  { rule: 'what changed nothing changes nothing', entries: [[0x23, 1], [5, 2], [0x25, 2]], held: [[2]] },
  { rule: 'the gateway’s keys are its own', entries: [[3, 1], [0x85, 1], [7, 1]], held: [[2]] },
  { rule: 'what is unreliable is not retained', entries: [[2, 1]], held: [] },
];

for (const { rule, entries, held } of RETENTION) {
  test(`§3.2 ${rule}`, () => {
    const retained = new RetainedState();
    entries.forEach(([flags, key], index) => {
      const bytes = gatewayEntry({
        flags: flags ?? 0,
        sequence: index + 1,
        sender: 2,
        clientSequence: index + 1,
        key,
        type: 'T',
      });
      for (const entry of decodeEntries(bytes)) retained.apply(entry);
    });
    assert.deepEqual(retained.sorted().map(([, list]) => list.map(({ sequence }) => sequence)), held);
  });
}

test('the digest covers key, sequence, type and payload of each entry, by key', async () => {
  const retained = new RetainedState();
  for (const [sequence, key] of [[2, 0xbb], [7, 0xaa]]) {
    const bytes = gatewayEntry({
      flags: 3,
      sequence,
      sender: 2,
      clientSequence: 1,
      key,
      type: 'AB',
      payload: Uint8Array.of(9, sequence),
    });
    retained.apply(decodeEntries(bytes)[0]);
  }
  const hex = Buffer.from(stateBytes(retained)).toString('hex');
  assert.equal(
    hex,
    `${'aa'.repeat(16)}0000000000000007 02 00000002 4142 0907 ${'bb'.repeat(16)}0000000000000002 02 00000002 4142 0902`
      .replaceAll(' ', ''),
  );
  assert.match(await stateHash(retained), /^sha256:[0-9a-f]{64}$/);
  assert.match(await stateHash(retained, null), /^fnv1a64:[0-9a-f]{16}$/);
});

/** Published test vectors of FNV-1a, 64 bits. */
for (
  const [text, digest] of [['', 'cbf29ce484222325'], ['a', 'af63dc4c8601ec8c'], ['foobar', '85944171f73967e8'], [
    'chongo was here!\n',
    '46810940eff5f915',
  ]]
) {
  test(`FNV-1a of ${JSON.stringify(text)}`, () => assert.equal(fnv1a64(new TextEncoder().encode(text)), digest));
}

test('§3.3 participants join, change, wait and leave', () => {
  const participants = new Participants();
  participants.apply({ waiting: [{ id: BEN.id, name: 'Ben', color: '#000000' }], joined: [ADA] });
  assert.deepEqual(participants.waiting.map(({ name }) => name), ['Ben']);
  participants.apply({ joined: [BEN] });
  assert.deepEqual(participants.waiting, []);
  participants.apply({ changed: [{ ...BEN, name: 'Benno' }] });
  assert.deepEqual(participants.active.map(({ name }) => name), ['Ada', 'Benno']);
  participants.apply({ left: [{ id: BEN.id, number: 2, reason: 'gone' }, null, { number: 99 }] });
  assert.deepEqual(participants.active, [ADA]);
  assert.equal(participants.find(2)?.name, 'Benno');
});

test('participants on the wire are validated', () => {
  const participants = new Participants();
  participants.apply({
    joined: [null, 7, { number: 3 }, { id: 'x', number: 4, name: '', color: 'url(x)' }],
    left: 'all',
    changed: {},
  });
  assert.deepEqual(participants.active, [{ id: 'x', number: 4, name: 'Somebody', color: '#888888' }]);
});

test('with locks: the tab that holds the claim keeps it, a duplicate does not get it', async () => {
  const locks = fakeLocks();
  const tabs = { locks, openChannel: noChannel, wait: () => Promise.resolve() };
  assert.equal(await acquireLease('c', 'page-1', tabs), true);
  assert.equal(await acquireLease('c', 'page-2', tabs), false);
  assert.equal(await acquireLease('d', 'page-2', tabs), true);
});

test('with locks: a page that reloads may have to wait for its own lock', async () => {
  const locks = fakeLocks();
  await acquireLease('c', 'page-1', { locks, openChannel: noChannel, wait: () => Promise.resolve() });
  const wait = () => (locks.held.clear(), Promise.resolve());
  assert.equal(await acquireLease('c', 'page-2', { locks, openChannel: noChannel, wait }), true);
});

test('without locks: a tab objects when its claim is taken by another', async () => {
  const { openChannel, turn } = fakeChannels();
  const tabs = { locks: undefined, openChannel, wait: turn };
  assert.equal(await acquireLease('c', 'page-1', tabs), true);
  assert.equal(await acquireLease('c', 'page-2', tabs), false);
  assert.equal(await acquireLease('d', 'page-2', tabs), true);
});

test('without locks: of two that ask at once one gets it', async () => {
  const { openChannel, turn } = fakeChannels();
  const tabs = { locks: undefined, openChannel, wait: turn };
  assert.deepEqual(await Promise.all([acquireLease('c', 'page-1', tabs), acquireLease('c', 'page-2', tabs)]), [
    false,
    true,
  ]);
});

/** @returns {any} */
function fakeLocks() {
  const held = new Set();
  return {
    held,
    request: async (
      /** @type {string} */ name,
      /** @type {object} */ _options,
      /** @type {(lock: object | null) => Promise<void>} */ run,
    ) => {
      if (held.has(name)) return await run(null);
      held.add(name);
      await run({ name });
    },
  };
}

/** @returns {any} */
function noChannel() {
  throw new Error('not needed');
}

function fakeChannels() {
  /** @type {Set<any>} */
  const open = new Set();
  const openChannel = () => {
    const channel = {
      onmessage: /** @type {any} */ (null),
      postMessage: (/** @type {object} */ data) => {
        for (const other of open) if (other !== channel) queueMicrotask(() => other.onmessage?.({ data }));
      },
      close: () => open.delete(channel),
    };
    open.add(channel);
    return /** @type {any} */ (channel);
  };
  return { openChannel, turn: () => new Promise((resolve) => setImmediate(resolve)) };
}
