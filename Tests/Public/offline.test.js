/** The stored pictures of sessions, over reloads with and without the gateway. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sharing } from '../../Public/js/app/sharing.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { Database, SNAPSHOTS } from '../../Public/js/persist/database.js';
import { removeOldSnapshots, SessionSnapshots } from '../../Public/js/persist/sessionSnapshots.js';
import { FakeDatabase } from './fakeDatabase.js';
import { FakeGateway } from './fakeGateway.js';
import { FakeClock, keyOf, quiet, until } from './support.js';

const ID = 'AAAAAAAAAAAAAAAAAAAAAA';
const STYLE = { rgb: '#e5484d', color: 0, width: 3, tool: 'pen' };
const DAY = 86_400_000;

test('a reload without the gateway shows the last picture, with the entries that were not sent', async () => {
  const device = new Device();
  const tab = await device.open();
  await tab.connects();
  for (const x of [1, 2, 3]) tab.draw(x);
  await tab.settles();
  device.gateway.isUp = false;
  tab.cut();
  tab.draw(4);
  tab.erase(2);
  await quiet();
  const later = await device.reload(tab);
  assert.deepEqual(later.drawn, [1, 3, 4]);
  assert.equal(later.sharing.lastSeen, 'whole');
  const again = await device.reload(later);
  assert.deepEqual(again.drawn, [1, 3, 4]);
});

test('changes just before the page is closed are kept, too', async () => {
  const device = new Device();
  const tab = await device.open();
  await tab.connects();
  tab.draw(1);
  await tab.settles();
  tab.draw(2);
  await tab.isCommitted();
  tab.sharing.saveNow();
  await quiet();
  device.gateway.isUp = false;
  assert.deepEqual((await device.reload(tab)).drawn, [1, 2]);
});

test('the catch-up replaces the last picture, and existing shapes do not disappear meanwhile', async () => {
  const device = new Device();
  const [tab, other] = [await device.open(), await new Device(device.gateway).open()];
  for (const one of [tab, other]) await one.connects();
  for (const x of [1, 2, 3]) tab.draw(x);
  await tab.settles();
  device.gateway.isUp = false;
  tab.cut();
  const later = await device.reload(tab);
  device.gateway.isUp = true;
  await until(() => other.drawn.length === 3, () => other.turn());
  other.erase(2);
  other.draw(5);
  await other.isCommitted();
  /** @type {number[]} */
  const hidden = [];
  later.shapes.observe({ shown: () => {}, changed: () => {}, hidden: (shape) => hidden.push(startOf(shape)) });
  later.draw(4);
  await later.connects();
  await later.isCommitted();
  assert.deepEqual(later.drawn, [1, 3, 4, 5]);
  assert.ok(hidden.includes(2) && !hidden.includes(1) && !hidden.includes(3), String(hidden));
  assert.equal(later.sharing.lastSeen, '');
  await until(() => other.drawn.includes(4), () => other.turn());
});

test('a device without a stored picture shows nothing of the session', async () => {
  const device = new Device();
  const tab = await device.open();
  assert.deepEqual([tab.drawn, tab.sharing.lastSeen], [[], '']);
  // Before the catch-up, the empty page is not stored as the picture of the session.
  tab.clock.pass(60_000);
  tab.sharing.saveNow();
  await quiet();
  assert.equal(await device.count('sessions'), 0);
});

for (
  const { how, options, count } of [
    { how: 'ended', options: { isOver: true }, count: 1 },
    { how: 'left', options: {}, count: 0 },
    { how: 'full', options: { comesBack: true }, count: 1 },
  ]
) {
  test(`the picture of a session that is ${how} is ${count ? 'kept' : 'removed'}`, async () => {
    const device = new Device();
    const tab = await device.open();
    await tab.connects();
    tab.draw(1);
    await tab.settles();
    assert.equal(await device.count('sessions'), 1);
    tab.sharing.detach(options);
    await quiet();
    assert.deepEqual([await device.count('sessions'), await device.count('parts') > 0], [count, count > 0]);
  });
}

