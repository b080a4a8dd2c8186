import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readControl, readJoined } from '../../Public/js/sync/control.js';
import { catchUp, caughtUp, fakeSession, joined, welcome } from './support.js';
import { fullText, vectors } from './vectors.js';

const { fromClients, fromGateway, refusedFromGateway } = vectors('controlMessages');
const TOKEN = 'ABEiM0RVZneImaq7zN3u_w';

/** @typedef {ReturnType<typeof fakeSession>} Fake */

/**
 * The messages that the page writes, and the actions after which it writes them.
 * @type {[object, (fake: Fake) => void, object?][]}
 */
const WRITTEN = [
  [{ join: {} }, ({ last }) => last().open()],
  [{ join: { name: 'Ada', color: '#e4572e' } }, ({ last }) => last().open(), {
    profile: { name: 'Ada', color: '#e4572e' },
  }],
  [
    { join: { resume: { token: TOKEN, epoch: 'e1', after: 812, next: 42 } } },
    ({ last, reopen }) => {
      last().open();
      last().tell(joined({ token: TOKEN, sequence: 812, acknowledged: 41, resumed: true }));
      last().tell(catchUp('snapshot', 812));
      last().tell(caughtUp(812));
      last().cut();
      reopen();
    },
    { saved: { token: TOKEN, outbox: { next: 42, items: [] } } },
  ],
  [
    { join: { name: 'Ada', resume: { token: TOKEN, next: 1 } } },
    ({ last, reopen }) => {
      last().open();
      last().tell(joined({ token: TOKEN }));
      last().cut();
      reopen();
    },
    { profile: { name: 'Ada' } },
  ],
  [{ leave: {} }, ({ session, last }) => {
    welcome(last());
    session.leave();
  }],
  [{ end: {} }, ({ session, last }) => {
    welcome(last());
    session.end();
  }],
  [{ profile: { color: '#123456' } }, ({ session, last }) => {
    welcome(last());
    session.setProfile({ color: '#123456' });
  }],
  [{ profile: { name: 'a"b\\\n', color: 'red' } }, ({ session, last }) => {
    welcome(last());
    session.setProfile({ name: 'a"b\\\n', color: 'red' });
  }],
  ...[
    { title: 'T', payload: { a: [1, -2, 0.5, 2 ** 64, true, null, 'x'] } },
    { title: 'T' },
    { payload: null },
    {},
  ].map((activity) => /** @type {[object, (fake: Fake) => void]} */ ([{ activity }, ({ session, last }) => {
    welcome(last());
    session.setActivity(activity);
  }])),
];

for (const [message, act, options] of WRITTEN) {
  test(`§2 the page writes ${JSON.stringify(message)}`, () => {
    const vector = fromClients.find((one) => one.isWritten !== false && isDeepStrictEqual(one.message, message));
    assert.ok(vector, 'a message of the vectors');
    const fake = fakeSession(options);
    fake.session.join();
    act(fake);
    assert.deepEqual(fake.last().controls.at(-1), JSON.parse(fullText(vector.text)));
  });
}

test('§2 the page writes all messages of a client except `wait`', () => {
  const kinds = fromClients.map(({ message }) => Object.keys(message)[0]);
  const written = WRITTEN.map(([message]) => Object.keys(message)[0]);
  assert.deepEqual([...new Set(kinds)].filter((kind) => !written.includes(kind)), ['wait']);
});

for (const { text, message } of fromGateway) {
  const [[name, body]] = Object.entries(message);

  test(`§2 reads ${name}: ${JSON.stringify(body).slice(0, 60)}`, () => {
    const control = readControl(fullText(text));
    assert.equal(control?.name, name);
    for (const [member, value] of Object.entries(body)) assert.deepEqual(control.body[member], value);
  });
}

test('§2.1 reads the members of `joined`', () => {
  const { message } = fromGateway.find((vector) => vector.message.joined);
  const { session, ...members } = message.joined;
  assert.deepEqual(readJoined(message.joined), { name: 'joined', ...members, activity: session.activity });
});

for (const { text, error, refusedBy } of refusedFromGateway) {
  if (!refusedBy.includes('page')) continue;
  test(`§2 ignores a message of the gateway that is wrong, ${error}: ${text}`, () => {
    const { session, sockets, last } = fakeSession();
    session.join();
    welcome(last(), { sequence: 7, committed: 5 });
    last().onmessage({ data: text });
    assert.deepEqual([session.isConnected, session.committed, session.lastSequence], [true, 5, 7]);
    assert.equal(sockets.length, 1);
  });
}
