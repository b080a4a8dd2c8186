import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peopleAmong, Presence } from '../../Public/js/protocol/presence.js';
import { ADA, BEN, fakeSession, gatewayEntry, welcome } from './support.js';

const CARA = { id: '33333333-3333-4333-8333-333333333333', number: 3, name: 'Cara', color: '#30a46c' };
const SECOND = 1000;
const MINUTE = 60 * SECOND;

test('a participant is idle after a minute, and active at the next point', () => {
  const { presence, clock, hear } = joinedPresence();
  assert.equal(presence.of(BEN.number).kind, 'here');
  clock.pass(59 * SECOND);
  assert.equal(presence.of(BEN.number).kind, 'here');
  clock.pass(2 * MINUTE);
  assert.deepEqual(presence.of(BEN.number), { kind: 'idle', minutes: 2, sheet: 1 });
  hear('UpsertStrokeMessage', {}, 1);
  assert.equal(presence.of(BEN.number).kind, 'drawing');
  clock.pass(3 * SECOND);
  assert.equal(presence.of(BEN.number).kind, 'here');
});

test('a participant is away from its message on, until its pointer moves or it reports its return', async () => {
  const { presence, clock, hear, changes } = joinedPresence();
  await hear('PresenceMessage', { away: true });
  assert.equal(presence.of(BEN.number).kind, 'away');
  // A pending entry may be sent by a hidden page.
  await hear('UpsertStrokeMessage', {}, 1);
  assert.equal(presence.of(BEN.number).kind, 'away');
  await hear('CursorMessage', {});
  assert.equal(presence.of(BEN.number).kind, 'drawing');
  clock.pass(3 * SECOND);
  await hear('PresenceMessage', { away: true });
  await hear('PresenceMessage', {});
  assert.equal(presence.of(BEN.number).kind, 'here');
  assert.equal(changes.length, 4);
});

test('a participant who points at something is active and does not draw; automatic messages of a page are no activity', async () => {
  const { presence, clock, hear } = joinedPresence();
  await hear('PresenceMessage', { away: true });
  for (const type of ['ViewMessage', 'FollowMessage', 'HandMessage']) await hear(type, {});
  assert.equal(presence.of(BEN.number).kind, 'away');
  for (const type of ['LaserMessage', 'PingMessage', 'GatherMessage', 'ReactionMessage']) {
    await hear('PresenceMessage', { away: true });
    clock.pass(2 * MINUTE);
    await hear(type, {});
    assert.equal(presence.of(BEN.number).kind, 'here', type);
  }
});

const NONSENSE = [
  { says: null, kind: 'here' },
  { says: 'away', kind: 'here' },
  { says: { away: 1 }, kind: 'here' },
  { says: { idle: -5 }, kind: 'here' },
  { says: { idle: 1e300 }, kind: 'here' },
  { says: { idle: '90' }, kind: 'here' },
  { says: { idle: 90 }, kind: 'idle' },
  { says: { idle: 90, away: true, more: [] }, kind: 'away' },
];

for (const { says, kind } of NONSENSE) {
  test(`${JSON.stringify(says)} is read as ${kind}`, async () => {
    const { presence, hear } = joinedPresence();
    await hear('PresenceMessage', says);
    assert.equal(presence.of(BEN.number).kind, kind);
  });
}

test('activity is sent at intervals, and a hidden page at once', () => {
  const { presence, clock, said } = joinedPresence();
  presence.active();
  presence.active();
  clock.pass(19 * SECOND);
  presence.active();
  assert.deepEqual(said(), ['{} to all']);
  clock.pass(2 * SECOND);
  presence.active();
  presence.away(true);
  presence.away(true);
  presence.away(false);
  assert.deepEqual(said(), ['{} to all', '{"away":true} to all', '{} to all']);
});

test('a newcomer gets messages only from participants that are away or idle', () => {
  const { presence, clock, said, come } = joinedPresence();
  come(CARA, 5);
  clock.pass(2 * SECOND);
  assert.deepEqual(said(), []);
  clock.pass(90 * SECOND);
  come({ ...CARA, id: CARA.id.replaceAll('3', '4'), number: 4 }, 6);
  assert.deepEqual(said(), []);
  clock.pass(2 * SECOND);
  assert.deepEqual(said(), ['{"idle":95} to 4']);
  presence.away(true);
  said();
  come({ ...CARA, id: CARA.id.replaceAll('3', '5'), number: 5 }, 7);
  clock.pass(2 * SECOND);
  assert.deepEqual(said(), ['{"away":true,"idle":97} to 5']);
});