test('the last picture of an ended session stays on this device, with everything that was drawn', async () => {
  const device = new Device();
  const tab = await device.open();
  await tab.connects();
  for (const x of [1, 2]) tab.draw(x);
  await tab.settles();
  tab.draw(3);
  await tab.isCommitted();
  tab.draw(4);
  tab.erase(2);
  tab.sharing.detach({ isOver: true });
  await quiet();
  device.time += 31 * DAY;
  await device.removesOld();
  device.gateway.isUp = false;
  const later = await device.reload(tab);
  assert.deepEqual(later.drawn, [1, 3, 4]);
  // The gateway answers that the session has ended. Then the picture still stays.
  later.sharing.detach({ isOver: true });
  await quiet();
  assert.deepEqual([later.drawn, (await device.reload(later)).drawn], [[1, 3, 4], [1, 3, 4]]);
});

test('a picture that is large, and not yet written when its session ends, is stored as a whole', async () => {
  const device = new Device();
  const tab = device.picture();
  for (let at = 1; at <= 2000; at += 1) tab.hold(at);
  tab.hold(7, false);
  tab.snapshots.end(['key-2001', 'key-3']);
  // From now on, the page shows another picture.
  for (let at = 1; at <= 2000; at += 1) tab.hold(at, false);
  await quiet();
  const picture = await device.picture().snapshots.read(ID);
  assert.deepEqual([picture?.isWhole, picture?.shapes.length], [true, 1999]);
  // Both tabs of an ended session store it.
  const other = device.picture({ take: async () => false });
  for (let at = 1; at <= 50; at += 1) other.hold(at);
  other.snapshots.end([]);
  await quiet();
  assert.equal((await device.picture().snapshots.read(ID))?.shapes.length, 50);
  device.time += 31 * DAY;
  await device.removesOld();
  assert.equal(await device.count('sessions'), 1);
});

for (const fails of /** @type {const} */ (['open', 'put'])) {
  test(`the page works in a browser that keeps nothing (${fails})`, async () => {
    const device = new Device();
    device.snapshots.fails = fails;
    const tab = await device.open();
    await tab.connects();
    tab.draw(1);
    await tab.settles();
    tab.draw(2);
    await tab.settles();
    assert.deepEqual(tab.drawn, [1, 2]);
    if (fails === 'put') assert.equal(await device.count('sessions') + await device.count('parts'), 0);
  });
}

test('only one of two tabs writes; after it is closed, the other one writes', async () => {
  const device = new Device();
  const [one, two] = [await device.open(), await device.open()];
  for (const tab of [one, two]) await tab.connects();
  one.draw(1);
  await one.settles();
  await until(() => two.drawn.length === 1, () => two.turn());
  const writes = device.snapshots.writes;
  two.clock.pass(60_000);
  await quiet();
  assert.equal(device.snapshots.writes, writes);
  device.close(one);
  two.draw(2);
  await two.settles();
  device.gateway.isUp = false;
  assert.deepEqual((await device.reload(two)).drawn, [1, 2]);
});

test('an incomplete copy does not replace the earlier one', async () => {
  const device = new Device();
  const tab = device.picture();
  for (let at = 1; at <= 600; at += 1) tab.hold(at);
  await tab.writes();
  const later = device.picture();
  later.hold(1);
  for (let at = 700; at <= 1900; at += 1) later.hold(at);
  later.drawing.confirmedChanged(null);
  await later.begins();
  assert.equal((await device.picture().snapshots.read(ID))?.shapes.length, 600);
  await later.writes();
  assert.equal((await device.picture().snapshots.read(ID))?.shapes.length, 1202);
});

test('a picture that another tab replaces meanwhile is read as a whole', async () => {
  const device = new Device();
  const tab = device.picture();
  for (let at = 1; at <= 100; at += 1) tab.hold(at);
  await tab.writes();
  const later = device.picture();
  for (let at = 1; at <= 200; at += 1) later.hold(at);
  const reader = device.picture();
  // The first transactions of both are in the queue together.
  const writing = later.begins();
  const reading = reader.snapshots.read(ID);
  await writing;
  assert.ok([100, 200].includes((await reading)?.shapes.length ?? 0));
});

