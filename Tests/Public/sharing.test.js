import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { Retention } from '../../Public/js/sync/wire.js';
import { loadAtLast, loaderOf, loadSession } from '../../Public/js/app/loading.js';
import { Sharing } from '../../Public/js/app/sharing.js';
import { Title } from '../../Public/js/protocol/titleSync.js';
import { Database, SNAPSHOTS } from '../../Public/js/persist/database.js';
import { FakeDatabase } from './fakeDatabase.js';
import { ADA, fakeSession, gatewayEntry, keyOf, quiet, reliable, welcome } from './support.js';

const ID = 'AAAAAAAAAAAAAAAAAAAAAA';
const PEN = { rgb: '#e5484d', color: 0, width: 6, tool: 'pen' };

for (
  const { count, code, reason, isJoined = true } of [
    { count: 1, code: 4005, reason: '{"code":"session-full"}', isJoined: false },
    { count: 1, code: 4026, reason: '' },
    { count: 0, code: 1008, reason: '{"code":"bad-entry"}' },
    { count: 0, code: 4010, reason: '{"code":"ended"}' },
  ]
) {
  test(`after close code ${code}, pending entries are ${count ? 'kept' : 'dropped'}`, async () => {
    const { sharing, last, kept } = fakeSharing();
    const session = await sharing.join(ID);
    if (isJoined) welcome(last());
    last().cut();
    session.send(reliable('A'));
    session.addEventListener('statechange', () => sharing.detach({ comesBack: session.reason?.canComeBack }));
    session.reconnectNow();
    last().open();
    last().cut(code, reason);
    await quiet();
    assert.equal((await kept('entries')).length, count);
    assert.equal(sharing.session, null);
  });
}

test('a stroke that is replayed when the page enters its session is sent', async () => {
  const { sharing, drawing, last } = fakeSharing();
  sharing.addEventListener('session', () => {
    drawing.beginStroke({ rgb: '#e5484d', color: 0, width: 6, tool: 'pen' }, [10, 20], null);
    drawing.endStroke();
  }, { once: true });
  await sharing.join(ID);
  welcome(last());
  await quiet();
  assert.equal(drawing.pendingShapes, 1);
  assert.deepEqual(new Set(last().said.map(({ type }) => type)), new Set(['UpsertStrokeMessage']));
});

test('shapes that are drawn before the parts for a session can be loaded are stored, and then sent to the session', async () => {
  let online = () => {};
  const isOnline = new Promise((resolve) => (online = () => resolve(null)));
  const load = async (/** @type {(error: Error) => void} */ failed) => {
    failed(new Error('offline'));
    await isOnline;
    return await loadSession();
  };
  const { sharing, drawing, last, sockets, kept } = fakeSharing(undefined, load);
  /** @type {string[]} */
  const reported = [];
  sharing.addEventListener('unloaded', (event) => {
    reported.push(/** @type {CustomEvent} */ (event).detail.message);
    drawing.beginStroke({ rgb: '#e5484d', color: 0, width: 6, tool: 'pen' }, [10, 20], null);
    drawing.endStroke();
  });
  const joining = sharing.join(ID);
  await quiet();
  assert.deepEqual([reported, sockets.length, (await kept('marks')).length], [['offline'], 0, 1]);
  online();
  await joining;
  welcome(last());
  await quiet();
  assert.equal(drawing.pendingShapes, 1);
  assert.deepEqual(new Set(last().said.map(({ type }) => type)), new Set(['UpsertStrokeMessage']));
  assert.deepEqual([(await kept('marks')).length, (await kept('entries')).length], [0, 1]);
});

test('loading is tried again after growing pauses, and the first failure is reported', async () => {
  /** @type {unknown[]} */
  const told = [];
  const results = [new Error('1'), new Error('2'), new Error('3')];
  const load = async () => {
    const error = results.shift();
    if (error) throw error;
    return /** @type {any} */ ('loaded');
  };
  const pause = async (/** @type {number} */ failures) => told.push(failures);
  assert.equal(await loadAtLast(load, (error) => told.push(error.message), pause), 'loaded');
  assert.deepEqual(told, ['1', 0, 1, 2]);
});

test('after a failure, a module is loaded from another address, and only once', async () => {
  /** @type {string[]} */
  const addresses = [];
  const failure = () => Promise.reject(new TypeError('Failed to fetch: https://draw.example/js/session-A.js'));
  const results = [failure, failure, async () => 'loaded'];
  const from = (/** @type {string} */ address) => {
    addresses.push(address);
    return /** @type {any} */ (results.shift())();
  };
  const load = loaderOf(() => from('first'), from);
  const other = loaderOf(() => from('other'), from);
  await assert.rejects(load, { message: /could not be loaded/ });
  await assert.rejects(load);
  assert.deepEqual(await Promise.all([load(), load()]), ['loaded', 'loaded']);
  const again = 'https://draw.example/js/session-A.js';
  assert.deepEqual(addresses, ['first', `${again}?1`, `${again}?2`]);
  results.push(async () => 'another');
  assert.deepEqual([await other(), addresses.at(-1)], ['another', 'other']);
});