test('a page hidden while disconnected reports it on reconnect', () => {
  const { presence, clock, last, reopen, said } = joinedPresence();
  last().cut();
  presence.away(true);
  reopen();
  clock.pass(2 * SECOND);
  assert.deepEqual(said(), ['{"away":true} to all']);
});

test('the others learn which sheet a page shows, also those who come later', () => {
  const { presence, clock, last, reopen, said, come } = joinedPresence();
  presence.see(3);
  come(CARA, 5);
  clock.pass(2 * SECOND);
  presence.away(true);
  assert.deepEqual(said(), ['{"sheet":3} to all', '{"sheet":3} to 3', '{"away":true,"sheet":3} to all']);
  last().cut();
  reopen();
  clock.pass(2 * SECOND);
  assert.deepEqual(said(), ['{"away":true,"sheet":3} to all']);
  presence.away(false);
  presence.see(1);
  assert.deepEqual(said(), ['{"sheet":3} to all', '{} to all']);
});

test('a page that went back to the first sheet without a connection says so', () => {
  const { presence, clock, last, reopen, said } = joinedPresence();
  presence.see(3);
  last().cut();
  presence.see(1);
  reopen();
  clock.pass(2 * SECOND);
  assert.deepEqual(said(), ['{} to all']);
  last().cut();
  reopen();
  clock.pass(2 * SECOND);
  assert.deepEqual(said(), []);
});

test('the sheet of a participant is that of its last message', async () => {
  const { presence, hear, changes } = joinedPresence();
  for (const sheet of [3, 3, 2]) await hear('PresenceMessage', { sheet });
  assert.deepEqual([presence.of(BEN.number).sheet, changes.length], [2, 2]);
  for (const sheet of ['2', null, undefined, [2]]) {
    await hear('PresenceMessage', { sheet });
    assert.equal(presence.of(BEN.number).sheet, 1);
  }
});

test('tabs with one name and color are shown as one person', () => {
  const people = peopleAmong([ADA, BEN, { ...ADA, number: 7, color: ADA.color.toUpperCase() }, {
    ...BEN,
    color: '#000000',
  }]);
  assert.deepEqual(people.map(({ name, numbers }) => [name, numbers]), [['Ada', [1, 7]], ['Ben', [2]], ['Ben', [2]]]);
});

/** Ada's page, with Ben in the session. */
function joinedPresence() {
  const { session, clock, sockets, last } = fakeSession();
  const presence = new Presence({
    now: clock.now,
    random: () => 0.5,
    after: (ms, call) => void clock.setTimeout(call, ms),
  });
  presence.follow(session);
  /** @type {string[]} */
  const changes = [];
  presence.addEventListener('change', () => changes.push('change'));
  session.join();
  welcome(last());
  const come = (/** @type {typeof BEN} */ joined, /** @type {number} */ sequence) =>
    last().entries(gatewayEntry({ flags: 0x81, sequence, type: 'participants', payload: { joined: [joined] } }));
  come(BEN, 1);
  clock.pass(2 * SECOND);
  const hear = async (
    /** @type {string} */ type,
    /** @type {unknown} */ payload,
    /** @type {number} */ sequence = 0,
  ) => {
    last().entries(
      gatewayEntry({ flags: sequence ? 1 : 0, sequence: sequence && sequence + 100, sender: 2, type, payload }),
    );
    await Promise.resolve();
    await Promise.resolve();
  };
  const reopen = () => {
    while (sockets.length === 1) clock.pass(50);
    welcome(last(), { resumed: true });
  };
  let read = 0;
  let from = last();
  const said = () => {
    if (from !== last()) read = 0;
    from = last();
    const fresh = from.said.slice(read);
    read = from.said.length;
    return fresh.map(({ type, payload, targets }) => {
      assert.equal(type, 'PresenceMessage');
      return `${payload} to ${targets?.length ? targets.join(' ') : 'all'}`;
    });
  };
  return { presence, session, clock, last, reopen, changes, come, hear, said };
}