test('when tabs could not be asked for the lease, the next change asks again', async () => {
  const device = new Device();
  const answers = [() => Promise.reject(new DOMException('No.', 'InvalidStateError')), async () => true];
  const tab = device.picture({ take: () => answers.shift()?.() ?? Promise.resolve(false) });
  tab.hold(1);
  await tab.writes();
  assert.equal(await device.count('sessions'), 0);
  tab.hold(2);
  await tab.writes();
  assert.equal((await device.picture().snapshots.read(ID))?.shapes.length, 2);
});

for (const isComplete of [true, false]) {
  const when = isComplete ? 'after it was written' : 'while it is being written';
  test(`a picture that another tab removes ${when} is written again as a whole`, async () => {
    const device = new Device();
    const tab = device.picture();
    for (let at = 1; at <= 600; at += 1) tab.hold(at);
    await (isComplete ? tab.writes() : tab.begins());
    device.picture().snapshots.forget();
    await quiet();
    assert.equal(await device.count('parts'), 0);
    tab.hold(601);
    await tab.writes();
    const picture = await device.picture().snapshots.read(ID);
    assert.deepEqual([picture?.isWhole, picture?.shapes.length], [true, 601]);
  });
}

test('a picture over the limit is kept in part; when it becomes smaller, it is kept as a whole', async () => {
  const device = new Device();
  const tab = device.picture({ maximumBytes: 20_000 });
  for (let at = 1; at <= 400; at += 1) tab.hold(at);
  await tab.writes();
  const part = await device.picture().snapshots.read(ID);
  assert.equal(part?.isWhole, false);
  assert.ok(part.shapes.length >= 100 && part.shapes.length < 200, String(part.shapes.length));
  for (let at = 101; at <= 400; at += 1) tab.hold(at, false);
  await tab.writes();
  tab.drawing.confirmedChanged(null);
  await tab.writes();
  const whole = await device.picture().snapshots.read(ID);
  assert.deepEqual([whole?.isWhole, whole?.shapes.length], [true, 100]);
});

test('only changed parts are written again', async () => {
  const device = new Device();
  const tab = device.picture();
  for (let at = 1; at <= 300; at += 1) tab.hold(at);
  await tab.writes();
  const writes = device.snapshots.writes;
  tab.hold(301);
  await tab.writes();
  // A part, and the record of the session.
  assert.equal(device.snapshots.writes - writes, 2);
});

test('the pictures of eight sessions are kept, for a month at most', async () => {
  const device = new Device();
  for (let at = 1; at <= 10; at += 1) {
    device.time += 1;
    const tab = device.picture({ session: `session-${at}` });
    tab.hold(at);
    await tab.writes();
    await device.removesOld(`session-${at}`);
  }
  assert.equal(await device.count('sessions'), 8);
  assert.equal((await device.picture().snapshots.read('session-10'))?.shapes.length, 1);
  assert.equal(await device.picture().snapshots.read('session-1'), null);
  // A page without a session keeps the same number of pictures.
  await device.removesOld();
  assert.equal(await device.count('sessions'), 8);
  device.time += 31 * DAY;
  await device.removesOld('session-9');
  assert.deepEqual([await device.count('sessions'), await device.count('parts')], [1, 2]);
  await device.removesOld();
  assert.deepEqual([await device.count('sessions'), await device.count('parts')], [0, 0]);
});

