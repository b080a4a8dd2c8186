import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AsyncQueue } from '../../Public/js/sync/asyncQueue.js';
import {
  InvalidationReason,
  MessageTooLargeError,
  NotJoinedError,
  RateLimitedError,
} from '../../Public/js/sync/errors.js';
import { GroupSessionMessenger } from '../../Public/js/sync/groupSessionMessenger.js';
import { ADA, BEN, fakeSession, gatewayEntry, keyOf, LIMITS, welcome } from './support.js';

class Guess {
  static messageIdentifier = 'QuizGuess';

  /** @param {string} word */
  constructor(word) {
    this.word = word;
  }
}

class Wave {}

test('the type of a message is the identifier of its class, else the name of the class, else the given type', () => {
  const { messenger, last } = joinedMessenger();
  messenger.send(new Guess('cat'));
  messenger.send(new Wave());
  messenger.send({ a: 1 }, { type: 'Plain' });
  messenger.send(Uint8Array.of(65));
  assert.deepEqual(last().said.map(({ type, payload, flags }) => [type, payload, flags]), [
    ['QuizGuess', '{"word":"cat"}', 1],
    ['Wave', '{}', 1],
    ['Plain', '{"a":1}', 1],
    ['Data', 'A', 1],
  ]);
});

test('a plain object without a type is refused', async () => {
  const { messenger } = joinedMessenger();
  await assert.rejects(messenger.send({ a: 1 }), TypeError);
});

test('a message may have one, several or no recipients', async () => {
  const { messenger, last } = joinedMessenger();
  messenger.send(new Wave(), { to: BEN });
  messenger.send(new Wave(), { to: new Set([ADA, BEN]) });
  await messenger.send(new Wave(), { to: [] });
  assert.deepEqual(last().said.map(({ flags, targets }) => [flags, targets]), [[9, [2]], [9, [1, 2]]]);
});

test('unretained messages are delivered once, even if they are sent again after a crash; retained ones are repeated', () => {
  const { messenger, last } = joinedMessenger();
  /** @type {unknown[]} */
  const received = [];
  const queue = messenger.messages('Wave');
  const wave = { sender: 2, type: 'Wave' };
  const entries = [
    gatewayEntry({ ...wave, flags: 1, sequence: 1, clientSequence: 1, payload: 1 }),
    gatewayEntry({ ...wave, flags: 1, sequence: 2, clientSequence: 1, payload: 1 }),
    gatewayEntry({ ...wave, flags: 1, sequence: 3, clientSequence: 2, payload: 2 }),
    gatewayEntry({ ...wave, flags: 5, sequence: 4, clientSequence: 3, key: 1, payload: 3 }),
    gatewayEntry({ ...wave, flags: 5, sequence: 4, clientSequence: 3, key: 1, payload: 3 }),
    gatewayEntry({ ...wave, flags: 1, sequence: 5, sender: 1, clientSequence: 1, payload: 4 }),
  ];
  for (const entry of entries) last().entries(entry);
  queue.finish();
  return (async () => {
    for await (const { message } of queue) received.push(message);
    assert.deepEqual(received, [1, 2, 3, 3, 4]);
  })();
});

test('send resolves when the session has the message', async () => {
  const { messenger, last } = joinedMessenger();
  let isDone = false;
  const sending = messenger.send(new Wave()).then(() => (isDone = true));
  await Promise.resolve();
  assert.equal(isDone, false);
  last().entries(gatewayEntry({ flags: 1, sequence: 1, sender: 1, clientSequence: 1, type: 'Wave', payload: {} }));
  await sending;
  assert.equal(isDone, true);
});

test('retained messages need a key', () => {
  const { messenger, last } = joinedMessenger();
  const key = keyOf(9);
  messenger.send(new Wave(), { key });
  messenger.send(new Wave(), { key, retention: 'replace', existing: true });
  messenger.send(new Wave(), { key, retention: 'remove' });
  assert.deepEqual(last().said.map(({ flags, keyByte, payload }) => [flags, keyByte, payload]), [[3, 9, '{}'], [
    0x25,
    9,
    '{}',
  ], [7, 9, '']]);
});

test('a message that is too large: an error with both numbers, and nothing is sent', async () => {
  const { messenger, last } = joinedMessenger({ limits: { ...LIMITS, messageBytes: 262_144 } });
  await assert.rejects(messenger.send(new Uint8Array(262_145)), {
    name: 'MessageTooLargeError',
    limit: 262_144,
    actual: 262_145,
  });
  assert.equal(last().said.length, 0);
  messenger.send(new Uint8Array(262_144));
  assert.equal(last().said.length, 1);
});

test('messages that are sent too fast: an error with the time to wait, and nothing is sent', async () => {
  const { messenger, clock, last } = joinedMessenger();
  for (let frame = 0; frame < 300; frame += 1) {
    for (let count = 0; count < 4; count += 1) messenger.send(new Wave());
    clock.pass(16);
  }
  assert.equal(last().said.length, 1200);
  const sent = last().said.length;
  const results = Array.from({ length: 2001 }, () => messenger.send(new Wave()));
  for (const result of results) result.catch(() => {});
  await assert.rejects(results[2000], (error) => error instanceof RateLimitedError && error.retryAfterMs > 0);
  clock.pass(3000);
  assert.equal(last().said.length, sent + 2000);
});