test('an ended session is shown until the next one; a left one is not', async () => {
  const { sharing } = fakeSharing();
  assert.equal(sharing.over, null);
  await sharing.join(ID);
  sharing.detach({ isOver: true });
  assert.deepEqual([sharing.over, sharing.session], [ID, null]);
  await sharing.join('BBBBBBBBBBBBBBBBBBBBBB');
  assert.equal(sharing.over, null);
  sharing.detach();
  assert.equal(sharing.over, null);
});

test('a session that the gateway does not know is remembered as gone', async () => {
  const { sharing, last } = fakeSharing();
  const session = await sharing.join(ID);
  session.addEventListener('statechange', () => sharing.detach());
  last().open();
  assert.equal(sharing.gone, '');
  last().cut(4004);
  assert.deepEqual([sharing.gone, sharing.session], [ID, null]);
});

test('each session has its own journal, which is closed with it', async () => {
  const { sharing, journals } = fakeSharing();
  assert.equal(sharing.journal, null);
  const session = await sharing.join(ID);
  assert.deepEqual(journals, [{ session, isClosed: false }]);
  await sharing.join('BBBBBBBBBBBBBBBBBBBBBB');
  assert.deepEqual(journals.map(({ isClosed }) => isClosed), [true, false]);
  sharing.detach();
  assert.deepEqual([journals[1].isClosed, sharing.journal], [true, null]);
});

test('a stroke in progress is completed in the old session when a new page begins', async () => {
  const { sharing, drawing, last } = fakeSharing();
  await sharing.join(ID);
  const socket = last();
  welcome(socket);
  drawing.beginStroke({ rgb: '#e5484d', color: 0, width: 3, tool: 'pen' }, [1, 2], null);
  drawing.extendStroke([3, 4], null);
  const payload = { session: 'BBBBBBBBBBBBBBBBBBBBBB', by: 2 };
  socket.entries(gatewayEntry({ flags: 0x81, sequence: 9, type: 'newSession', payload }));
  await quiet();
  const whole = JSON.parse(socket.said.at(-1)?.payload ?? '');
  assert.deepEqual(whole.points, [[1, 2], [3, 4]]);
  const leaves = () => socket.controls.some((/** @type {object} */ one) => 'leave' in one);
  assert.equal(leaves(), false, 'what waits is on its way');
  const mine = socket.said.map(({ clientSequence, type }, at) =>
    gatewayEntry({ flags: 1, sequence: 10 + at, sender: ADA.number, clientSequence, type, payload: {} })
  );
  for (const entry of mine) socket.entries(entry);
  assert.equal(leaves(), false, 'it is not safe yet');
  socket.tell({ committed: { sequence: 10 + mine.length } });
  await quiet();
  assert.equal(leaves(), true);
});

for (const fails of [undefined, 'put']) {
  const [kept, count] = fails ? ['not kept for the session', 1] : ['kept for the session', 0];
  test(`the local drawing is ${count ? 'kept' : 'removed'} if it is ${kept}`, async (context) => {
    const { sharing, drawing, factory, kept } = fakeSharing();
    context.mock.method(globalThis, 'fetch', async () => Response.json({ id: ID, link: `/s/${ID}` }, { status: 201 }));
    await sharing.openAlone();
    drawing.beginStroke({ rgb: '#e5484d', color: 0, width: 3, tool: 'pen' }, [1, 2], null);
    drawing.endStroke();
    await quiet();
    assert.equal((await kept('marks')).length, 1);
    factory.fails = /** @type {any} */ (fails);
    await sharing.share();
    await quiet();
    assert.equal((await kept('marks')).length, count);
  });
}

test('without locks, the pending entries of this tab are not treated as those of a killed tab', async () => {
  const openChannel = () => ({ postMessage: () => {}, close: () => {} });
  const { sharing, last, sockets, kept } = fakeSharing({ locks: undefined, openChannel, wait: quiet });
  const session = await sharing.join(ID);
  session.send({ ...reliable('A'), retention: Retention.replace, key: keyOf(1) });
  await quiet();
  assert.equal((await kept('entries')).length, 1);
  welcome(last());
  await quiet();
  await quiet();
  assert.equal(sockets.length, 1);
});