test('pictures and files are at their places; those that the session no longer has disappear', async () => {
  const items = new Items();
  const itemStore = new ItemStore({ items, history: new UndoHistory(), depth: { next: 1, seen: () => {} } });
  const device = new Device();
  const tab = device.picture({ items });
  for (const [at, state] of /** @type {const} */ ([[1, 'ready'], [2, 'ready'], [3, 'uploading']])) {
    const origin = /** @type {any} */ ({ isReady: true });
    const place = { x: 10 * at, y: 20, width: 280, height: 76, z: at };
    itemStore.showStored([{
      id: keyOf(at),
      name: `${at}.bin`,
      contentType: '',
      size: 3,
      natural: null,
      by: 'Ada',
      place,
      origin,
    }]);
    Object.assign(items.find(keyOf(at)) ?? {}, { attachment: { isReady: state === 'ready' } });
  }
  tab.hold(1);
  await tab.writes();
  const known = await device.picture().snapshots.read(ID);
  assert.deepEqual(known?.items.map(({ name, place: { x }, by }) => [name, x, by]), [['1.bin', 10, 'Ada'], [
    '2.bin',
    20,
    'Ada',
  ]]);
  assert.equal(known.items[0].origin?.url, `https://draw.example/api/sessions/${ID}/attachments/${keyOf(1)}`);

  const shown = new Items();
  const later = new ItemStore({ items: shown, history: new UndoHistory(), depth: { next: 1, seen: () => {} } });
  const session = new FakeSession();
  const journal = Object.assign(new EventTarget(), { current: /** @type {any[]} */ ([]), uploads: [] });
  later.attach(/** @type {any} */ (session), /** @type {any} */ (journal), { bringsPicture: false });
  later.showStored(known.items);
  // An upload of an earlier page begins before the page is connected.
  journal.dispatchEvent(new Event('uploadschange'));
  const first = shown.find(keyOf(1));
  assert.deepEqual([shown.size, first?.canLoad, first?.state], [2, true, 'ready']);
  journal.current = [{ id: keyOf(1), name: '1.bin', contentType: '', size: 3, isReady: true, participant: null }];
  journal.dispatchEvent(new Event('change'));
  journal.dispatchEvent(new Event('caughtup'));
  assert.deepEqual(shown.all, [first]);
  assert.equal(first?.place.x, 10);
});

/** @typedef {Awaited<ReturnType<Device['open']>>} Tab */

/** A browser with its tabs. Its stored data survives its pages. */
class Device {
  time = 0;
  snapshots = new FakeDatabase();
  #database = new Database(() => /** @type {any} */ (this.#factory));
  #factory = new FakeDatabase();
  /** @type {Map<string, object>} */
  #claims = new Map();
  #ids = 0;

  constructor(gateway = new FakeGateway()) {
    this.gateway = gateway;
  }