test('S16 messages sent before the join wait', () => {
  const { session, clock, last } = fakeSession();
  const messenger = new GroupSessionMessenger(session, { now: clock.now });
  for (let count = 0; count < 3000; count += 1) messenger.send(new Wave());
  session.join();
  welcome(last());
  clock.pass(5000);
  assert.equal(last().said.length, 3000);
});

test('a refused message fails, and the next one is sent', async () => {
  const { messenger, last } = joinedMessenger();
  const first = messenger.send(new Wave());
  const second = messenger.send(new Wave());
  last().tell({ error: { code: 'unknown-participant', detail: 'There is no participant 9.', clientSequence: 1 } });
  await assert.rejects(first, { code: 'unknown-participant' });
  last().entries(gatewayEntry({ flags: 1, sequence: 1, sender: 1, clientSequence: 2, type: 'Wave', payload: {} }));
  await second;
});

test('messages of a type arrive in order with their senders, filtered by type and delivery', async () => {
  const { messenger, session, last } = joinedMessenger();
  const guesses = messenger.messages(Guess);
  last().entries(
    gatewayEntry({ flags: 0x81, sequence: 1, type: 'participants', payload: { joined: [BEN] } }),
    gatewayEntry({ flags: 1, sequence: 2, sender: 2, clientSequence: 1, type: 'QuizGuess', payload: { word: 'cat' } }),
    gatewayEntry({ flags: 1, sequence: 3, sender: 2, clientSequence: 2, type: 'Wave', payload: {} }),
    gatewayEntry({ flags: 0, sender: 2, type: 'QuizGuess', payload: { word: 'lost' } }),
    gatewayEntry({
      flags: 1,
      sequence: 4,
      sender: 2,
      clientSequence: 3,
      type: 'QuizGuess',
      payload: Uint8Array.of(123),
    }),
    gatewayEntry({ flags: 1, sequence: 5, sender: 7, clientSequence: 1, type: 'QuizGuess', payload: { word: 'dog' } }),
  );
  session.leave();
  const heard = [];
  for await (const { message, context } of guesses) heard.push([message.word, context.source?.name, context.sequence]);
  assert.deepEqual(heard, [['cat', 'Ben', 2], ['dog', undefined, 5]]);
});

test('bytes are delivered unchanged', async () => {
  const { messenger, last } = joinedMessenger();
  const data = messenger.messages(Uint8Array);
  last().entries(
    gatewayEntry({ flags: 1, sequence: 2, sender: 2, clientSequence: 1, type: 'Data', payload: Uint8Array.of(0, 255) }),
  );
  assert.deepEqual((await data.next()).value?.message, Uint8Array.of(0, 255));
});

test('the end of the session ends iterations and fails pending sends', async () => {
  const { messenger, last } = joinedMessenger();
  const waves = messenger.messages(Wave);
  const waiting = waves.next();
  const sending = messenger.send(new Wave());
  last().cut(4010, '{"code":"ended","detail":"Ada ended it."}');
  assert.deepEqual(await waiting, { value: undefined, done: true });
  await assert.rejects(sending, (error) => error instanceof InvalidationReason && error.kind === 'ended');
  await assert.rejects(messenger.send(new Wave()), NotJoinedError);
});

test('a messenger needs a session that has not ended', () => {
  const { session } = joinedMessenger();
  session.leave();
  assert.throws(() => new GroupSessionMessenger(session), NotJoinedError);
});

test('a closed iterator gets no more messages', async () => {
  const { messenger, last } = joinedMessenger();
  const waves = messenger.messages(Wave);
  await waves.return();
  last().entries(gatewayEntry({ flags: 1, sequence: 1, sender: 2, clientSequence: 1, type: 'Wave', payload: {} }));
  assert.deepEqual(await waves.next(), { value: undefined, done: true });
});

test('unread unreliable messages are replaced by newer ones', async () => {
  const { session, clock, last } = fakeSession();
  session.join();
  welcome(last());
  const messenger = new GroupSessionMessenger(session, { deliveryMode: 'unreliable', now: clock.now });
  const waves = messenger.messages('Wave');
  for (let at = 0; at < 1500; at += 1) {
    last().entries(gatewayEntry({ flags: 0, sender: 2, type: 'Wave', payload: { at } }));
  }
  assert.equal((await waves.next()).value?.message.at, 500);
  assert.equal(messenger.deliveryMode, 'unreliable');
});

test('a queue serves waiting readers in order', async () => {
  const queue = new AsyncQueue();
  const readers = [queue.next(), queue.next()];
  queue.put(1);
  queue.put(2);
  queue.put(3);
  queue.finish();
  const results = [...await Promise.all(readers), await queue.next(), await queue.next()];
  assert.deepEqual(results.map(({ value, done }) => [value, done]), [[1, false], [2, false], [3, false], [
    undefined,
    true,
  ]]);
});

/** @param {object} [changes] */
function joinedMessenger(changes = {}) {
  const world = fakeSession();
  world.session.join();
  welcome(world.last(), changes);
  return { ...world, messenger: new GroupSessionMessenger(world.session, { now: world.clock.now }) };
}

test('the iteration of an ended session ends at once', async () => {
  const { session } = fakeSession();
  const messenger = new GroupSessionMessenger(session);
  session.leave();
  assert.equal((await messenger.messages('A').next()).done, true);
});

test('errors have their names and messages', () => {
  assert.match(new MessageTooLargeError(10, 11).message, /11 bytes; at most 10/);
  assert.equal(new RateLimitedError(250).retryAfterMs, 250);
});