test('where tabs cannot be asked for a lease, the page enters its session', async () => {
  const openChannel = () => {
    throw new DOMException('No.', 'SecurityError');
  };
  const { sharing, last } = fakeSharing({ locks: undefined, openChannel, wait: quiet });
  await sharing.openAlone();
  const session = await sharing.join(ID);
  welcome(last());
  await quiet();
  assert.equal(session.isConnected, true);
});

test('a new page without a session keeps the old board on this device', async () => {
  const { sharing, drawing, kept } = fakeSharing();
  await sharing.openAlone();
  const first = sharing.pageId;
  drawing.beginStroke(PEN, [1, 2], null);
  /** @type {(string | null)[]} */
  const left = [];
  sharing.addEventListener('leave', () => left.push(sharing.pageId));
  await sharing.newPage();
  assert.deepEqual([left, drawing.canUndo], [[first], false]);
  assert.notEqual(sharing.pageId, first);
  drawing.beginStroke(PEN, [3, 4], null);
  drawing.endStroke();
  await quiet();
  assert.deepEqual(
    (await kept('pages')).map((/** @type {any} */ { id, isSetAside = false }) => [id, isSetAside]),
    [[first, true], [sharing.pageId, false]],
  );
  assert.equal((await kept('marks')).length, 2);
});

test('a new page after a session has ended begins a board, and the ended picture stays on this device', async () => {
  const { sharing, drawing, last, kept } = fakeSharing();
  await sharing.join(ID);
  welcome(last());
  drawing.beginStroke(PEN, [1, 2], null);
  drawing.endStroke();
  sharing.detach({ isOver: true });
  assert.deepEqual([sharing.pageId, sharing.isShared], [ID, true]);
  await sharing.newPage();
  assert.deepEqual([sharing.over, sharing.isShared], [null, false]);
  drawing.beginStroke(PEN, [3, 4], null);
  drawing.endStroke();
  await quiet();
  assert.equal((await kept('marks')).length, 1);
});

test('a title goes with the picture from a board to its session, and not to the next page', async (context) => {
  const { sharing, drawing, last } = fakeSharing();
  context.mock.method(globalThis, 'fetch', async () => Response.json({ id: ID, link: `/s/${ID}` }, { status: 201 }));
  await sharing.openAlone();
  sharing.title = new Title();
  sharing.title.set('Plans');
  await sharing.share();
  welcome(last());
  assert.deepEqual(last().said.map(({ payload }) => payload), ['{"title":"Plans"}']);
  sharing.detach();
  assert.equal(sharing.title.text, 'Plans');
  drawing.beginStroke(PEN, [1, 2], null);
  await sharing.newPage();
  assert.equal(sharing.title.text, '');
});

/** @param {any} [tabs] @param {(failed: (error: Error) => void) => ReturnType<typeof loadSession>} [load] */
function fakeSharing(tabs, load) {
  const { env, last, sockets } = fakeSession();
  /** @type {Map<string, string>} */
  const storage = new Map();
  /** @type {{ session: object, isClosed: boolean }[]} */
  const journals = [];
  let ids = 0;
  const factory = new FakeDatabase();
  const database = new Database(() => /** @type {any} */ (factory));
  const items = new Items();
  const drawing = new Drawing(new Shapes());
  const sharing = new Sharing({
    drawing,
    items,
    database,
    snapshots: new Database(() => /** @type {any} */ (new FakeDatabase()), SNAPSHOTS),
    itemStore: new ItemStore({ items, history: new UndoHistory(), depth: { next: 1, seen: () => {} } }),
    base: new URL('https://draw.example/'),
    profile: () => ({ name: 'Ada', color: '#e5484d' }),
    storage: {
      getItem: (name) => storage.get(name) ?? null,
      setItem: (name, value) => void storage.set(name, value),
      removeItem: (name) => void storage.delete(name),
    },
    newId: () => `id-${ids += 1}`,
    tabs: tabs ?? {
      locks: /** @type {any} */ ({ request: (_, __, use) => Promise.resolve(use({})) }),
      openChannel: /** @type {any} */ (null),
      wait: async () => {},
    },
    env,
    load,
    openJournal: (session) => {
      const journal = { session, isClosed: false };
      journals.push(journal);
      const close = () => (journal.isClosed = true);
      return /** @type {any} */ (Object.assign(new EventTarget(), { current: [], uploads: [], close }));
    },
  });
  /** @param {string} name of a store */
  const kept = async (name) => (await database.read([name], (stores) => [stores[name].getAll()]))?.[0];
  return { sharing, drawing, factory, last, sockets, kept, journals };
}