  get #kept() {
    return new Database(() => /** @type {any} */ (this.snapshots), SNAPSHOTS);
  }

  /** A page of the session. @param {Map<string, string>} [storage] the tab's own */
  async open(storage = new Map()) {
    const { gateway } = this;
    const clock = new FakeClock();
    const owner = {};
    /** @type {any[]} */
    const sockets = [];
    const openSocket = (/** @type {string} */ url) => {
      const socket = gateway.openSocket(url);
      sockets.push(socket);
      return socket;
    };
    const items = new Items();
    const shapes = new Shapes();
    const drawing = new Drawing(shapes, () => keyOf(keys += 1));
    const sharing = new Sharing({
      drawing,
      items,
      database: this.#database,
      snapshots: this.#kept,
      itemStore: new ItemStore({ items, history: new UndoHistory(), depth: { next: 1, seen: () => {} } }),
      base: new URL('https://draw.example/'),
      profile: () => ({ name: 'Ada', color: '#e5484d' }),
      storage: {
        getItem: (name) => storage.get(name) ?? null,
        setItem: (name, value) => void storage.set(name, value),
        removeItem: (name) => void storage.delete(name),
      },
      newId: () => `id-${this.#ids += 1}`,
      tabs: { locks: this.#locks(owner), openChannel: /** @type {any} */ (null), wait: async () => {} },
      env: { ...clock, openSocket, clearTimeout: clock.clearTimeout, random: () => 0.5 },
      openJournal:
        () => /** @type {any} */ (Object.assign(new EventTarget(), { current: [], uploads: [], close: () => {} })),
    });
    await sharing.join(ID);
    const tab = {
      sharing,
      shapes,
      drawing,
      clock,
      storage,
      owner,
      get drawn() {
        return shapes.all.map(startOf).sort((one, other) => one - other);
      },
      cut: () => sockets.at(-1).cut(),
      close: () => sockets.at(-1).close(),
      /** Advances the client and the gateway by one step. */
      turn: () => {
        clock.pass(50);
        for (let at = 0; at < gateway.lines.length + 1; at += 1) {
          gateway.serve(at);
          gateway.deliver(at);
        }
      },
      connects: () => until(() => sharing.session?.isConnected, tab.turn),
      isCommitted: () =>
        until(() => sharing.session?.save().outbox.items.length === 0, () => {
          tab.turn();
          gateway.save();
        }),
      /** Waits until everything is on the gateway's disk and on this device. */
      settles: async () => {
        await tab.isCommitted();
        for (let turn = 0; turn < 10; turn += 1) {
          clock.pass(1000);
          await quiet();
        }
      },
      draw: (/** @type {number} */ x) => {
        drawing.beginStroke(STYLE, [x, 0, x, 50], null);
        drawing.endStroke();
      },
      erase: (/** @type {number} */ x) => {
        const shape = shapes.all.find((one) => startOf(one) === x);
        if (shape) drawing.erase(shape);
      },
    };
    return tab;
  }

  /** @param {Tab} tab */
  close({ owner, close }) {
    close();
    for (const [claim, holder] of this.#claims) if (holder === owner) this.#claims.delete(claim);
  }

  /** @param {Tab} tab */
  async reload(tab) {
    this.close(tab);
    return await this.open(tab.storage);
  }

  /**
   * Returns the part of a page that stores the picture.
   * @param {{ session?: string, maximumBytes?: number, items?: Items, take?: () => Promise<boolean> }} [options]
   */
  picture({ session = ID, maximumBytes, items = new Items(), take = async () => true } = {}) {
    const clock = new FakeClock();
    /** @type {Map<string, any>} */
    const held = new Map();
    const drawing = {
      encodeConfirmed: (/** @type {string} */ key) => held.get(key) ?? null,
      get confirmedKeys() {
        return held.keys();
      },
      /** @type {(key: string | null) => void} */
      confirmedChanged: () => {},
      watchConfirmed: (/** @type {(key: string | null) => void} */ changed) => (drawing.confirmedChanged = changed),
    };
    const snapshots = new SessionSnapshots({
      drawing: /** @type {any} */ (drawing),
      items,
      database: this.#kept,
      base: new URL('https://draw.example/'),
      newId: () => `id-${this.#ids += 1}`,
      take,
      env: clock,
      wallClock: () => this.time,
      maximumBytes,
    });
    snapshots.follow(session);
    const begins = async () => {
      clock.pass(2000);
      clock.pass(200);
      await quiet();
    };
    return {
      snapshots,
      drawing,
      /** @param {number} at @param {boolean} isHeld */
      hold: (at, isHeld = true) => {
        const key = `key-${at}`;
        if (isHeld) held.set(key, { key, type: 'T', payload: new Uint8Array(100) });
        else held.delete(key);
        drawing.confirmedChanged(held.size === 1 && isHeld ? null : key);
      },
      begins,
      writes: async () => {
        for (let turn = 0; turn < 40; turn += 1) await begins();
      },
    };
  }

  /** Removes old pictures, as a page does when it starts. @param {string} [own] its session */
  async removesOld(own) {
    await removeOldSnapshots(this.#kept, own, () => this.time);
  }

  /** @param {string} name of a store @returns {Promise<number>} */
  async count(name) {
    return (await this.#kept.read([name], (stores) => [stores[name].getAll()]))?.[0].length;
  }

  /** @param {object} owner */
  #locks(owner) {
    /** @type {any} */
    const locks = {
      request: async (/** @type {string} */ name, /** @type {object} */ _, /** @type {(lock: any) => any} */ use) => {
        if (this.#claims.has(name)) return use(null);
        this.#claims.set(name, owner);
        use({});
      },
    };
    return locks;
  }
}

/** A session in which nothing happens. */
class FakeSession extends EventTarget {
  pending = [];

  observe() {}

  participant() {
    return null;
  }
}

let keys = 0;

/** @param {any} shape @returns {number} its start */
function startOf(shape) {
  return shape.points[0];
}
