import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Participants } from '../../Public/js/sync/participants.js';
import { RetainedState } from '../../Public/js/sync/retainedState.js';
import { fnv1a64, stateHash } from '../../Public/js/sync/stateHash.js';
import { PageLeases } from '../../Public/js/persist/pageLeases.js';
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
  test(`§3.2 ${rule}`, async () => {
    const all = entries.map(([flags, key], index) => retainedEntry({ flags: flags ?? 0, sequence: index + 1, key }));
    const left = held.flat().map((sequence) => all[sequence - 1]);
    assert.deepEqual(stateOf(all).keys, held.map(([sequence]) => all[sequence - 1].key));
    assert.equal(await stateHash(stateOf(all)), await stateHash(stateOf(left)));
  });
}

test('the hash covers key, sequence, type, payload and order of the entries of each key', async () => {
  const base = [{ sequence: 2, key: 0xbb }, { sequence: 7, key: 0xaa }, { sequence: 8, key: 0xaa, payload: 'abcdefg' }];
  /** @type {[string, object[]][]} */
  const others = [
    ['key', [{ ...base[0], key: 0xbc }, base[1], base[2]]],
    ['sequence', [{ ...base[0], sequence: 3 }, base[1], base[2]]],
    ['high half of the sequence', [{ ...base[0], sequence: 2 ** 32 + 2 }, base[1], base[2]]],
    ['type', [{ ...base[0], type: 'U' }, base[1], base[2]]],
    ['first bytes of a payload', [base[0], base[1], { ...base[2], payload: 'Abcdefg' }]],
    ['last byte of a payload', [base[0], base[1], { ...base[2], payload: 'abcdefG' }]],
    ['length of a payload', [base[0], base[1], { ...base[2], payload: 'abcdefg\0' }]],
    ['where the type ends', [{ ...base[0], type: 'Tx', payload: '' }, base[1], base[2]]],
    ['number of entries', [base[0], base[1]]],
    ['order of appends', [base[0], base[2], base[1]]],
    ['key space', [{ ...base[0], flags: 0x83 }, base[1], base[2]]],
  ];
  const hashOf = (/** @type {any[]} */ list) => stateHash(stateOf(list.map(retainedEntry)));
  const hash = await hashOf(base);
  assert.equal(await hashOf([base[1], base[0], base[2]]), hash, 'the order of keys does not count');
  for (const [what, list] of others) assert.notEqual(await hashOf(list), hash, what);
  assert.equal(new Set(await Promise.all(others.map(([, list]) => hashOf(list)))).size, others.length);
  assert.match(hash, /^sha256:[0-9a-f]{64}$/);
  assert.match(await stateHash(stateOf(base.map(retainedEntry)), null), /^fnv1a64:[0-9a-f]{16}$/);
});

test('the hash does not depend on the place of a payload in memory', async () => {
  const payload = new TextEncoder().encode('xabcdefgh').subarray(1);
  const entry = retainedEntry({ sequence: 1, key: 1, payload: 'abcdefgh' });
  assert.equal(await stateHash(stateOf([{ ...entry, payload }])), await stateHash(stateOf([entry])));
});

test('no payload of a client is stored', () => {
  const entry = retainedEntry({ sequence: 1, key: 1, payload: 'abcdefgh' });
  const retained = stateOf([entry, retainedEntry({ flags: 0x83, sequence: 2, key: 2 })]);
  assert.deepEqual([...retained.systemEntries()].map(({ sequence }) => sequence), [2]);
  assert.ok(retained.digests.every(([, digest]) => Number.isSafeInteger(digest)));
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
  assert.deepEqual(participants.active, [{ id: 'x', number: 4, name: 'Someone', color: '#888888' }]);
});

test('with locks: a tab keeps its lease, and a duplicate of the tab does not get it', async () => {
  const locks = fakeLocks();
  const tabs = { locks, openChannel: noChannel, wait: () => Promise.resolve() };
  assert.equal(await acquireLease('c', 'page-1', tabs), true);
  assert.equal(await acquireLease('c', 'page-2', tabs), false);
  assert.equal(await acquireLease('d', 'page-2', tabs), true);
});

test('with locks: a reloaded page may have to wait for its own lock', async () => {
  const locks = fakeLocks();
  await acquireLease('c', 'page-1', { locks, openChannel: noChannel, wait: () => Promise.resolve() });
  const wait = () => (locks.held.clear(), Promise.resolve());
  assert.equal(await acquireLease('c', 'page-2', { locks, openChannel: noChannel, wait }), true);
});

test('without locks: a tab objects when another one requests its lease', async () => {
  const { openChannel, turn } = fakeChannels();
  const tabs = { locks: undefined, openChannel, wait: turn };
  assert.equal(await acquireLease('c', 'page-1', tabs), true);
  assert.equal(await acquireLease('c', 'page-2', tabs), false);
  assert.equal(await acquireLease('d', 'page-2', tabs), true);
});

test('without locks: of two tabs that ask at once, one gets the lease', async () => {
  const { openChannel, turn } = fakeChannels();
  const tabs = { locks: undefined, openChannel, wait: turn };
  assert.deepEqual(await Promise.all([acquireLease('c', 'page-1', tabs), acquireLease('c', 'page-2', tabs)]), [
    false,
    true,
  ]);
});

for (const hasLocks of [true, false]) {
  test(`${hasLocks ? 'with' : 'without'} locks: a released lease is free for other tabs`, async () => {
    const { openChannel, turn } = fakeChannels();
    const tabs = hasLocks
      ? { locks: fakeLocks(), openChannel: noChannel, wait: () => Promise.resolve() }
      : { locks: undefined, openChannel, wait: turn };
    const [one, other] = [new PageLeases('page-1', tabs), new PageLeases('page-2', tabs)];
    assert.deepEqual([await one.acquire('c'), await one.acquire('c'), await one.hold('c')], [true, false, true]);
    assert.equal(await other.hold('c'), false);
    one.release('c');
    one.release('unknown');
    await turn();
    assert.equal(await other.hold('c'), true);
    assert.equal(await one.hold('c'), false);
  });
}

test('a lease that is still requested is not held', async () => {
  const locks = fakeLocks();
  const tabs = { locks, openChannel: noChannel, wait: () => Promise.resolve() };
  await new PageLeases('page-1', tabs).acquire('c');
  const other = new PageLeases('page-2', tabs);
  assert.deepEqual(await Promise.all([other.acquire('c'), other.hold('c')]), [false, false]);
});

/**
 * @param {{ flags?: number, sequence: number, key: number | undefined, type?: string, payload?: string }} entry
 * @returns {import('../../Public/js/sync/wire.js').Entry}
 */
function retainedEntry({ flags = 3, sequence, key, type = 'T', payload = 'x' }) {
  const bytes = new TextEncoder().encode(payload);
  const base = { flags, sequence: 0, sender: 2, clientSequence: 1, key, type, payload: bytes };
  return { ...decodeEntries(gatewayEntry(base))[0], sequence };
}

/** @param {import('../../Public/js/sync/wire.js').Entry[]} entries */
function stateOf(entries) {
  const retained = new RetainedState();
  for (const entry of entries) retained.apply(entry);
  return retained;
}

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
      held.delete(name);
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
